import type { FindingCode } from "../errors/finding-code";
import { longestMessage, message } from "./message";

/** A message with its stable code at the end. A text that is too long is cut before the code. */
export function withCode(text: string, code: FindingCode): string {
  const end = ` [${code}]`;
  return `${message(text, longestMessage - end.length)}${end}`;
}
