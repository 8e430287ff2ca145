import type { Quota } from "./rate-headers";

/** As many as the user's own limit may have. */
const mostKept = 1_000_000;

/** Our own requests: how many are under way, and when the others were answered. */
export class RequestLog {
  inFlight = 0;
  #ended: number[] = [];

  end(now: number): void {
    this.inFlight -= 1;
    this.#ended.push(now);
    if (this.#ended.length >= 2 * mostKept) this.#ended.splice(0, mostKept);
  }

  /** When the `number`th from the end was answered; undefined: there are not so many. */
  latest(number: number): number | undefined {
    return this.#ended[this.#ended.length - number];
  }

  /**
   * When one more request fits into a quota; infinite where that depends on an answer. The service counts a request some
   * time between its sending and its answer: it is kept from its sending until a window after its answer.
   */
  roomAt({ limit, windowMs }: Quota, now: number): number {
    const last = this.latest(limit - this.inFlight) ?? -Infinity;
    return this.inFlight < limit ? Math.max(now, last + windowMs + marginMs(windowMs)) : Infinity;
  }
}

/** Added to a time of the service: for rounded timers, the way of an answer, and a clock that ticks unlike ours. */
export const marginMs = (ms: number) => Math.min(1000, Math.max(20, ms / 100));
