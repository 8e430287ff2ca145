import { plural } from "../../text/shown";
import type { Clock } from "../clock";
import { documented, type Quota, type RateHeaders } from "./rate-headers";

export interface Wish {
  readonly signal?: AbortSignal | undefined;
  /** Sent before and refused for the limit: precedes the others. */
  readonly isAgain?: boolean;
  /** Denied at once where the service blocks for as long. */
  readonly patienceMs?: number;
  /** Called for a wait of ten seconds or more, for one of the waiting requests, once a minute. */
  readonly onLongWait?: ((text: string) => void) | undefined;
}

/** The right to send one request. */
export interface Permit {
  readonly denied?: never;
  /** To be called once, with what the answer says about the limit; without it where no answer came. */
  end(rate?: RateHeaders): void;
}

/** `retryAfterMs`: for so long the service refuses all requests, if that is why. */
type Denied = { readonly denied: "aborted" | "too-long"; readonly retryAfterMs?: number };
type Waiter = Wish & { readonly since: number; readonly end: (result: Permit | Denied) => void };

/** More than these are never under way: what others use up is only seen in the next answer. */
const mostInFlight = 16;
/** After a refusal without a time; then doubled: the sixth probe comes right after the documented block. */
const firstWaitMs = 5000;
const longWaitMs = 10_000;
const reportEveryMs = 60_000;
const longestWaitMs = 3_600_000;

/**
 * Sends the requests of the process as fast as the service allows, first come, first served. A rolling window of our own
 * requests is held for each quota: those of `RateLimit-Policy` and the user's own (`ceiling`), else the documented one.
 * `RateLimit` may say that less is left; when that is used up, a single request asks at the reset before others follow.
 */
