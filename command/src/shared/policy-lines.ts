export interface PolicyLine {
  readonly text: string;
  /** Offset of the policy in the whole text. */
  readonly offset: number;
}

/**
 * Returns the policies of a text, one per line, like the headers of a page with several policies. A line that begins with
 * white space continues the line before.
 */
export function policyLines(text: string): readonly PolicyLine[] {
  return [...text.matchAll(/\S[^\n]*(?:\n[^\S\n]+[^\n]*)*/g)].map(({ 0: line, index }) => ({
    text: line.trimEnd(),
    offset: index,
  }));
}
