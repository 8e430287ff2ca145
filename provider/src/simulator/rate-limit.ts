/** A limit over all requests of all clients, with a block, as the public service has it (1,200 in 5 minutes). */
export interface RateLimitOptions {
  /** Requests in a window. */
  readonly limit: number;
  readonly windowMs: number;
  /** How long every request is answered 429 once the limit was passed. */
  readonly blockMs: number;
  /** Headers to leave out, as a service may: `retry-after`, `x-ratelimit-limit`, `x-ratelimit-remaining`, `x-ratelimit-reset`. */
  readonly omitHeaders?: readonly string[];
  /** `x-ratelimit-reset` in seconds from now (default) or in seconds since 1970. */
  readonly reset?: "delta" | "epoch";
}

export interface Verdict {
  readonly blocked: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts requests in a sliding window; passing the limit starts the block. */
export class RateLimit {
  private times: number[] = [];
  private blockedUntil = 0;

  constructor(
    private readonly options: RateLimitOptions,
    private readonly now: () => number,
  ) {}

  /** Uses up part of the budget, as another process of the same user would. */
  spend(requests: number): void {
    const now = this.now();
    this.forget(now);
    for (let spent = 0; spent < requests; spent += 1) this.times.push(now);
    if (this.times.length > this.options.limit) this.block(now);
  }

  /** Counts one request and says whether it is refused. */
  judge(): Verdict {
    const now = this.now();
    this.forget(now);
    if (now >= this.blockedUntil) {
      this.times.push(now);
      if (this.times.length > this.options.limit) this.block(now);
    }
    const blocked = now < this.blockedUntil;
    return { blocked, headers: this.headers(now, blocked) };
  }

  private forget(now: number): void {
    const oldest = now - this.options.windowMs;
    const kept = this.times.findIndex((time) => time > oldest);
    if (kept !== 0) this.times = kept < 0 ? [] : this.times.slice(kept);
  }

  private block(now: number): void {
    this.blockedUntil = now + this.options.blockMs;
    this.times = [];
  }

  private headers(now: number, blocked: boolean): Record<string, string> {
    const { limit, windowMs, omitHeaders = [], reset = "delta" } = this.options;
    const freeAt = blocked ? this.blockedUntil : (this.times[0] ?? now) + windowMs;
    const seconds = Math.max(1, Math.ceil((freeAt - now) / 1000));
    const all: Record<string, string> = {
      ...(blocked ? { "retry-after": String(seconds) } : {}),
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(blocked ? 0 : Math.max(0, limit - this.times.length)),
      "x-ratelimit-reset": String(reset === "delta" ? seconds : Math.ceil(freeAt / 1000)),
    };
    return Object.fromEntries(Object.entries(all).filter(([name]) => !omitHeaders.includes(name)));
  }
}
