import { clearLine, cursorTo } from "node:readline";
import { pluralize } from "pulumi-page-guard/tools";
import type { Session } from "./session";

const patienceMs = 2000;
const frameMs = 250;
/** Time without a pending request after which the command counts as waiting for the rate limit. */
const waitingMs = 1000;

/** Shows a line of progress on a terminal if the work takes more than two seconds. */
export class Progress {
  #sent = 0;
  #done = 0;
  #idleSince = 0;
  #isShown = false;

  constructor(private readonly session: Session) {}

  get requests(): number {
    return this.#sent;
  }

  /**
   * Shows the line while `work` runs. With `isAsking: false`, the line shows the elapsed time instead of the number of requests. Use
   * this for work that sends no requests through this object, such as a run of Pulumi.
   */
  async during<T>(what: string, work: () => Promise<T>, isAsking = true): Promise<T> {
    if (!this.session.isWatched) return work();
    const began = this.session.now();
    const doneBefore = this.#done;
    // Time before this work does not count as waiting.
    this.#idleSince = began;
    const timer = setInterval(() => {
      const elapsedMs = this.session.now() - began;
      if (elapsedMs < patienceMs) return;
      this.#isShown = true;
      const status = isAsking ? this.#requestsSince(doneBefore) : seconds(elapsedMs);
      this.#write(`${what}: ${status}`);
    }, frameMs);
    timer.unref();
    try {
      return await work();
    } finally {
      clearInterval(timer);
      if (this.#isShown) this.#write("");
      this.#isShown = false;
    }
  }

  requestSent(): void {
    this.#sent += 1;
  }

  requestDone(): void {
    this.#done += 1;
    this.#idleSince = this.session.now();
  }

  #requestsSince(doneBefore: number): string {
    const idleMs = this.session.now() - this.#idleSince;
    const isIdle = this.#sent === this.#done && idleMs > waitingMs;
    const waiting = isIdle ? `, waiting for the rate limit for ${seconds(idleMs)}` : "";
    return `${pluralize(this.#done - doneBefore, "request")} done${waiting}`;
  }

  /** Overwrites the last line. Cuts the text, because a line that wraps could not be cleared. */
  #write(text: string): void {
    const { stderr } = process;
    cursorTo(stderr, 0);
    clearLine(stderr, 1);
    stderr.write(text.slice(0, Math.max(20, (stderr.columns || 80) - 1)));
  }
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}
