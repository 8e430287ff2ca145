const LONGEST = 200;

/**
 * Text of the service made fit for a message: one line without control characters, the token blacked out, at most
 * 200 characters. In this order, so that neither a hidden character nor the cut leaves a part of the token.
 */
export function redact(text: string, token: string): string {
  const line = text
    // Control and format characters (zero-width, direction marks): nothing that a terminal would obey.
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, (run) => (/[\n\r\t\u2028\u2029]/.test(run) ? " " : ""))
    .replace(/\s+/g, " ")
    .trim();
  const safe = token === "" ? line : line.replaceAll(token, "[token]");
  return safe.length <= LONGEST ? safe : `${safe.slice(0, LONGEST - 1)}…`;
}
