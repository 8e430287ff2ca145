import { styleText } from "node:util";

export function showTitle(text) {
  showText(styleText("bold", `\n${text}\n${"=".repeat(text.length)}`));
}

/** Shows the sentence before a step. */
export function showStep(number, sentence) {
  showText(styleText("bold", `\n${number}. ${sentence}`));
}

/** Shows a command line as a user would type it. */
export function showCommand(line) {
  showText(`${styleText("dim", "$")} ${line}`);
}

export function showText(text) {
  process.stdout.write(`${text}\n`);
}
