import { ASK_AFTER_MS } from "./ask-after";
import { marginMs } from "./request-window";

/** A block that lasts longer than this is not waited for: twice the five minutes that the documented one lasts. */
const PATIENCE_MS = 600_000;

/** What a block has taught: that the service was ready again `waitMs` after the refusal at `since`. */
export interface Lesson {
  readonly since: number;
  readonly waitMs: number;
}

/** The time in which the service refuses every request because the limit was passed. */
export class ServiceBlock {
  readonly patienceMs = PATIENCE_MS;
  /** Nobody sends before. */
  until = Number.NEGATIVE_INFINITY;
  /** What the service asked for, however long. */
  askedUntil = Number.NEGATIVE_INFINITY;
  /** The first refusal; undefined when nothing is refused. */
  #since: number | undefined;
  /** How often it was asked again in vain. */
  #step = 0;
  #lessonMs = 0;
  #isOver = true;

  /** True once when a block is over. */
  ends(now: number): boolean {
    if (this.#isOver || now < this.until) return false;
    this.#isOver = true;
    return true;
  }

  /** A request that was sent at `sentAt` was refused. Gives the wait; undefined when it is too long. */
  refused(askedMs: number | undefined, sentAt: number, now: number, windowMs: number): number | undefined {
    if (this.#since === undefined) {
      this.#since = now;
      this.#step = 0;
      this.#lessonMs = 0;
      this.askedUntil = now;
    } else if (sentAt >= this.until) this.#step += 1;
    this.#isOver = false;
    const guess = this.#guess(askedMs, this.#since, now);
    const wait = Math.max(askedMs ?? 0, guess ?? windowMs);
    this.askedUntil = Math.max(this.askedUntil, now + wait);
    if (guess === undefined || this.askedUntil - now > PATIENCE_MS) {
      // It counts as a window: after one things may be different, and a single request may ask.
      this.until = Math.max(this.until, now + windowMs);
      return undefined;
    }
    this.#lessonMs = Math.max(this.#lessonMs, now + wait - this.#since);
    this.until = Math.max(this.until, now + wait + marginMs(wait));
    return this.until - now;
  }

  /** Milliseconds from now; undefined when all guesses were in vain. */
  #guess(askedMs: number | undefined, since: number, now: number): number | undefined {
    // Who says how long is believed once.
    const step = askedMs === undefined ? this.#step : this.#step - 1;
    if (step < 0) return 0;
    // Each answer within a block is lost, and waiting longer than the window is lost time.
    const next = ASK_AFTER_MS[step];
    return next === undefined ? undefined : Math.max(0, since + next - now);
  }

  /** An answer other than a refusal has come to a request that was sent at `sentAt`. */
  answered(sentAt: number): Lesson | undefined {
    const since = this.#since;
    // Those that were under way when it began tell nothing.
    if (since === undefined || sentAt < this.until) return undefined;
    this.#since = undefined;
    return { since, waitMs: this.#lessonMs };
  }
}
