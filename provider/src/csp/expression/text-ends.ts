/** A set of ends of texts, which tells in little time whether a text has one of them. */
export class TextEnds {
  /** Backwards, sorted, and none the beginning of another: so the last one before a text is the only one it may have. */
  readonly #reversed: readonly string[];

  constructor(ends: Iterable<string>) {
    const kept: string[] = [];
    for (const end of [...ends].map(reverse).sort()) {
      const last = kept.at(-1);
      if (last === undefined || !end.startsWith(last)) kept.push(end);
    }
    this.#reversed = kept;
  }

  areOf(text: string): boolean {
    const reversed = reverse(text);
    let low = 0;
    let high = this.#reversed.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#reversed[middle] ?? "") <= reversed) low = middle + 1;
      else high = middle;
    }
    const before = this.#reversed[low - 1];
    return before !== undefined && reversed.startsWith(before);
  }
}

function reverse(text: string): string {
  return text.split("").reverse().join("");
}
