import { existsSync, statSync } from "node:fs";
import {
  apiSettings,
  documentedLimit as documented,
  limitName,
  sleep,
  systemClock,
} from "pulumi-page-guard/tools";
import type { OwnFolder } from "../pulumi/own-folder";
import type { Session } from "../session";

/** A run with less would mostly wait. */
const least = 50;

/** Requests of a run: what it may send while it runs, what it has sent once it has ended. */
interface Run {
  requests: number;
  /** When they no longer count. */
  until: number;
}

/** Gives each run of a fleet what is left of the request limit after the runs of the last five minutes. */
export class Grants {
  readonly #limit: number;
  readonly #share: number;
  #runs: readonly Run[] = [];
  #count = 0;
  #ended = new AbortController();

  constructor(
    private readonly session: Session,
    private readonly folder: OwnFolder,
    parallel: number,
  ) {
    this.#limit = apiSettings(session.env).maxRequests ?? documented.limit;
    this.#share = Math.max(least, Math.floor(this.#limit / parallel));
  }

  /** Runs the work with a limit of its own, once there is one. */
  async with<T>(
    signal: AbortSignal,
    onWait: (text: string) => void,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const { clock = systemClock } = this.session;
    const run = await this.#granted(signal, onWait);
    this.#count += 1;
    const file = this.folder.at(`requests-${this.#count}`);
    const env = { ...this.session.env, [limitName]: `${run.requests} > ${file}` };
    try {
      return await work({ ...this.session, env });
    } finally {
      run.requests = existsSync(file) ? statSync(file).size : 0;
      run.until = clock.now() + documented.windowMs;
      this.#ended.abort();
      this.#ended = new AbortController();
    }
  }

  async #granted(signal: AbortSignal, onWait: (text: string) => void): Promise<Run> {
    const { clock = systemClock } = this.session;
    for (let isTold = false; ; ) {
      const now = clock.now();
      this.#runs = this.#runs.filter(({ until }) => until > now);
      const left = this.#runs.reduce((sum, { requests }) => sum - requests, this.#limit);
      if (left >= Math.min(least, this.#limit) || signal.aborted) {
        const run = { requests: Math.max(1, Math.min(left, this.#share)), until: Infinity };
        this.#runs = [...this.#runs, run];
        return run;
      }
      const waitMs = Math.min(...this.#runs.map(({ until }) => until)) - now;
      if (!isTold && waitMs !== Infinity) {
        isTold = true;
        onWait(
          `waiting up to ${Math.ceil(waitMs / 1000)} s for the rate limit: ${left} of ${this.#limit} requests are left`,
        );
      }
      const either = AbortSignal.any([signal, this.#ended.signal]);
      await sleep(clock, Math.min(waitMs, documented.windowMs), either);
    }
  }
}
