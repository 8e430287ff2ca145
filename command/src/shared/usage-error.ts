import { CommandError } from "./command-error";

/** An invalid command line. Nothing was done, and running the same command again would fail the same way. */
export class UsageError extends CommandError {
  override readonly code = "PG_USAGE";
}
