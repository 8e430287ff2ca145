/**
 * Windows so short that a second of rounding counts. Only lengths that services have, and that no window of theirs is
 * longer by a second: by times in whole seconds a sliding window of 2 s looks like a fixed one of 3 s.
 */
const LENGTHS_MS: readonly number[] = [2000, 5000];

/**
 * The length of a short sliding window, where the service tells the time of its reset in whole seconds alone: waiting for
 * the end of that second would cost up to half of what it allows.
 */
export class ShortWindow {
  /** It is longer than the one, and at the most as long as the other. */
  #fromMs = 0;
  #toMs = 0;
  #seen = 0;
  #isRefuted = false;

  /** Undefined while it is not known: seen twice, and only one length fits. */
  get lengthMs(): number | undefined {
    const lengthMs = Math.floor(this.#toMs / 1000) * 1000;
    const isOnly = lengthMs > this.#fromMs && lengthMs - 1000 <= this.#fromMs;
    const isKnown = isOnly && this.#seen > 1 && LENGTHS_MS.includes(lengthMs) && !this.#isRefuted;
    return isKnown ? lengthMs : undefined;
  }

  /** A request that is the only one that counts is forgotten after more than `fromMs`, after `toMs` at the latest. */
  take(fromMs: number, toMs: number): void {
    const [from, to] = [Math.max(fromMs, this.#fromMs), Math.min(toMs, this.#toMs)];
    // What does not fit to what was seen before: a window that starts anew on the clock, so far.
    // The first one never fits: nothing was longer than nothing.
    const isFit = from < to;
    [this.#fromMs, this.#toMs] = isFit ? [from, to] : [fromMs, toMs];
    this.#seen = isFit ? this.#seen + 1 : 1;
  }

  /** Asked by it, the service refused. True: it was believed until then. */
  refute(): boolean {
    const wasBelieved = this.lengthMs !== undefined;
    if (wasBelieved) this.#isRefuted = true;
    return wasBelieved;
  }
}
