const isColoured = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR;

/** Value of `--color` with which the output of the CLI looks as in a terminal. */
export const cliColour = isColoured ? "always" : "never";

const paint = (code) => (text) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text);
const bold = paint("1");
const dim = paint("2");
export const red = paint("31");
export const green = paint("32");

export function showTitle(text) {
  process.stdout.write(`\n${bold(text)}\n${bold("=".repeat(text.length))}\n`);
}

/** Shows the sentence before a step. */
export function showStep(number, sentence) {
  process.stdout.write(`\n${bold(`${number}. ${sentence}`)}\n`);
}

/** Shows a command line as a user would type it. */
export function showCommand(line) {
  process.stdout.write(`${dim("$")} ${line}\n`);
}

export function showText(text) {
  process.stdout.write(`${text}\n`);
}
