/** Form of the rate limit headers: `RateLimit: "default";r=50;t=8` and `RateLimit-Policy: "default";q=60;w=10`. */
export type RateHeaderForm = (typeof rateHeaderForms)[number];
export const rateHeaderForms = ["ratelimit"] as const;

/** Form of the header `retry-after` in a refusal: seconds, an HTTP date, or no header. */
export type RetryAfterForm = (typeof retryAfterForms)[number];
export const retryAfterForms = ["seconds", "date", "none"] as const;

/** A limit on the requests of all clients together, followed by a block, as in the public service (1,200 in 5 minutes). */
export interface RateLimitOptions {
  /** Number of requests that are allowed in a window. */
  readonly limit: number;
  readonly windowMs: number;
  /** Time for which every request gets a 429 once the limit is exceeded; with 0, only until the window has room again. */
  readonly blockMs: number;
  /** `sliding` (default): requests older than the window do not count. `fixed`: the count restarts with each window. */
  readonly counting?: "sliding" | "fixed";
  /** Headers in which every response reports the count. Default: `["ratelimit"]`; `[]` for no headers. */
  readonly headers?: readonly RateHeaderForm[];
  /** Form of the header `retry-after` in refusals. Default: `seconds`. */
  readonly retryAfter?: RetryAfterForm;
  /** Headers to leave out, as a service may do: `ratelimit-policy`, `retry-after`, ... */
  readonly omitHeaders?: readonly string[];
}

export interface Verdict {
  readonly blocked: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts the requests in a window. A request beyond the limit starts the block. */
export class RateLimit {
  private times: number[] = [];
  private blockedUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: RateLimitOptions,
    private readonly now: () => number,
  ) {}

  /** Uses up part of the budget, as another process of the same user would. */
  spend(requests: number): void {
    for (let spent = 0; spent < requests; spent += 1) this.count(this.now());
  }

  /** Counts one request and returns whether it is refused. */
  judge(): Verdict {
    const now = this.now();
    const blocked = now < this.blockedUntil || !this.count(now);
    return { blocked, headers: this.headers(now, blocked) };
  }

  /** Counts a request. Returns false if the limit is exceeded, which starts the block. */
  private count(now: number): boolean {
    const { windowMs, counting, limit, blockMs } = this.options;
    const start = Math.floor(now / windowMs) * windowMs;
    const isCounted = (time: number) => (counting === "fixed" ? time >= start : time > now - windowMs);
    if (!isCounted(this.times[0] ?? now)) this.times = this.times.filter(isCounted);
    if (this.times.length < limit) return this.times.push(now) > 0;
    this.blockedUntil = Math.max(this.blockedUntil, now + blockMs);
    return false;
  }

  private headers(now: number, blocked: boolean): Record<string, string> {
    const { limit, windowMs, counting, headers = ["ratelimit"], omitHeaders = [] } = this.options;
    const { retryAfter = "seconds" } = this.options;
    const [oldest = now] = this.times;
    // Time from which the oldest request no longer counts. With fixed windows, this is the end of the window, and from then on no
    // request of that window counts.
    const room = counting === "fixed" ? (Math.floor(now / windowMs) + 1) * windowMs : oldest + windowMs;
    const freeAt = Math.max(room, blocked ? this.blockedUntil : now);
    // Round up, because a client that returns at that second must not be refused again.
    const seconds = String(Math.max(1, Math.ceil((freeAt - now) / 1000)));
    const remaining = blocked ? 0 : limit - this.times.length;
    const date = () => new Date(Math.ceil(freeAt / 1000) * 1000).toUTCString();
    const all: Record<string, string> = {
      ...(blocked && retryAfter !== "none" && { "retry-after": retryAfter === "date" ? date() : seconds }),
      ...(headers.length > 0 && {
        "ratelimit-policy": `"default";q=${limit};w=${Math.ceil(windowMs / 1000)}`,
        ratelimit: `"default";r=${remaining};t=${seconds}`,
      }),
    };
    return Object.fromEntries(Object.entries(all).filter(([name]) => !omitHeaders.includes(name)));
  }
}
