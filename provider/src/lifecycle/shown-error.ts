/**
 * An error as the engine is to show it. The SDK prints errors of check, diff, read and delete a second time with their
 * stack, as a message of the stack; no stack frames are of use to the reader there.
 */
export class ShownError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "pulumi-page-guard";
    this.stack = "(shown with the resource)";
  }
}
