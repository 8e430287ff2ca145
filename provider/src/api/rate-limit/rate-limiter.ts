import { pluralize } from "../../text/shown";
import type { Clock } from "../clock";
import { documented, type Quota, type RateHeaders } from "./rate-headers";

export interface Wish {
  readonly signal?: AbortSignal | undefined;
  /** Whether the request was already refused because of the limit. Such a request goes ahead of all waiting requests. */
  readonly isAgain?: boolean;
  /** Whether to send the request at once, unless the service refuses requests. Use it for a read that another request waits for. */
  readonly isUrgent?: boolean | undefined;
  /** Ends a wait for the limit. Unlike `signal`, it does not end a request that does not have to wait. */
  readonly waitSignal?: AbortSignal | undefined;
  /** Maximum wait for a block to end. The request is denied at once if the service will refuse requests for that long or longer. */
  readonly patienceMs?: number;
  /** Called for one of the waiting requests if a wait lasts ten seconds or more, at most once a minute. */
  readonly onLongWait?: ((text: string) => void) | undefined;
}

/** Function to call once after the request: with the rate headers of the response, or without them if no response arrived. */
export type Permit = (rate?: RateHeaders) => void;

/** Reason why a request is not sent. `retryAfterMs`: for `too-long`, how much longer the service refuses all requests. */
type Denied = { readonly denied: "aborted" | "too-long"; readonly retryAfterMs?: number };
type Waiter = Wish & { readonly since: number; readonly end: (result: Permit | Denied) => void };

/**
 * Maximum number of requests in flight. It is low, because other programs can use up the same limit, and the limiter learns only
 * from responses how many requests are left.
 */
const mostInFlight = 16;
/** Wait after a refusal that names no time. Each refusal doubles the wait, so a 5-minute block ends before the sixth retry. */
const firstWaitMs = 5000;
const longWaitMs = 10_000;
const reportEveryMs = 60_000;
/** Time to add to a wait that the service asks for: timers round, responses travel, and clocks run at different speeds. */
const marginMs = (ms: number) => Math.min(1000, Math.max(20, ms / 100));

/**
 * Lets requests pass as fast as the service allows: first come, first served, but refused and urgent requests go first. Counts
 * our own requests in a rolling window for each quota: the quotas of `RateLimit-Policy` and the user's own quota (`ceiling`), or
 * the documented quota if there are none. The last `RateLimit` header says how many more requests are allowed (the count). Once
 * that many have been sent, the others wait for the reset. Then a single request asks for a new count, and the others follow
 * after its response.
 */
