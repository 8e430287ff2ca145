import type { FindingCode } from "../errors/finding-code";

/** A command cannot go on, for a reason that the user can mend. Shown as it is, without a stack, with its code. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly code: FindingCode = "PG_COMMAND",
  ) {
    super(message);
    this.name = new.target.name;
  }
}
