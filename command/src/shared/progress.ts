import { clearLine, cursorTo } from "node:readline";
import { plural } from "pulumi-page-guard/tools";
import type { Session } from "./session";

const patienceMs = 2000;
const frameMs = 250;
/** If no request has been pending for this long, the rate limit must be holding the next one back. */
const waitingMs = 1000;

/** A line of progress on a terminal, shown after two seconds. */
export class Progress {
  #sent = 0;
  #done = 0;
  #idleSince: number;
  #isShown = false;

  constructor(private readonly session: Session) {
    this.#idleSince = session.now();
  }

  get requests(): number {
    return this.#sent;
  }

  async during<T>(what: string, work: () => Promise<T>): Promise<T> {
    if (!this.session.isWatched) return work();
    const began = this.session.now();
    const timer = setInterval(() => this.#show(what, began), frameMs);
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

  #show(what: string, began: number): void {
    const now = this.session.now();
    if (now - began < patienceMs) return;
    const isIdle = this.#sent === this.#done && now - this.#idleSince > waitingMs;
    const waiting = isIdle ? `, waiting for the rate limit for ${seconds(now - this.#idleSince)}` : "";
    const requests = `${plural(this.#done, "request")} done${waiting}`;
    this.#isShown = true;
    // Work without a request waits for something else, like the engine.
    this.#write(`${what}: ${this.#sent === 0 ? seconds(now - began) : requests}`);
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
