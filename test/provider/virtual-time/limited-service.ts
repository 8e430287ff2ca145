import type { PageGuardClient } from "../../../provider/src/api/create-client";
import { createClient } from "../../../provider/src/api/create-client";
import type { Transport } from "../../../provider/src/api/http/transport";
import { RateLimiter } from "../../../provider/src/api/rate-limit/rate-limiter";
import { RateLimit, type RateLimitOptions } from "../../../simulator/src/wire/rate-limit";
import type { FakeClock } from "./fake-clock";

/** A request as the service saw it. */
export interface Seen {
  readonly at: number;
  readonly method: string;
  readonly refused: boolean;
  /** Number of requests under way when it arrived, including itself. */
  readonly inFlight: number;
}

export interface LimitedServiceOptions {
  /** Latency in milliseconds of each direction, or a function if it varies. */
  readonly wayMs?: number | (() => number);
}

/** A service with nothing but a rate limit, in virtual time. */
export class LimitedService {
  readonly seen: Seen[] = [];
  readonly limit: RateLimit;
  #inFlight = 0;

  constructor(
    readonly clock: FakeClock,
    limit: RateLimitOptions,
    private readonly options: LimitedServiceOptions = {},
  ) {
    this.limit = new RateLimit(limit, () => clock.epochNow());
  }

  get refused(): number {
    return this.seen.filter(({ refused }) => refused).length;
  }

  /** The longest time without a request. */
  get longestPauseMs(): number {
    return Math.max(0, ...this.seen.map(({ at }, index) => at - (this.seen[index - 1]?.at ?? at)));
  }

  /** Returns a client like that of a separate process. */
  client(options: Parameters<typeof createClient>[1] = {}): PageGuardClient {
    const limiter = new RateLimiter(this.clock);
    const connection = { baseUrl: "https://limited.example/v4", token: "t", service: "page_guard" } as const;
    return createClient(connection, {
      clock: this.clock,
      limiter,
      transport: this.transport,
      random: () => 0.5,
      env: {},
      ...options,
    });
  }

  readonly transport: Transport = (request) =>
    new Promise((resolve) => {
      this.clock.schedule(this.#way(), () => {
        this.#inFlight += 1;
        const { blocked, headers } = this.limit.judge();
        this.seen.push({
          at: this.clock.now(),
          method: request.method,
          refused: blocked,
          inFlight: this.#inFlight,
        });
        this.clock.schedule(this.#way(), () => {
          this.#inFlight -= 1;
          resolve({
            answer: {
              status: blocked ? 429 : 200,
              headers,
              body: blocked ? REFUSAL : JSON.stringify({ success: true, result: resultOf(request) }),
            },
          });
        });
      });
    });

  #way(): number {
    const { wayMs = 10 } = this.options;
    return typeof wayMs === "number" ? wayMs : wayMs();
  }
}

const REFUSAL = JSON.stringify({
  success: false,
  errors: [{ code: 10100, message: "slow down" }],
  result: null,
});

function resultOf({ method }: Parameters<Transport>[0]): object {
  if (method === "GET") return { enabled: true };
  return { id: "p", description: "", action: "log", expression: "true", enabled: true, value: "" };
}
