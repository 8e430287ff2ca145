import { shown } from "pulumi-page-guard/tools";

/**
 * Makes what comes from outside (descriptions, expressions, URLs, names) safe for the place where it is shown. Each
 * place has a function of its own: what is harmless in one is a command in another.
 */

/** Longer texts are cut: no text from outside fills a screen. */
const longest = 200;

/** For a terminal or a log of a CI: one line, nothing invisible, no workflow command, at most `most` characters. */
export function forTerminal(text: string, most = longest): string {
  return shown(text, { max: most });
}

/** For running text of a Markdown document: no markup, no HTML, no mention, no link of its own. */
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

/** For Markdown too, as code: the fence is longer than any run of backticks inside. */
export function forMarkdownCode(text: string, most = longest): string {
  const line = forTerminal(text, most);
  const runs = [...line.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(0, ...runs) + 1);
  const pad = line.startsWith("`") || line.endsWith("`") || line === "" ? " " : "";
  // A bar ends the cell of a table even inside of code.
  return `${fence}${pad}${line.replace(/\|/g, "\\|")}${pad}${fence}`;
}

/** For text and attributes of HTML and XML. */
export function forHtml(text: string, most = longest): string {
  return forTerminal(text, most)
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;")
    .replace(/'/g, "&#39;");
}

/** Start of a formula in a field, also for programs that use another separator, with or without quotes. */
const formula = /(^|[,;|\t])(["'\s]*)(?=[=+\-@＝＋－＠])/g;

/** One field of a CSV file (RFC 4180). A spreadsheet reads no formula in it. */
export function forCsv(text: string, most = longest): string {
  const line = forTerminal(text, most);
  const harmless = line.replace(formula, "$1'$2");
  return /[",\n\r]/.test(harmless) || harmless !== line ? `"${harmless.replace(/"/g, '""')}"` : harmless;
}

/** A JSON document of exactly this value, in which nothing is invisible or a command for a CI that shows it. */
export function forJson(value: unknown): string {
  return `${withoutCommands(escaped(JSON.stringify(value, undefined, 2)))}\n`;
}

/** A string literal of YAML, Python and Go, always in double quotes. Reads as exactly this text. */
export function quoted(text: string): string {
  // These languages have no UTF-16 pairs: `\U` is one character.
  const whole = JSON.stringify(text).replace(invisible, (letter) =>
    letter.length > 1 ? `\\U${letter.codePointAt(0)?.toString(16).padStart(8, "0")}` : letter,
  );
  return withoutCommands(escaped(whole));
}

/**
 * A string literal of TypeScript that reads as exactly this text. Nothing in it is invisible or runs backwards, or is a
 * command for a CI that shows the code.
 */
export function codeString(text: string): string {
  const json = JSON.stringify(text);
  // As a formatter has it: the quotes that need fewer escapes.
  const isDouble = text.split('"').length <= text.split("'").length;
  const literal = isDouble
    ? json
    : `'${json
        .slice(1, -1)
        .replace(/\\(.)/g, (pair, letter) => (letter === '"' ? letter : pair))
        .replace(/'/g, "\\'")}'`;
  return withoutCommands(escaped(literal));
}

/** In a literal an escape means the same, and is not a command. `::` is one at the beginning of a line, where no literal is. */
function withoutCommands(literal: string): string {
  return literal.replace(/#(?=#\w*\[)/g, "\\u0023");
}

const invisible = /[\p{Cf}\p{Zl}\p{Zp}\p{Co}\u007f-\u009f\u00a0\u2000-\u200a\u202f\u205f\u3000]/gu;

/** `JSON.stringify` keeps invisible characters; every UTF-16 unit of them is written as an escape. */
function escaped(json: string): string {
  return json.replace(invisible, (letter) =>
    Array.from(
      { length: letter.length },
      (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
