export type PolicyLine = ReturnType<typeof policyLines>[number];

/**
 * Splits a text into policies, and returns each with its offset. Each line is a policy of its own, just as each header is a
 * policy of its own if a page sends several. A line that begins with white space continues the line before.
 */
export function policyLines(text: string) {
  return [...text.matchAll(/\S[^\n]*(?:\n[^\S\n]+[^\n]*)*/g)].map(({ 0: line, index }) => ({
    text: line.trimEnd(),
    offset: index,
  }));
}
