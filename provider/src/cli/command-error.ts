import type { CodeOf } from "../errors/finding-code";

/** A command cannot go on, for a reason that the user can mend. Shown as it is, without a stack, with its code. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly code: CodeOf<"error"> = "PG_COMMAND",
  ) {
    super(message);
    this.name = new.target.name;
  }
}
