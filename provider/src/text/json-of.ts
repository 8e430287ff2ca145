/** The value of a JSON text; undefined for invalid JSON. Never the parser's own message: that quotes the text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
