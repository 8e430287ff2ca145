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

/** Returns the text with a style on a terminal, else without. Not every Node's `styleText` checks for a terminal. */
export function styled(style, text) {
  return isColored ? styleText(style, text) : text;
}
