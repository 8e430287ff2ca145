import { existsSync, statSync } from "node:fs";
import { apiSettings, plural, sleep, systemClock } from "pulumi-page-guard/tools";
import type { OwnFolder } from "../pulumi/own-folder";
import type { Session } from "../session";

/** A run with less would mostly wait. */
const least = 50;
const checkEveryMs = 1000;

/** Gives each run of a fleet what is left of the request limit after the runs of the last five minutes. */
export class Grants {
  readonly #limit: number;
  /** What a run may send while it runs, and has sent once it has ended; and when that no longer counts. */
  #runs: { requests: number; until: number }[] = [];
  #count = 0;

  constructor(
    private readonly session: Session,
    private readonly folder: OwnFolder,
    private readonly parallel: number,
  ) {
    this.#limit = apiSettings(session.env).window.limit;
  }

  /** Runs the work with a limit of its own, once there is one. */
  async with<T>(
    signal: AbortSignal,
    onWait: (text: string) => void,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const { clock = systemClock, env } = this.session;
    for (let isTold = false; this.#left(clock) < Math.min(least, this.#limit) && !signal.aborted; ) {
      if (!isTold)
        onWait(`waiting for the rate limit: ${this.#left(clock)} left of ${plural(this.#limit, "request")}`);
      isTold = true;
      await sleep(clock, checkEveryMs, signal);
    }
    const share = Math.max(least, Math.floor(this.#limit / this.parallel));
    const run = {
      requests: Math.max(1, Math.min(this.#left(clock), share)),
      until: Number.POSITIVE_INFINITY,
    };
    this.#runs.push(run);
    this.#count += 1;
    const file = this.folder.at(`requests-${this.#count}`);
    try {
      return await work({
        ...this.session,
        env: { ...env, PAGE_GUARD_MAX_REQUESTS_PER_5M: `${run.requests} > ${file}` },
      });
    } finally {
      run.requests = existsSync(file) ? statSync(file).size : 0;
      run.until = clock.now() + apiSettings(env).window.windowMs;
    }
  }

  #left(clock: { now(): number }): number {
    this.#runs = this.#runs.filter(({ until }) => until > clock.now());
    return this.#runs.reduce((sum, { requests }) => sum - requests, this.#limit);
  }
}
