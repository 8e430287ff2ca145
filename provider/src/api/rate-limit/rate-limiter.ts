import type { Clock } from "../clock";
import type { Denied, Permit, Permits, Wish } from "./permits";
import { RateBudget } from "./rate-budget";
import type { Quota } from "./rate-headers";

type Waiter = Wish & { readonly since: number; readonly end: (result: ReturnablePermit | Denied) => void };

export interface ReturnablePermit extends Permit {
  /** In place of `end`, where it is certain that nothing was sent. */
  giveBack(): void;
}

const longWaitMs = 10_000;
const reportEveryMs = 60_000;
const longestQueueMs = 3_600_000;

/** Sends the requests of the process as fast as the service allows, first come, first served. */
export class RateLimiter implements Permits {
  readonly #clock: Clock;
  readonly #budget: RateBudget;
  readonly #again = new Set<Waiter>();
  readonly #queue = new Set<Waiter>();
  #reportedAt = -Infinity;
  #cancelWake: (() => void) | undefined;

  /** `ceiling`: the user's own limit, whatever the service allows. */
  constructor(clock: Clock, ceiling?: Quota) {
    this.#clock = clock;
    this.#budget = new RateBudget(ceiling);
  }

  acquire(wish: Wish = {}): Promise<ReturnablePermit | Denied> {
    const queue = wish.isAgain ? this.#again : this.#queue;
    return new Promise((resolve) => {
      const end = (result: ReturnablePermit | Denied) => {
        queue.delete(waiter);
        wish.signal?.removeEventListener("abort", onAbort);
        resolve(result);
      };
      const onAbort = () => {
        end({ denied: "aborted" });
        this.#pump();
      };
      const waiter: Waiter = { ...wish, since: this.#clock.now(), end };
      const denied = this.#denial(waiter, waiter.since);
      if (denied !== undefined) return resolve(denied);
      queue.add(waiter);
      wish.signal?.addEventListener("abort", onAbort, { once: true });
      this.#pump();
    });
  }

  #pump(): void {
    this.#cancelWake?.();
    const now = this.#clock.now();
    for (;;) {
      const [head] = this.#again.size > 0 ? this.#again : this.#queue;
      if (head === undefined) return;
      const { at, ...chance } = this.#budget.next(now);
      const denied = this.#denial(head, now);
      if (denied !== undefined) head.end(denied);
      else if (at <= now) head.end(this.#permit(now));
      else {
        const [remainingMs, waitedMs] = [at - now, now - head.since];
        // What depends on an answer is not a wait for the limit.
        const isLong = at !== Infinity && Math.max(remainingMs, waitedMs) >= longWaitMs;
        if (isLong && now - this.#reportedAt >= reportEveryMs) {
          this.#reportedAt = now;
          head.onLongWait?.({ remainingMs, waitedMs, ...chance });
        }
        const wakeMs = Math.max(1, Math.min(remainingMs, longWaitMs));
        this.#cancelWake = this.#clock.schedule(wakeMs, () => this.#pump());
        return;
      }
    }
  }

  #denial({ signal, since, patienceMs = Infinity }: Waiter, now: number): Denied | undefined {
    if (signal?.aborted) return { denied: "aborted" };
    const retryAfterMs = this.#budget.blockedUntil - now;
    if (retryAfterMs >= Math.max(1, patienceMs)) return { denied: "too-long", retryAfterMs };
    return now - since >= longestQueueMs ? { denied: "too-long" } : undefined;
  }

  #permit(now: number): ReturnablePermit {
    this.#budget.start();
    return {
      giveBack: () => {
        this.#budget.giveBack(now);
        this.#pump();
      },
      end: (rate) => {
        this.#budget.end(now, rate, this.#clock.now());
        this.#pump();
      },
    };
  }
}
