/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : `an unexpected failure: ${String(error)}`;
}
