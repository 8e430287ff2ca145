import { parseArgs } from "node:util";

/** Parses the arguments of a command. `--help` prints the usage and ends the process. */
export function argumentsOf(usage, options) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: "boolean" } } });
    if (!values.help) return values;
  } catch (error) {
    throw new Error(`${error.message}\n\n${usage.trim()}`);
  }
  process.stdout.write(`${usage.trim()}\n`);
  process.exit(0);
}

/** Parses the value of an option that counts something. */
export function numberOf(text, flag) {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${flag} takes a number above 0, not ${text}.`);
  return value;
}
