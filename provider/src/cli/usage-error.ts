import { CommandError } from "./command-error";

/** What stands on the command line cannot be used: nothing was done, and it is the same at each attempt. */
export class UsageError extends CommandError {
  override readonly code = "PG_USAGE";
}
