import { parseArgs } from "node:util";

/**
 * Parses the arguments of a command. `--help` prints the usage and ends the process. An unknown argument throws an error
 * that lists the known ones.
 */
export function argumentsOf({ command, usage, options }) {
  const known = Object.keys(options).map((name) => `--${name}`);
  try {
    const withHelp = { ...options, help: { type: "boolean", default: false } };
    const { values } = parseArgs({ options: withHelp });
    if (!values.help) return { values };
    process.stdout.write(`${usage.trim()}\n`);
    process.exit(0);
  } catch (error) {
    const wrong = /'([^']+)'/.exec(error.message)?.[1] ?? error.message;
    const what = whatIsWrong[error.code]?.(wrong) ?? error.message;
    throw new Error(`${command} ${what}; it takes ${known.join(", ")}. \`${command} -- --help\` says more.`);
  }
}

const whatIsWrong = {
  ERR_PARSE_ARGS_UNKNOWN_OPTION: (option) => `knows no ${option}`,
  ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL: (word) => `can do nothing with ${word}`,
  // "--runs <value>", "--real".
  ERR_PARSE_ARGS_INVALID_OPTION_VALUE: (option) =>
    option.includes("<value>")
      ? `needs a value behind ${option.replace(/(-\w, )?(\S+) .*/, "$2")}`
      : `takes no value behind ${option}`,
};

/** Parses the value of an option that counts something. */
export function numberOf(text, flag) {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${flag} takes a number above 0, not ${text}.`);
  return value;
}
