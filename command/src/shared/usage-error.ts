import { CommandError } from "./command-error";

/** An unusable command line. Nothing was done, and another attempt would fail the same way. */
export class UsageError extends CommandError {
  override readonly code = "PG_USAGE";
}
