export type PolicyLine = ReturnType<typeof policyLines>[number];

/**
 * Splits a text into policies, and returns each policy with its offset. Each line is a separate policy, as each header of a page
 * is. A line that begins with white space continues the previous line.
 */
export function policyLines(text: string) {
  return [...text.matchAll(/\S[^\n]*(?:\n[^\S\n]+[^\n]*)*/g)].map(({ 0: line, index }) => ({
    text: line.trimEnd(),
    offset: index,
  }));
}
