import type { CodeOf } from "pulumi-page-guard/tools";

/** A failure that the user can fix. The command shows its message and code, but no stack trace. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly code: CodeOf<"error"> = "PG_COMMAND",
  ) {
    super(message);
    this.name = new.target.name;
  }
}
