import { clean, readMessage } from "pulumi-page-guard/tools";

/** Functions that make text from outside safe to show. Text that is harmless in one kind of output can be a command in another. */

/** Default maximum number of characters, so that no text from outside fills a screen. */
const longest = 200;

/** Escapes a string for a terminal or a CI log: one line, nothing invisible, no workflow command, at most `most` characters. */
export function forTerminal(text: string, most = longest): string {
  return clean(text, { max: most });
}

/** Returns a string as one word for a shell, in quotes if they may be needed. Does not escape it for a terminal. */
export function forShell(text: string): string {
  return /^[\w./:,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the message of a thrown value, safe to show. */
export function readReason(error: unknown): string {
  return forTerminal(readMessage(error));
}

/** Escapes a string for a Markdown document, so that it contains no markup, HTML, mentions or links. */
export function forMarkdown(text: string, most = longest): string {
  return forTerminal(text, most)
    .replace(/[\\`*_{}[\]#|~$^]/g, "\\$&")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/@/g, "&#64;")
    .replace(/:(?=\/\/)/g, "&#58;")
    .replace(/www\./gi, (found) => `${found.slice(0, 3)}&#46;`);
}

/** Returns a string as inline code in Markdown. The fence is longer than any run of backticks inside. */
export function forMarkdownCode(text: string, most = longest): string {
  const line = forTerminal(text, most);
  const runs = [...line.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(0, ...runs) + 1);
  const pad = line.startsWith("`") || line.endsWith("`") || line === "" ? " " : "";
  // A vertical bar ends the cell of a table even inside code.
  return `${fence}${pad}${line.replace(/\|/g, "\\|")}${pad}${fence}`;
}

/** Escapes a string for the contents and attributes of HTML and XML elements. */
export function forHtml(text: string, most = longest): string {
  return forTerminal(text, most)
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;")
    .replace(/'/g, "&#39;");
}

/**
 * Matches the places where a formula can begin: the start of a field or, because some programs split fields again, a separator
 * inside a field. Quotes and spaces may come before the formula.
 */
const formula = /(^|[,;|\t])(["'\s]*)(?=[=+\-@＝＋－＠])/g;

/** Returns a string as one field of a CSV file (RFC 4180). No spreadsheet program reads this field as a formula. */
export function forCsv(text: string, most = longest): string {
  const line = forTerminal(text, most);
  const harmless = line.replace(formula, "$1'$2");
  return /[",\n\r]/.test(harmless) || harmless !== line ? `"${harmless.replace(/"/g, '""')}"` : harmless;
}

/** Returns a JSON document of exactly this value, without invisible characters or commands for a CI that shows it. */
export function forJson(value: unknown): string {
  return `${harmless(JSON.stringify(value, undefined, 2))}\n`;
}

/** Returns a literal that YAML, Python and Go read as exactly this string, always in double quotes. */
export function quote(text: string): string {
  // These languages have no surrogate pairs: `\U` stands for a whole character.
  const whole = JSON.stringify(text).replace(invisible, (letter) =>
    letter.length > 1 ? `\\U${letter.codePointAt(0)?.toString(16).padStart(8, "0")}` : letter,
  );
  return harmless(whole);
}

/** Returns a literal that TypeScript reads as exactly this string, without invisible characters or commands for a CI. */
export function codeString(text: string): string {
  const json = JSON.stringify(text);
  // Like a formatter, use the quotes that need fewer escapes.
  if (text.split('"').length <= text.split("'").length) return harmless(json);
  const inside = json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return harmless(`'${inside}'`);
}

const invisible = /[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{NChar}\u007f-\u009f\u00a0\u2000-\u200a\u202f\u205f\u3000]/gu;

/**
 * Escapes each UTF-16 unit of the invisible characters that `JSON.stringify` keeps. Also escapes `##[`, which begins a command in
 * a CI log. Commands that begin with `::` need no escape: they work only at the start of a line, where a literal has its quote.
 */
function harmless(literal: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return literal
    .replace(invisible, (letter) => letter.split("").map(escaped).join(""))
    .replace(/#(?=#\w*\[)/g, escaped);
}
