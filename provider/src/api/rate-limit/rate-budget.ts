import { documented, type Quota, type RateHeaders } from "./rate-headers";

/** More than these are never under way: what others use up is only seen in the next answer. */
const mostInFlight = 16;
/** As many as the user's own limit may have. */
const mostKept = 1_000_000;
/** After a refusal without a time; then doubled: the sixth probe comes right after the documented block. */
const firstWaitMs = 5000;

/**
 * How many requests may be sent: as many as the service says are left; when they are used up, a single one asks at the
 * time of the reset before others follow. Limits with a window, the user's own (`ceiling`) among them, and the documented
 * one where nothing is counted down are held by counting our own requests.
 */
export class RateBudget {
  /** Until then the service refuses all requests. */
  blockedUntil = -Infinity;
  readonly #log = new RequestLog();
  #quotas: readonly Quota[] = [];
  /** What may be sent before the service is asked again; infinite where it counts nothing down. */
  #left = 0;
  /** When to ask it again, a little after there is room; infinite while it is asked. */
  #askAt = -Infinity;
  /** All requests since it was asked: when, and how many. */
  #burst = { since: 0, count: 0 };
  /** The limit that it counts down. Its window is the longest reset where it is not named. */
  #counted: Quota | undefined;
  #isShared = false;
  /** First refusals and refused probes since it was ready. */
  #refusals = 0;
  /** Added to its times where they have turned out to be rounded down. */
  #lateMs = 0;

  constructor(private readonly ceiling?: Quota) {}

  /** When the next request may be sent, infinite where that depends on an answer; and what it waits for. */
  next(now: number) {
    // What the service said has expired: a single request probes, instead of a burst. Two at first, for one may hang.
    if (this.#askAt <= now) {
      [this.#left, this.#askAt] = [this.#askAt === -Infinity ? 2 : 1, Infinity];
      this.#burst = { since: now, count: this.#log.inFlight };
    }
    let [at, quota] = [this.#left > 0 ? now : this.#askAt, this.#counted];
    const isOwnHeld = this.ceiling !== undefined || (this.#left === Infinity && this.#quotas.length === 0);
    for (const held of isOwnHeld ? [this.ceiling ?? documented, ...this.#quotas] : this.#quotas) {
      const roomAt = this.#log.roomAt(held, now);
      if (roomAt > at) [at, quota] = [roomAt, held];
    }
    if (this.#log.inFlight >= mostInFlight) at = Infinity;
    const reason = now < this.blockedUntil ? "blocked" : this.#isShared ? "shared" : "used-up";
    return { at, quota, reason } as const;
  }

  start(): void {
    this.#log.inFlight += 1;
    this.#left -= 1;
    this.#burst.count += 1;
  }

  /** The answer to one that was sent at `sentAt` has come; without headers: it failed. */
  end(sentAt: number, rate: RateHeaders | undefined, now: number): void {
    this.#log.end(now);
    // Those that were under way when a block began, or when it was asked, say nothing of what is left after that.
    const isLate = sentAt < Math.max(this.blockedUntil, this.#burst.since);
    if (rate?.isRefusal) this.#block(rate, isLate, now);
    else if (isLate) return;
    else if (rate !== undefined) this.#hear(rate, now);
    // A failure says nothing: the next request may probe.
    else if (this.#askAt === Infinity) this.#left += 1;
  }

  /** One that was started and never sent. What the service says is left is not raised: it may have answered since. */
  giveBack(startedAt: number): void {
    this.#log.inFlight -= 1;
    if (startedAt >= this.#burst.since && this.#askAt === Infinity) this.#left += 1;
  }

  #block({ retryAfterMs, resetMs }: RateHeaders, isLate: boolean, now: number): void {
    // A probe at the time of the reset came too early.
    const isEarly = this.#askAt === Infinity && this.#counted !== undefined && this.#refusals === 0;
    if (isEarly && !isLate) this.#lateMs = 1000;
    if (!isLate) this.#refusals += 1;
    const askedMs = retryAfterMs ?? resetMs;
    // A time is trusted once: a service that says "now" and refuses again would be asked forever.
    const doubledMs = Math.min(documented.windowMs, firstWaitMs * 2 ** Math.max(0, this.#refusals - 1));
    const waitMs = Math.max(askedMs ?? 0, askedMs !== undefined && this.#refusals <= 1 ? 0 : doubledMs);
    this.blockedUntil = Math.max(this.blockedUntil, now + waitMs);
    [this.#left, this.#askAt] = [0, this.blockedUntil + marginMs(this.blockedUntil - now)];
  }

  #hear({ quotas = [], limit, remaining, isResetDate, ...rate }: RateHeaders, now: number): void {
    this.#refusals = 0;
    if (quotas.length > 0) this.#quotas = quotas;
    if (remaining === undefined) {
      if (this.#askAt === Infinity) this.#left = Infinity;
      return;
    }
    const { inFlight } = this.#log;
    const resetMs = rate.resetMs ?? rate.windowMs ?? documented.windowMs;
    const windowMs = rate.windowMs ?? Math.max(resetMs, this.#counted?.windowMs ?? 0);
    this.#counted = limit === undefined ? undefined : { limit, windowMs };
    // Others use the limit too where it counts more than we sent; those under way may be counted or not.
    const counted = limit === undefined ? 0 : limit - remaining;
    const oldest = this.#log.latest(Math.max(1, counted - inFlight)) ?? -Infinity;
    this.#isShared = counted > inFlight && oldest <= now - windowMs - marginMs(windowMs);
    // Half of it then, for they do the same sum at this moment. Else what was left before; or all that is left but what
    // may have been counted after the answer was written.
    const { since, count } = this.#burst;
    const before = this.#askAt === Infinity ? remaining - Math.min(count - 1, mostInFlight) : this.#left;
    this.#left = this.#isShared ? Math.floor(remaining / 2) - inFlight : Math.min(remaining, before);
    // All that is counted was sent since then, and windows have whole seconds.
    const isExact = isResetDate && inFlight === 0 && counted === count;
    const room = isExact ? Math.min(resetMs, Math.floor((now + resetMs - since) / 1000) * 1000) : resetMs;
    this.#askAt = now + room + marginMs(room) + this.#lateMs;
  }
}

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
