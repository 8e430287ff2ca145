import { existsSync, statSync } from "node:fs";
import { apiSettings, sleep, systemClock } from "pulumi-page-guard/tools";
import type { OwnFolder } from "../pulumi/own-folder";
import type { Session } from "../session";

/** A run with less would mostly wait. */
const least = 50;
const checkEveryMs = 1000;

/** Requests of a run: what it may send while it runs, what it has sent once it has ended. */
interface Run {
  requests: number;
  /** When they no longer count. */
  until: number;
}

/** Gives each run of a fleet what is left of the request limit after the runs of the last five minutes. */
export class Grants {
  readonly #limit: number;
  #runs: Run[] = [];
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
    const share = Math.max(least, Math.floor(this.#limit / this.parallel));
    let left = this.#left(clock.now());
    for (let isTold = false; left < Math.min(least, this.#limit) && !signal.aborted; ) {
      const seconds = Math.ceil((Math.min(...this.#runs.map(({ until }) => until)) - clock.now()) / 1000);
      if (!isTold && Number.isFinite(seconds)) {
        isTold = true;
        onWait(`waiting up to ${seconds} s for the rate limit: ${left} of ${this.#limit} requests are left`);
      }
      await sleep(clock, checkEveryMs, signal);
      left = this.#left(clock.now());
    }
    const run = { requests: Math.max(1, Math.min(left, share)), until: Number.POSITIVE_INFINITY };
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

  #left(now: number): number {
    this.#runs = this.#runs.filter(({ until }) => until > now);
    return this.#runs.reduce((sum, { requests }) => sum - requests, this.#limit);
  }
}
