/**
 * An error as the engine is to show it: its text, once. The SDK prints errors of check, diff, read and delete a second
 * time with their stack, as a message of the stack; that copy is kept down to a line.
 */
export class ShownError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "ShownError";
    this.stack = "(shown with the resource)";
  }

  override toString(): string {
    return "pulumi-page-guard: an operation failed";
  }
}
