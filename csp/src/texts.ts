/** Functions that format strings for messages. Copied from `pulumi-page-guard`, which this package must not import. */

/** Control, format and invisible characters, lone halves of a surrogate pair, line and paragraph separators. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

/** Control characters that separate words. */
const separating = /[\t\n\v\f\r\x85\p{Zl}\p{Zp}]/u;

/** Maximum number of characters that are cleaned; the rest is dropped. Text from outside may be megabytes long. */
const maxCleaned = 20_000;

/** Makes text from outside safe for a message: one short line without anything that could control a terminal or a CI system. */
export function clean(text: string, max = 120): string {
  const line = text
    .slice(0, maxCleaned)
    .replace(unseen, (run) => (separating.test(run) ? " " : ""))
    .replace(/(\p{M}{4})\p{M}+/gu, "$1")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/#(?=#\w*\[)/g, "# ")
    .replaceAll("<{%", "< {%")
    .replace(/^::(?=[\w-]*[g-z-])/i, ": :");
  if (line.length <= max && text.length <= maxCleaned) return line;
  return `${line.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Returns a count with its noun: `1 policy`, `2 policies`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  const noun = count === 1 ? one : many;
  return `${count} ${noun}`;
}

/** Returns words as a list: `a, b and c`. Does not use `Intl.ListFormat`, because creating one takes 12 ms in every preview. */
export function enumerate(words: Iterable<string>): string {
  const all = [...words];
  return [all.slice(0, -1).join(", "), ...all.slice(-1)].filter(Boolean).join(" and ");
}

/** Groups items by key. The groups, and the items in each group, keep the order of the input. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * Parses a URL; undefined if it is invalid. Does not use `URL.canParse`: in Node 20 its results for non-ASCII hosts change
 * after a few thousand calls, once it has been optimised.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Returns a part of a policy's text for a message. Shows invisible characters as escapes: many findings are about them. */
export function toVisible(text: string): string {
  const escaped = text.slice(0, 1000).replace(/[^\x20-\x7e]/gu, (one) => {
    const code = one.codePointAt(0) ?? 0;
    if (code < 0xa0) return `\\x${code.toString(16).padStart(2, "0")}`;
    return /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(one) ? formatCodePoint(one) : one;
  });
  // Keep the end of a long host name, because it shows who owns the host.
  return clean(
    escaped.length > maxVisible ? `${escaped.slice(0, 30)}…${escaped.slice(-30)}` : escaped,
    maxVisible,
  );
}

const maxVisible = 61;

export function formatCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * Returns a string with its ASCII letters in lower case. `toLowerCase` would also turn other characters, such as the Kelvin sign,
 * into ASCII letters. An unknown name could then become a known one.
 */
export function toAsciiLowerCase(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text;
}