export class RateLimiter {
  #queue = new Set<Waiter>();
  #quotas: readonly Quota[];
  #inFlight = 0;
  /** Times at which our requests ended, with or without a response. */
  #ended: number[] = [];
  /**
   * Number of requests that may be sent before a single request has to ask for a new count; infinite if the service sends no
   * count. Starts with two, because one request can hang.
   */
  #left = 2;
  /** Time at which a single request may ask the service for a new count; infinite while such a request is in flight. */
  #askAt = Infinity;
  /** Time until which the service refuses all requests. */
  #blockedUntil = -Infinity;
  /** Minimum wait after the next refusal. Each refusal doubles this wait, until a request is accepted. */
  #leastBlockMs = 0;
  #reportedAt = -Infinity;
  #cancelWake: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly ceiling?: Quota,
    private readonly onSend?: () => void,
  ) {
    this.#quotas = [ceiling ?? documented];
  }

  /** Waits until a request may be sent. Never rejects. */
  acquire({ signal, waitSignal, isAgain, ...wish }: Wish = {}): Promise<Permit | Denied> {
    return new Promise((resolve) => {
      const end = (result: Permit | Denied) => {
        this.#queue.delete(waiter);
        signal?.removeEventListener("abort", proceed);
        waitSignal?.removeEventListener("abort", proceed);
        resolve(result);
      };
      const waiter: Waiter = { ...wish, since: this.clock.now(), end };
      const proceed = () => {
        if (signal?.aborted) end({ denied: "aborted" });
        this.#pump();
        if (waitSignal?.aborted) end({ denied: "aborted" });
      };
      this.#queue = isAgain || wish.isUrgent ? new Set([waiter, ...this.#queue]) : this.#queue.add(waiter);
      signal?.addEventListener("abort", proceed);
      waitSignal?.addEventListener("abort", proceed);
      proceed();
    });
  }

  #pump(): void {
    this.#cancelWake?.();
    const now = this.clock.now();
    for (const head of this.#queue) {
      const blockedMs = this.#blockedUntil - now;
      const at = this.#next(now);
      if (blockedMs > 0 && blockedMs >= (head.patienceMs ?? Infinity)) {
        head.end({ denied: "too-long", retryAfterMs: blockedMs });
      } else if (at > now && (blockedMs > 0 || !head.isUrgent)) {
        // The request waits for another request to end, not for the limit. `#end` then calls `#pump` again.
        if (at === Infinity) return;
        this.#report(head, at, now);
        this.#cancelWake = this.clock.schedule(Math.min(at - now, longWaitMs), () => this.#pump());
        return;
      } else {
        this.#inFlight += 1;
        this.#left -= 1;
        this.onSend?.();
        head.end((rate) => this.#end(now, rate));
      }
    }
  }

  #report({ since, onLongWait }: Waiter, at: number, now: number): void {
    if (Math.max(at - now, now - since) < longWaitMs || now - this.#reportedAt < reportEveryMs) return;
    this.#reportedAt = now;
    const limits = this.#quotas.map(
      (one) => `${pluralize(one.limit, "request")} in ${one.windowMs / 1000} s`,
    );
    const isBlocked = now < this.#blockedUntil;
    const why = isBlocked
      ? "the service has refused requests"
      : `the limit is used up (${limits.join(", ")})`;
    const most = `up to ${Math.ceil((at - now) / 1000)} s more`;
    onLongWait?.(`Waiting for the rate limit of the service, ${most}: ${why}. Nothing is lost.`);
  }

  /** Returns when the next request may be sent; infinite if the time depends on a response. */
  #next(now: number): number {
    if (this.#askAt <= now) [this.#left, this.#askAt] = [1, Infinity];
    const roomAt = this.#quotas.map(({ limit, windowMs }) => {
      // The service counts a request at some time before its response, so we count it until one window after the response.
      const last = this.#ended.at(this.#inFlight - limit) ?? -Infinity;
      return this.#inFlight < limit ? last + windowMs + marginMs(windowMs) : Infinity;
    });
    const least = this.#left > 0 ? now : this.#askAt;
    return this.#inFlight < mostInFlight ? Math.max(least, ...roomAt) : Infinity;
  }

  #end(sentAt: number, rate: RateHeaders | undefined): void {
    const now = this.clock.now();
    this.#inFlight -= 1;
    this.#ended.push(now);
    const isLate = sentAt < this.#blockedUntil;
    if (rate?.isRefusal) this.#block(rate.retryAfterMs ?? rate.resetMs, isLate, now);
    else if (rate !== undefined && !isLate) this.#hear(rate);
    // A request without a response brings no count, so another request may ask for the count.
    else if (!isLate && this.#askAt === Infinity) this.#left += 1;
    this.#pump();
  }

  #block(askedMs: number | undefined, isLate: boolean, now: number): void {
    // Trusts the time in a refusal only once. Otherwise a service that says "now" and refuses again would get endless requests.
    const waitMs = isLate ? (askedMs ?? 0) : Math.max(askedMs ?? firstWaitMs, this.#leastBlockMs);
    if (!isLate) this.#leastBlockMs = Math.min(documented.windowMs, 2 * (this.#leastBlockMs || firstWaitMs));
    this.#blockedUntil = Math.max(this.#blockedUntil, now + waitMs);
    [this.#left, this.#askAt] = [0, this.#blockedUntil + marginMs(this.#blockedUntil - now)];
  }

  #hear({ quotas = [], remaining = Infinity, resetMs = documented.windowMs }: RateHeaders): void {
    this.#leastBlockMs = 0;
    if (quotas.length > 0) this.#quotas = this.ceiling ? [this.ceiling, ...quotas] : quotas;
    // The service's count may ignore requests in flight, so they are subtracted, unless `#left` already excludes them.
    const isAsked = this.#askAt === Infinity;
    this.#left = isAsked ? remaining - this.#inFlight : Math.min(remaining, this.#left);
    if (remaining !== Infinity) this.#askAt = this.clock.now() + resetMs + marginMs(resetMs);
  }
}
