import type { FindingCode } from "../errors/findings";
import { toOneLine, withoutCommands } from "./shown";

const maxMessageLength = 6000;

/** The beginning of a line that a CI system reads as a command: `::`, after any indentation. */
const commandLine = /^( *)::/;

/**
 * Makes a message safe for the engine, a terminal or a log. Keeps its lines and their indentation. Code that inserts text from
 * outside into a message makes that text safe itself (`clean`); this filter is the second line of defence.
 */
export function message(text: string, most = maxMessageLength): string {
  const read = text.slice(0, maxMessageLength * 2);
  const whole = read.split(/\r?\n/).map(fitLine).join("\n");
  if (read.length === text.length && whole.length <= most) return whole;
  const note = `… (cut here: the whole message has ${text.length} characters)`;
  return `${whole.slice(0, most - note.length - 1).replace(/[\uD800-\uDBFF]$/, "")}${note}`;
}

function fitLine(line: string): string {
  const indentation = /^[ \t]*/.exec(line)?.[0].replaceAll("\t", "  ") ?? "";
  const fit = withoutCommands(toOneLine(line));
  return fit === "" ? "" : `${indentation}${fit}`.replace(commandLine, "$1: :");
}

/** Returns a message with its stable code at the end. If the message is too long, cuts it before the code. */
export function withCode(text: string, code: FindingCode): string {
  const end = ` [${code}]`;
  return `${message(text, maxMessageLength - end.length)}${end}`;
}
