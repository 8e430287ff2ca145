/** Control, format and invisible characters, lone halves of a pair, line and paragraph separators. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

/** Those of them that separate words. */
const separating = /[\t\n\v\f\r\x85\p{Zl}\p{Zp}]/u;

/** More marks on one letter than any script needs cover the lines above and below. */
const piledMarks = /(\p{M}{4})\p{M}+/gu;

/** One line of characters that can be seen: nothing that a terminal or a reader's eye would obey. */
export function oneLine(text: string): string {
  return text
    .replace(unseen, (run) => (separating.test(run) ? " " : ""))
    .replace(piledMarks, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * Breaks what a CI would execute when it reads it in a log (`##[group]`, `##vso[task.setvariable …]`,
 * `##teamcity[…]`) and the engine's colour tags: an unknown one makes it panic, and it does not print what follows
 * half a tag.
 */
export function withoutCommands(line: string): string {
  return line.replace(/#(?=#\w*\[)/g, "# ").replaceAll("<{%", "< {%");
}

/** At most `max` characters, without half a surrogate pair. */
export function capped(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, Math.max(0, max - 1)).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
