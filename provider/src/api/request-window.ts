import type { Quota } from "./rate-headers";

/** Added to a time of the service: for rounded timers, the way of an answer, and a clock that ticks unlike ours. */
export function marginMs(ms: number): number {
  return Math.min(1000, Math.max(20, ms / 100));
}

/** When the own requests were answered, oldest first. */
export class RequestLog {
  #times: number[] = [];

  add(now: number): void {
    this.#times.push(now);
  }

  /** How many were answered after `time`. */
  countAfter(time: number): number {
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] ?? 0) > time) high = middle;
      else low = middle + 1;
    }
    return this.#times.length - low;
  }

  /** When the one was answered that is the `number`th from the end; undefined: there are not so many. */
  fromEnd(number: number): number | undefined {
    return this.#times[this.#times.length - number];
  }

  /** What is older is asked for no more. */
  forgetBefore(time: number): void {
    const kept = this.countAfter(time);
    // Seldom enough that moving the rest costs nothing.
    if (this.#times.length > 1000 && kept * 2 < this.#times.length) {
      this.#times = kept === 0 ? [] : this.#times.slice(-kept);
    }
  }
}

/**
 * When one more request fits into a quota, with so many under way; infinite when only an answer can tell.
 *
 * The service counts a request when it arrives, which is some time between its sending and its answer. A request is
 * therefore kept from its sending until the length of the window after its answer: then the service has forgotten it,
 * however long the way was. So this process alone never exceeds the limit.
 */
export function roomAt(log: RequestLog, { limit, windowMs }: Quota, inFlight: number, now: number): number {
  const keptMs = windowMs + marginMs(windowMs);
  const counted = log.countAfter(now - keptMs);
  const excess = counted + inFlight - limit;
  if (excess < 0) return now;
  // So many of the oldest ones have to be forgotten before, and one more.
  const last = excess < counted ? log.fromEnd(counted - excess) : undefined;
  return last === undefined ? Number.POSITIVE_INFINITY : last + keptMs;
}
