import type { FindingCode } from "../errors/findings";
import { toOneLine, withoutCommands } from "./shown";

const maxMessageLength = 6000;

/** A line that a CI reads as a command: it begins with `::`, after any indentation. */
const commandLine = /^( *)::/;

/**
 * Makes a message safe where it leaves this package for the engine, a terminal or a log. Code that inserts text from outside
 * makes that text safe itself (`shown`); this filter catches text that such code failed to make safe. Keeps the lines and their
 * indentation.
 */
export function message(text: string, most = maxMessageLength): string {
  const lines = text
    .slice(0, maxMessageLength * 2)
    .split(/\r?\n/)
    .map(fitLine);
  const whole = lines.join("\n");
  if (text.length <= maxMessageLength * 2 && whole.length <= most) return whole;
  const note = `… (cut here: the whole message has ${text.length} characters)`;
  return `${whole.slice(0, most - note.length - 1).replace(/[\uD800-\uDBFF]$/, "")}${note}`;
}

function fitLine(line: string): string {
  const indentation = /^[ \t]*/.exec(line)?.[0].replaceAll("\t", "  ") ?? "";
  const fit = withoutCommands(toOneLine(line));
  return fit === "" ? "" : `${indentation}${fit}`.replace(commandLine, "$1: :");
}

/** Returns a message with its stable code at the end. A message that is too long is cut before the code. */
export function withCode(text: string, code: FindingCode): string {
  const end = ` [${code}]`;
  return `${message(text, maxMessageLength - end.length)}${end}`;
}
