import type { FindingCode } from "../errors/finding-code";
import { longestMessage, message } from "./message";

/** A message as it is shown, with the stable code of what it says at its end. A text that is too long loses its own end. */
export function withCode(text: string, code: FindingCode): string {
  const end = ` [${code}]`;
  return `${message(text, longestMessage - end.length)}${end}`;
}
