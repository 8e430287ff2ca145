// Without it: each refusal is in a preview twice, the second time on the stack and without a word of what it is about.

/** The stack trace of an error that the engine shows on its resource. */
export const shownWithResource = "(shown with the resource)";

/** The SDK's provider process prints errors of check, diff, read and delete a second time, for the whole stack: not ours. */
export function printOnce(): void {
  const print = console.error;
  console.error = (...values: unknown[]): void => {
    if (!String(values[0]).endsWith(`: ${shownWithResource}`)) print(...values);
  };
}
