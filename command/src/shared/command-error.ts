import type { CodeOf } from "pulumi-page-guard/tools";

/** A failure that the user can fix. Shown with its code and without a stack. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly code: CodeOf<"error"> = "PG_COMMAND",
  ) {
    super(message);
    this.name = new.target.name;
  }
}
