import { shown } from "./shown";

export interface ListOptions {
  /** How many are named; 20. */
  readonly most?: number | undefined;
  /** Between them; `; `. */
  readonly separator?: string;
}

/** The first few of a list that may be of any length, and how many more there are. The texts must be safe to show. */
export function listed(texts: readonly string[], { most = 20, separator = "; " }: ListOptions = {}): string {
  if (texts.length <= most) return texts.join(separator);
  return [...texts.slice(0, most), `and ${texts.length - most} more`].join(separator);
}

/** Names from outside, made safe to show, with commas. */
export function shownList(
  texts: readonly string[],
  { most, max }: { most?: number; max?: number } = {},
): string {
  const safe = texts.map((text) => shown(text, { max }));
  return listed(safe, { most, separator: ", " });
}
