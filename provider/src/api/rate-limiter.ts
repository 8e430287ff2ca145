import type { Clock } from "./clock";
import type { RateHeaders } from "./retry-after";

export interface RateLimiterOptions {
  readonly clock: Clock;
  /** Requests that may be sent within any `windowMs`. */
  readonly maxRequests: number;
  /** Length of the rolling window in milliseconds. */
  readonly windowMs: number;
  /** The longest time that a request may queue. Default: one hour. */
  readonly maxWaitMs?: number;
}

/** The right to send one request. Must be given back with `done`, whatever became of the request. */
export interface Ticket {
  readonly denied?: never;
  /** The answer arrived (with its headers), or the request failed (without). */
  done(headers?: RateHeaders): void;
}

/** Why no ticket was given. */
export type Denied =
  | { readonly denied: "aborted" }
  /** It would take longer than `patienceMs`; the service asks for `retryAfterSeconds` more, when it is blocking. */
  | { readonly denied: "too-long"; readonly patienceMs: number; readonly retryAfterSeconds?: number };

/** What the service said last about the budget that all of the user's programs share. */
interface ServerBudget {
  /** Tickets that may still be given before the service has to be heard again. */
  left: number;
  /** When this stops to hold; then one request may go out to hear how things stand. */
  until: number;
}

interface Waiter {
  readonly grant: (result: Ticket | Denied) => void;
}

/** In flight at most until the first answer has told whether the service counts, and how much is left. */
const FIRST_FLIGHT = 8;
/** More than these are never under way: what others use up is only seen in the next answer. */
const MOST_IN_FLIGHT = 16;
/** A block that lasts longer than this is not waited for: twice the five minutes that the documented one lasts. */
const LONGEST_BLOCK_MS = 600_000;

/**
 * A rolling window over all requests of the process, first come, first served.
 *
 * The service counts a request when it arrives, which is some time between its sending and its answer. A request
 * is therefore kept in the window from its sending until `windowMs` after its answer: then the service has
 * forgotten it, however long the way was. So this client alone never exceeds the limit.
 *
 * Other programs of the same user are seen through the `x-ratelimit-*` headers, which only ever slow this down.
 */
export class RateLimiter {
  readonly windowMs: number;
  readonly #clock: Clock;
  readonly #maxRequests: number;
  readonly #maxWaitMs: number;
  /** For rounded timers and a service whose clock ticks unlike ours. */
  readonly #marginMs: number;
  readonly #queue = new Set<Waiter>();
  /** When each answered request leaves the window, ascending. */
  readonly #leaves: number[] = [];
  #inFlight = 0;
  #answered = 0;
  #limit: number;
  #blockedUntil = Number.NEGATIVE_INFINITY;
  #server: ServerBudget | undefined = { left: FIRST_FLIGHT, until: Number.POSITIVE_INFINITY };
  #cancelWake: (() => void) | undefined;

  constructor({ clock, maxRequests, windowMs, maxWaitMs = 3_600_000 }: RateLimiterOptions) {
    this.#clock = clock;
    this.#maxRequests = maxRequests;
    this.#limit = maxRequests;
    this.windowMs = windowMs;
    this.#maxWaitMs = maxWaitMs;
    this.#marginMs = Math.max(20, windowMs / 100);
  }

