/** What a JSON text says; undefined where it is none. Never the parser's own message: that quotes the text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
