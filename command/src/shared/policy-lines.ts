/** A policy of a text that holds several. */
export interface PolicyLine {
  readonly text: string;
  /** Offset of its beginning in the whole text. */
  readonly offset: number;
}

/**
 * The policies of a text: each line is one, as a page that has several sends them. A line that begins with white space
 * continues the one before it.
 */
export function policyLines(text: string): readonly PolicyLine[] {
  return [...text.matchAll(/\S[^\n]*(?:\n[^\S\n]+[^\n]*)*/g)].map(({ 0: line, index }) => ({
    text: line.trimEnd(),
    offset: index,
  }));
}
