import { existsSync, statSync } from "node:fs";
import { apiSettings, pluralize, sleep, systemClock } from "pulumi-page-guard/tools";
import type { OwnFolder } from "../pulumi/own-folder";
import type { Session } from "../shared/session";
import { sumUp } from "../shared/values";

/** Minimum number of requests for a run. With fewer requests, a run would mostly wait. */
const least = 50;
const checkEveryMs = 1000;

/** Divides the rate limit (requests per five minutes) among the runs of a fleet. */
export class Grants {
  readonly #window;
  readonly #clock;
  /**
   * For each run, the number of requests that it may send or, after its end, that it has sent. The number counts against the
   * limit until the time `until`.
   */
  readonly #runs: { requests: number; until: number }[] = [];

  constructor(
    private readonly session: Session,
    private readonly folder: OwnFolder,
    private readonly parallel: number,
  ) {
    this.#window = apiSettings(session.env).window;
    this.#clock = session.clock ?? systemClock;
  }

  /** Waits until enough requests are left, then runs the work with a request limit of its own. */
  async with<T>(signal: AbortSignal, onWait: (text: string) => void, work: (session: Session) => Promise<T>) {
    const { limit, windowMs } = this.#window;
    const isScarce = () => this.#left() < Math.min(least, limit) && !signal.aborted;
    if (isScarce())
      onWait(`waiting for the rate limit: ${this.#left()} of ${pluralize(limit, "request")} left`);
    while (isScarce()) await sleep(this.#clock, checkEveryMs, signal);
    const share = Math.max(least, Math.floor(limit / this.parallel));
    const requests = Math.max(1, Math.min(this.#left(), share));
    const run = { requests, until: Number.POSITIVE_INFINITY };
    const file = this.folder.at(`requests-${this.#runs.push(run)}`);
    const env = {
      ...this.session.env,
      PAGE_GUARD_MAX_REQUESTS_PER_5M: String(requests),
      PAGE_GUARD_REQUESTS_FILE: file,
    };
    try {
      return await work({ ...this.session, env });
    } finally {
      run.requests = existsSync(file) ? statSync(file).size : 0;
      run.until = this.#clock.now() + windowMs;
    }
  }

  #left(): number {
    const counted = this.#runs.filter(({ until }) => until > this.#clock.now());
    return this.#window.limit - sumUp(counted, ({ requests }) => requests);
  }
}
