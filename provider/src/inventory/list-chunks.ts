/** A part of a text that is a YAML list of its own. */
export interface ListChunk {
  readonly text: string;
  /** Where it begins: characters before it, and its line, from 1. */
  readonly offset: number;
  readonly line: number;
}

/** What reaches from one entry into another: anchors, aliases, directives, documents. */
const reaches = /(?:^|[\s,[{])[&*][^\s,[\]{}]|^(?:%|---|\.\.\.)/m;

/**
 * The parts of a long list, each of whole entries, so that just one of them is in memory as a tree: of 10,000 entries that
 * would be 300 MB. A list whose entries begin at the start of a line can be parted there, for what is inside an entry is
 * further in. Any other text is one part.
 */
export function listChunks(text: string, most = 50): readonly ListChunk[] {
  const first = /^(?:[ \t]*(?:#.*)?\r?\n)*/.exec(text)?.[0].length ?? 0;
  const whole = [{ text, offset: 0, line: 1 }];
  if (text[first] !== "-" || reaches.test(text)) return whole;
  const chunks: ListChunk[] = [];
  let [offset, line, lines, entries] = [0, 1, 0, 0];
  const cut = (end: number) => {
    chunks.push({ text: text.slice(offset, end), offset, line });
    [offset, line, entries] = [end, lines + 1, 0];
  };
  for (let at = 0; at < text.length; lines += 1) {
    const isEntry = text[at] === "-" && /[\s]/.test(text[at + 1] ?? "\n");
    if (isEntry && entries === most) cut(at);
    if (isEntry) entries += 1;
    const end = text.indexOf("\n", at);
    at = end === -1 ? text.length : end + 1;
  }
  cut(text.length);
  return chunks;
}
