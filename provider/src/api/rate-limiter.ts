import type { Clock } from "./clock";
import { DOCUMENTED, RateBudget } from "./rate-budget";
import type { RateHeaders } from "./rate-headers";
import type { RateWait } from "./rate-wait";
import { ServiceBlock } from "./service-block";

export interface RateLimiterOptions {
  readonly clock: Clock;
  /** The user's own limit within any `windowMs`, whatever the service allows. Default: none. */
  readonly maxRequests?: number | undefined;
  /** Length of the rolling window of `maxRequests`, and of the one assumed until the service tells its own. Default: 5 minutes. */
  readonly windowMs?: number;
  /** The longest time that a request may queue. Default: one hour. */
  readonly maxWaitMs?: number;
}

export interface Wish {
  readonly signal?: AbortSignal | undefined;
  /** Sent before and refused for the limit: goes before the others. */
  readonly isAgain?: boolean;
  /** Told about a wait of over ten seconds; one request of all that wait, once a minute. */
  readonly onLongWait?: ((wait: RateWait) => void) | undefined;
}

/** The right to send one request. Must be given back by one of its methods, whatever became of the request. */
export interface Ticket {
  readonly denied?: never;
  /** The answer arrived (with its headers), or the request failed (without). */
  done(headers?: RateHeaders): void;
  /**
   * The service refused it for the limit, and asks to come back after `askedMs` if it says so, or tells when its count
   * starts anew: nobody sends before. Gives the wait in milliseconds; undefined when it is longer than anybody waits.
   */
  refused(askedMs: number | undefined, resetMs?: number): number | undefined;
}

/** Why no ticket was given. */
export type Denied =
  | { readonly denied: "aborted" }
  /** It would take longer than `patienceMs`; the service asks for `retryAfterSeconds` more, when it is blocking. */
  | { readonly denied: "too-long"; readonly patienceMs: number; readonly retryAfterSeconds?: number };

interface Waiter {
  readonly since: number;
  readonly deadline: number;
  readonly onLongWait: Wish["onLongWait"];
  readonly end: (result: Ticket | Denied) => void;
}

/** More than these are never under way: what others use up is only seen in the next answer. */
const MOST_IN_FLIGHT = 16;
const LONG_WAIT_MS = 10_000;
const TELL_EVERY_MS = 60_000;

/** Lets the requests of the process go as fast as the service allows, first come, first served. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #budget: RateBudget;
  readonly #block = new ServiceBlock();
  readonly #maxWaitMs: number;
  readonly #again = new Set<Waiter>();
  readonly #queue = new Set<Waiter>();
  #inFlight = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  #cancelWake: (() => void) | undefined;

  constructor({
    clock,
    maxRequests,
    windowMs = DOCUMENTED.windowMs,
    maxWaitMs = 3_600_000,
  }: RateLimiterOptions) {
    this.#clock = clock;
    this.#maxWaitMs = maxWaitMs;
    const ceiling = maxRequests === undefined ? undefined : { limit: maxRequests, windowMs };
    this.#budget = new RateBudget(ceiling, { limit: maxRequests ?? DOCUMENTED.limit, windowMs });
  }

  /** Waits for its turn. Never rejects. */
  acquire({ signal, isAgain = false, onLongWait }: Wish = {}): Promise<Ticket | Denied> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve({ denied: "aborted" });
      const queue = isAgain ? this.#again : this.#queue;
      const since = this.#clock.now();
      const waiter: Waiter = {
        since,
        deadline: since + this.#maxWaitMs,
        onLongWait,
        end: (result) => {
          queue.delete(waiter);
          signal?.removeEventListener("abort", onAbort);
          resolve(result);
        },
      };
      const onAbort = () => {
        waiter.end({ denied: "aborted" });
        this.#pump();
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      queue.add(waiter);
      this.#pump();
    });
  }

  #pump(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    const now = this.#clock.now();
    if (this.#block.ends(now)) this.#budget.ask();
    for (let head = this.#head(); head !== undefined; head = this.#head()) {
      const denied = this.#denial(head, now);
      if (denied !== undefined) {
        head.end(denied);
        continue;
      }
      this.#budget.pass({ now, inFlight: this.#inFlight });
      const chance = this.#nextChance(now);
      if (chance > now) {
        this.#sleep(head, chance, now);
        return;
      }
      head.end(this.#ticket(now));
    }
  }

  #head(): Waiter | undefined {
    for (const waiter of this.#again) return waiter;
    for (const waiter of this.#queue) return waiter;
    return undefined;
  }

  #denial({ deadline }: Waiter, now: number): Denied | undefined {
    const { patienceMs, askedUntil, until } = this.#block;
    if (now < until && askedUntil - now > patienceMs) {
      return { denied: "too-long", patienceMs, retryAfterSeconds: (askedUntil - now) / 1000 };
    }
    return now >= deadline ? { denied: "too-long", patienceMs: this.#maxWaitMs } : undefined;
  }

  /** Infinite when only an answer can tell. */
  #nextChance(now: number): number {
    // While the service blocks, nothing else counts: afterwards it is asked.
    if (this.#block.until > now) return this.#block.until;
    return this.#inFlight < MOST_IN_FLIGHT
      ? this.#budget.nextChance({ now, inFlight: this.#inFlight })
      : Number.POSITIVE_INFINITY;
  }

  #sleep(head: Waiter, chance: number, now: number): void {
    // An answer that is under way goes on from here; its time is bounded.
    if (chance === Number.POSITIVE_INFINITY) return;
    const wake = Math.min(chance, head.deadline, this.#tell(head, chance, now));
    this.#cancelWake = this.#clock.schedule(Math.max(1, wake - now), () => this.#pump());
  }

  /** Tells a long wait, and when to look at it again. */
  #tell({ since, onLongWait }: Waiter, chance: number, now: number): number {
    if (onLongWait === undefined) return Number.POSITIVE_INFINITY;
    const isLong = chance - now > LONG_WAIT_MS || now - since >= LONG_WAIT_MS;
    if (isLong && now - this.#toldAt >= TELL_EVERY_MS) {
      this.#toldAt = now;
      const isBlocked = this.#block.until > now;
      onLongWait({
        remainingMs: chance - now,
        waitedMs: now - since,
        reason: isBlocked ? "blocked" : this.#budget.isShared ? "shared" : "used-up",
        quota: this.#budget.quota,
      });
    }
    return Math.max(this.#toldAt + TELL_EVERY_MS, isLong ? now : since + LONG_WAIT_MS);
  }

  #ticket(now: number): Ticket {
    this.#inFlight += 1;
    const start = this.#budget.start(now);
    let isOpen = true;
    const close = () => {
      const wasOpen = isOpen;
      isOpen = false;
      if (wasOpen) this.#inFlight -= 1;
      return wasOpen;
    };
    return {
      done: (headers) => {
        if (!close()) return;
        this.#budget.end(start, headers, { now: this.#clock.now(), inFlight: this.#inFlight });
        const lesson = headers === undefined ? undefined : this.#block.answered(start.at);
        if (lesson !== undefined) this.#budget.learn(lesson);
        this.#pump();
      },
      refused: (askedMs, resetMs) => {
        if (!close()) return undefined;
        this.#budget.refuse(start);
        const wait = this.#block.refused(
          askedMs ?? this.#budget.withinWindow(resetMs),
          start.at,
          this.#clock.now(),
          this.#budget.windowMs,
        );
        this.#pump();
        return wait;
      },
    };
  }
}
