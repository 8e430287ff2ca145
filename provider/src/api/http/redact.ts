import { oneLine } from "../../text/clean";
import { shown } from "../../text/shown";
import { blackedOut } from "./without-token";

const longest = 200;

/**
 * Text of the service made fit for a message, the token blacked out. Cleaned first and cut last, so that neither a
 * hidden character nor the cut leaves a part of the token.
 */
export function redact(text: string, token: string): string {
  const line = oneLine(text);
  return shown(blackedOut(line, token), { max: longest });
}
