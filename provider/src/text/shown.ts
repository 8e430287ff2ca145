/** Control, format and invisible characters, lone halves of a surrogate pair, and line and paragraph separators. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

/** Control characters that separate words. */
const separating = /[\t\n\v\f\r\x85\p{Zl}\p{Zp}]/u;

/** More combining marks on one letter than any writing system needs. They would cover the lines above and below. */
const piledMarks = /(\p{M}{4})\p{M}+/gu;

/** Returns the text on one line, without characters that are invisible, control a terminal, or could mislead a reader. */
export function toOneLine(text: string): string {
  return text
    .replace(unseen, (run) => (separating.test(run) ? " " : ""))
    .replace(piledMarks, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * Breaks up commands that a CI system would execute when it reads a log (`##[group]`, `##vso[task.setvariable …]`,
 * `##teamcity[…]`). Also breaks up the engine's colour tags: an unknown tag crashes the engine, and an incomplete one
 * hides the rest of the output.
 */
export function withoutCommands(line: string): string {
  return line.replace(/#(?=#\w*\[)/g, "# ").replaceAll("<{%", "< {%");
}

/** Cuts a string to `max` characters. Does not cut a surrogate pair in half. */
function capped(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, Math.max(0, max - 1)).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Maximum number of characters that `clean` reads, because text from outside may be megabytes long. */
const maxCleaned = 20_000;

/**
 * A workflow command, such as `::stop-commands::`. Runners read commands only at the beginning of a line, and URNs contain
 * `::` too. An IPv6 address such as `::1` is not a command.
 */
const workflowCommand = /^::(?=[\w-]*[g-z-])/i;

export interface ShownOptions {
  /** Maximum number of characters; 120 by default. */
  readonly max?: number | undefined;
}

/**
 * Makes text from outside (a name, a description, an expression, a URL, an id, a message of the service) safe for a message:
 * short, on one line, and without anything that a terminal, a CI system or the engine would execute.
 */
export function clean(text: string, { max = 120 }: ShownOptions = {}): string {
  const line = withoutCommands(toOneLine(text.slice(0, maxCleaned))).replace(workflowCommand, ": :");
  return capped(text.length > maxCleaned ? `${line}…` : line, max);
}

/** Joins the first `most` strings of a list, and says how many more there are. The strings must be safe to show. */
export function enumerate(
  texts: readonly string[],
  { most = 20, separator = "; " }: { most?: number | undefined; separator?: string } = {},
): string {
  if (texts.length <= most) return texts.join(separator);
  return [...texts.slice(0, most), `and ${texts.length - most} more`].join(separator);
}

/** Makes names from outside safe to show, and joins them with commas. */
export function cleanList(
  texts: readonly string[],
  { most, max }: { most?: number; max?: number } = {},
): string {
  const safe = texts.map((text) => clean(text, { max }));
  return enumerate(safe, { most, separator: ", " });
}

/** Returns a number with its noun: `1 policy`, `2 policies`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  const noun = count === 1 ? one : many;
  return `${count} ${noun}`;
}

/** Describes a value so briefly that a token in the wrong place stays secret. */
export function describeBriefly(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
  if (value === "") return "an empty string";
  return value.length <= 12 ? `"${value}"` : `"${value.slice(0, 8)}…" (${value.length} characters)`;
}
