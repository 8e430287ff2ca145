import type { Clock } from "../../../provider/src/api/clock";

/** A clock that stands still until a test advances it. */
export class FakeClock implements Clock {
  #now = 0;
  #nextId = 0;
  readonly #timers = new Map<number, { at: number; callback: () => void }>();

  now(): number {
    return this.#now;
  }

  epochNow(): number {
    return Date.UTC(2026, 0, 1) + this.#now;
  }

  schedule(ms: number, callback: () => void): () => void {
    this.#nextId += 1;
    const id = this.#nextId;
    this.#timers.set(id, { at: this.#now + Math.max(0, ms), callback });
    return () => this.#timers.delete(id);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Advances by `ms` and fires the due timers in order. Promises settle in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= end).sort((a, b) => a[1].at - b[1].at)[0];
      if (due === undefined) break;
      this.#timers.delete(due[0]);
      this.#now = Math.max(this.#now, due[1].at);
      due[1].callback();
      await settled();
    }
    this.#now = end;
  }

  /** Advances until no timer is left, at most by `ms`. */
  async run(ms = Number.MAX_SAFE_INTEGER): Promise<void> {
    const end = this.#now + ms;
    await settled();
    while (this.#timers.size > 0) {
      const next = Math.min(...[...this.#timers.values()].map(({ at }) => at));
      if (next > end) return;
      await this.advance(next - this.#now);
    }
  }
}

/** Waits until promise chains of moderate length have settled. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
