import { styleText } from "node:util";

/** Shows a heading: the title of an act or, with its number, the sentence before a step. */
export function showTitle(text) {
  showText(styleText("bold", `\n${text}`));
}

/** Shows a command line as a user would type it. */
export function showCommand(line) {
  showText(`${styleText("dim", "$")} ${line}`);
}

export function showText(text) {
  process.stdout.write(`${text}\n`);
}