  /** Waits for its turn. Never rejects. */
  acquire(signal?: AbortSignal): Promise<Ticket | Denied> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve({ denied: "aborted" });
      const end = (result: Ticket | Denied) => {
        this.#queue.delete(waiter);
        cancel();
        signal?.removeEventListener("abort", onAbort);
        resolve(result);
      };
      const waiter: Waiter = { grant: end };
      const onAbort = () => end({ denied: "aborted" });
      const cancel = this.#clock.schedule(this.#maxWaitMs, () =>
        end({ denied: "too-long", patienceMs: this.#maxWaitMs }),
      );
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#queue.add(waiter);
      this.#pump();
    });
  }

  /** The service said 429: nobody sends before this is over. */
  block(ms: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, this.#clock.now() + ms);
    this.#server = this.#question();
    this.#pump();
  }

  #pump(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    const now = this.#clock.now();
    while (this.#leaves[0] !== undefined && this.#leaves[0] <= now) this.#leaves.shift();
    if (this.#server !== undefined && this.#server.until <= now) {
      // What the service said is over: ask it again with a single request instead of a burst.
      this.#server = this.#question();
    }
    const blockMs = this.#blockedUntil - now;
    for (const waiter of this.#queue) {
      if (blockMs > LONGEST_BLOCK_MS) {
        waiter.grant({ denied: "too-long", patienceMs: LONGEST_BLOCK_MS, retryAfterSeconds: blockMs / 1000 });
        continue;
      }
      if (!this.#mayStart(now)) break;
      waiter.grant(this.#ticket());
    }
    if (this.#queue.size === 0) return;
    const wake = this.#nextChance(now);
    // Without a next point in time it is an answer under way that goes on from here.
    if (wake !== undefined) {
      this.#cancelWake = this.#clock.schedule(wake - now, () => this.#pump());
    }
  }

  /** Leave for one request that asks how things stand; those under way ask as well. */
  #question(): ServerBudget {
    return { left: this.#inFlight === 0 ? 1 : 0, until: Number.POSITIVE_INFINITY };
  }

  #mayStart(now: number): boolean {
    return (
      now >= this.#blockedUntil &&
      this.#inFlight < MOST_IN_FLIGHT &&
      this.#inFlight + this.#leaves.length < this.#limit &&
      (this.#server === undefined || this.#server.left > 0)
    );
  }

  #nextChance(now: number): number | undefined {
    const times = [];
    if (this.#blockedUntil > now) times.push(this.#blockedUntil);
    const full = this.#inFlight + this.#leaves.length >= this.#limit;
    if (full && this.#leaves[0] !== undefined) times.push(this.#leaves[0]);
    if (this.#server !== undefined && this.#server.left <= 0 && Number.isFinite(this.#server.until)) {
      times.push(this.#server.until);
    }
    return times.length === 0 ? undefined : Math.max(now + 1, Math.min(...times));
  }

  #ticket(): Ticket {
    this.#inFlight += 1;
    if (this.#server !== undefined) this.#server.left -= 1;
    const answeredBefore = this.#answered;
    let open = true;
    return {
      done: (headers) => {
        if (!open) return;
        open = false;
        this.#inFlight -= 1;
        this.#answered += 1;
        const now = this.#clock.now();
        this.#leaves.push(now + this.windowMs + this.#marginMs);
        // Answers overtake each other. Every request whose time overlapped with this one may have been counted
        // after this answer was written, so none of them is in its `remaining`.
        const overlapping = this.#answered - answeredBefore - 1 + this.#inFlight;
        this.#hear(headers, overlapping, now);
        this.#pump();
      },
    };
  }

  #hear(headers: RateHeaders | undefined, overlapping: number, now: number): void {
    if (headers?.limit !== undefined && headers.limit > 0) {
      this.#limit = Math.min(this.#maxRequests, Math.max(1, Math.floor(headers.limit)));
    }
    if (headers?.remaining === undefined) {
      if (this.#server?.until !== Number.POSITIVE_INFINITY) return;
      // A failure has told nothing: the next one may ask. An answer without a count: the service does not tell.
      if (headers === undefined) this.#server.left += 1;
      else this.#server = undefined;
      return;
    }
    const reserve = Math.ceil(this.#limit / 50);
    // Half of what is left: somebody else may be doing the same sum at this moment.
    const share = Math.floor((headers.remaining - reserve) / 2) - overlapping;
    const probe = this.#inFlight === 0 && headers.remaining > reserve ? 1 : 0;
    this.#server = {
      left: Math.max(share, probe),
      until: now + (headers.resetMs ?? this.windowMs) + this.#marginMs,
    };
  }
}