export class RateLimiter {
  #queue = new Set<Waiter>();
  #quotas: readonly Quota[];
  #inFlight = 0;
  /** When our requests were answered, as far back as the quotas count. */
  #ended: number[] = [];
  /** What may be sent before the service is asked again; infinite where it counts nothing down. Two at first, for one may hang. */
  #left = 2;
  /** When to ask it again; infinite while it is asked. */
  #askAt = Infinity;
  /** When it was asked: answers to what was sent before say nothing of what is left after. */
  #askedAt = -Infinity;
  /** Until then the service refuses all requests. */
  #blockedUntil = -Infinity;
  #refusals = 0;
  #reportedAt = -Infinity;
  #cancelWake: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly ceiling?: Quota,
    private readonly onSend?: () => void,
  ) {
    this.#quotas = [ceiling ?? documented];
  }

  /** Waits for its turn. Never rejects. */
  acquire(wish: Wish = {}): Promise<Permit | Denied> {
    const { signal, isAgain } = wish;
    return new Promise((resolve) => {
      const end = (result: Permit | Denied) => {
        this.#queue.delete(waiter);
        signal?.removeEventListener("abort", onAbort);
        resolve(result);
      };
      const onAbort = () => {
        end({ denied: "aborted" });
        this.#pump();
      };
      const waiter: Waiter = { ...wish, since: this.clock.now(), end };
      if (signal?.aborted) return end({ denied: "aborted" });
      this.#queue = isAgain ? new Set([waiter, ...this.#queue]) : this.#queue.add(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#pump();
    });
  }

  #pump(): void {
    this.#cancelWake?.();
    const now = this.clock.now();
    for (const head of this.#queue) {
      const blockedMs = this.#blockedUntil - now;
      const isBlocked = blockedMs >= Math.max(1, head.patienceMs ?? Infinity);
      if (isBlocked || now - head.since >= longestWaitMs) {
        head.end({ denied: "too-long", ...(isBlocked && { retryAfterMs: blockedMs }) });
        continue;
      }
      const at = this.#next(now);
      if (at > now) {
        this.#wait(head, at, now);
        return;
      }
      this.#inFlight += 1;
      this.#left -= 1;
      this.onSend?.();
      head.end({ end: (rate) => this.#end(now, rate) });
    }
  }

  #wait({ since, onLongWait }: Waiter, at: number, now: number): void {
    const [remainingMs, waitedMs] = [at - now, now - since];
    // What depends on an answer is not a wait for the limit.
    const isLong = at !== Infinity && Math.max(remainingMs, waitedMs) >= longWaitMs;
    if (isLong && now - this.#reportedAt >= reportEveryMs) {
      this.#reportedAt = now;
      const seconds = (ms: number) => `${Math.max(1, Math.round(ms / 1000))} s`;
      const waited = waitedMs < 1000 ? "" : ` after ${seconds(waitedMs)}`;
      const limits = this.#quotas.map(
        ({ limit, windowMs }) => `${plural(limit, "request")} in ${seconds(windowMs)}`,
      );
      const isBlocked = now < this.#blockedUntil;
      const why = isBlocked
        ? "the service has refused requests"
        : `the limit is used up (${limits.join(", ")})`;
      onLongWait?.(
        `Waiting for the rate limit of the service${waited}, up to ${seconds(remainingMs)} more: ${why}. Nothing is lost.`,
      );
    }
    const wakeMs = Math.max(1, Math.min(remainingMs, longWaitMs));
    this.#cancelWake = this.clock.schedule(wakeMs, () => this.#pump());
  }

  /** When the next request may be sent; infinite where that depends on an answer. */
  #next(now: number): number {
    if (this.#askAt <= now) [this.#left, this.#askAt, this.#askedAt] = [1, Infinity, now];
    const roomAt = this.#quotas.map(({ limit, windowMs }) => {
      // The service counts a request some time between its sending and its answer: it is kept until a window after that.
      const last = this.#ended[this.#ended.length - (limit - this.#inFlight)] ?? -Infinity;
      return this.#inFlight < limit ? last + windowMs + marginMs(windowMs) : Infinity;
    });
    const least = this.#left > 0 ? now : this.#askAt;
    return this.#inFlight >= mostInFlight ? Infinity : Math.max(least, ...roomAt);
  }

  #end(sentAt: number, rate: RateHeaders | undefined): void {
    const now = this.clock.now();
    this.#inFlight -= 1;
    if (this.#ended.push(now) > Math.max(...this.#quotas.map(({ limit }) => limit))) this.#ended.shift();
    const isLate = sentAt < Math.max(this.#blockedUntil, this.#askedAt);
    if (rate?.isRefusal) this.#block(rate.retryAfterMs ?? rate.resetMs, isLate, now);
    else if (rate !== undefined && !isLate) this.#hear(rate, now);
    // A failure says nothing: the next request may ask.
    else if (!isLate && this.#askAt === Infinity) this.#left += 1;
    this.#pump();
  }

  #block(askedMs: number | undefined, isLate: boolean, now: number): void {
    if (!isLate) this.#refusals += 1;
    // A time is trusted once: a service that says "now" and refuses again would be asked forever.
    const doubledMs = Math.min(documented.windowMs, firstWaitMs * 2 ** Math.max(0, this.#refusals - 1));
    const waitMs = this.#refusals <= 1 ? (askedMs ?? doubledMs) : Math.max(askedMs ?? 0, doubledMs);
    this.#blockedUntil = Math.max(this.#blockedUntil, now + waitMs);
    [this.#left, this.#askAt] = [0, this.#blockedUntil + marginMs(this.#blockedUntil - now)];
  }

  #hear({ quotas = [], remaining, resetMs }: RateHeaders, now: number): void {
    this.#refusals = 0;
    if (quotas.length > 0) this.#quotas = this.ceiling ? [this.ceiling, ...quotas] : quotas;
    const isAsked = this.#askAt === Infinity;
    if (remaining === undefined) {
      if (isAsked) this.#left = Infinity;
      return;
    }
    // Those under way when it was asked may not be counted yet; what was sent since then is subtracted already.
    this.#left = isAsked ? remaining - this.#inFlight : Math.min(remaining, this.#left);
    const untilMs = resetMs ?? this.#quotas[0]?.windowMs ?? documented.windowMs;
    this.#askAt = now + untilMs + marginMs(untilMs);
  }
}

/** Added to a time of the service: for rounded timers, the way of an answer, and a clock that ticks unlike ours. */
const marginMs = (ms: number) => Math.min(1000, Math.max(20, ms / 100));
