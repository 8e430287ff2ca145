import { type RateHeaderForm, type RetryAfterForm, rateHeaders, retryAfterHeader } from "./rate-headers";

/** A limit over all requests of all clients, with a block, as the public service has it (1,200 in 5 minutes). */
export interface RateLimitOptions {
  /** Requests in a window. */
  readonly limit: number;
  readonly windowMs: number;
  /** How long every request is answered 429 once the limit was passed; 0: only until there is room again. */
  readonly blockMs: number;
  /** `sliding` (default): what is older than the window does not count. `fixed`: the count restarts with each window of the clock. */
  readonly counting?: "sliding" | "fixed";
  /** How every answer reports the count. Default: `["ratelimit"]`; `[]`: not at all. */
  readonly headers?: readonly RateHeaderForm[];
  /** How a refusal says when to return. Default: `seconds`. */
  readonly retryAfter?: RetryAfterForm;
  /** Single headers to leave out, as a service may: `ratelimit-policy`, `retry-after`, ... */
  readonly omitHeaders?: readonly string[];
}

export interface Verdict {
  readonly blocked: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts the requests of a window; passing the limit starts the block. */
export class RateLimit {
  private times: number[] = [];
  private blockedUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: RateLimitOptions,
    private readonly now: () => number,
  ) {}

  /** Uses up part of the budget, as another process of the same user would. */
  spend(requests: number): void {
    const now = this.now();
    this.forget(now);
    for (let spent = 0; spent < requests; spent += 1) this.count(now);
  }

  /** Counts one request and says whether it is refused. */
  judge(): Verdict {
    const now = this.now();
    this.forget(now);
    const blocked = now < this.blockedUntil || !this.count(now);
    return { blocked, headers: this.headers(now, blocked) };
  }

  /** False: it is one too many, which starts the block. */
  private count(now: number): boolean {
    if (this.times.length < this.options.limit) {
      this.times.push(now);
      return true;
    }
    this.blockedUntil = Math.max(this.blockedUntil, now + this.options.blockMs);
    return false;
  }

  private forget(now: number): void {
    const { windowMs, counting } = this.options;
    const fixedStart = Math.floor(now / windowMs) * windowMs;
    const isCounted = (time: number) => (counting === "fixed" ? time >= fixedStart : time > now - windowMs);
    const kept = this.times.findIndex(isCounted);
    if (kept !== 0) this.times = kept < 0 ? [] : this.times.slice(kept);
  }

  private headers(now: number, blocked: boolean): Record<string, string> {
    const { limit, windowMs, headers = ["ratelimit"], omitHeaders = [] } = this.options;
    const { retryAfter = "seconds" } = this.options;
    const freeAt = Math.max(this.roomAt(now), blocked ? this.blockedUntil : now);
    const remaining = blocked ? 0 : limit - this.times.length;
    const all = {
      ...(blocked && retryAfterHeader(retryAfter, freeAt, now)),
      ...(headers.length > 0 && rateHeaders({ now, limit, windowMs, remaining, freeAt })),
    };
    const sent = Object.entries(all).filter(([name]) => !omitHeaders.includes(name.toLowerCase()));
    return Object.fromEntries(sent);
  }

  /** When a request is forgotten: the next one, or with a fixed window all of them. */
  private roomAt(now: number): number {
    const { windowMs, counting } = this.options;
    const [oldest = now] = this.times;
    return counting === "fixed" ? (Math.floor(now / windowMs) + 1) * windowMs : oldest + windowMs;
  }
}
