export type PolicyLine = ReturnType<typeof policyLines>[number];

/**
 * Returns the policies of a text, one per line, like the headers of a page with several policies, and the offset of each. A line
 * that begins with white space continues the line before.
 */
export function policyLines(text: string) {
  return [...text.matchAll(/\S[^\n]*(?:\n[^\S\n]+[^\n]*)*/g)].map(({ 0: line, index }) => ({
    text: line.trimEnd(),
    offset: index,
  }));
}
