import { capped, oneLine, withoutCommands } from "./clean";

/** Only so much is cleaned before it is cut: text from outside may be megabytes long. */
const mostRead = 20_000;

/**
 * A workflow command, `::stop-commands::`: a runner reads it at the beginning of a line alone, and a URN holds the same
 * signs. The groups of an IPv6 address are not a command's name.
 */
const workflowCommand = /^::(?=[\w-]*[g-z-])/i;

export interface ShownOptions {
  /** Characters at most; 120. */
  readonly max?: number | undefined;
}

/**
 * Text from outside (a name, a description, an expression, a URL, an id, a message of the service), made safe
 * for a message: on one line, without anything that a terminal, a CI or the engine would obey, and
 * short.
 */
export function shown(text: string, { max = 120 }: ShownOptions = {}): string {
  const line = withoutCommands(oneLine(text.slice(0, mostRead))).replace(workflowCommand, ": :");
  return capped(text.length > mostRead ? `${line}…` : line, max);
}
