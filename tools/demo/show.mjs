import { styleText } from "node:util";

export const isColored = process.stdout.isTTY && process.stdout.hasColors();

/** Shows a heading: the title of an act or, with its number, the sentence before a step. */
export function showTitle(text) {
  showText(styled("bold", `\n${text}`));
}

/** Shows a command line as a user would type it. */
export function showCommand(line) {
  showText(`${styled("dim", "$")} ${line}`);
}

export function showText(text) {
  process.stdout.write(`${text}\n`);
}

/** Returns a styled text on a terminal, else the plain text: `styleText` does not check for a terminal in every Node. */
export function styled(style, text) {
  return isColored ? styleText(style, text) : text;
}
