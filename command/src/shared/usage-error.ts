import { CommandError } from "./command-error";

/** The command line cannot be used: nothing was done, and another attempt would fail the same way. */
export class UsageError extends CommandError {
  override readonly code = "PG_USAGE";
}
