import type { Clock } from "../../../provider/src/api/clock";

/**
 * Time that costs nothing: who waits moves it on. Only the limit of an attempt runs on the machine's clock, because
 * real sockets are waited for.
 */
export class VirtualTime {
  private current = Date.UTC(2025, 0, 1);

  readonly now = (): number => this.current;

  pass(milliseconds: number): void {
    this.current += milliseconds;
  }

  readonly sleep = (milliseconds: number): Promise<void> => {
    this.pass(milliseconds);
    return new Promise((resolve) => setImmediate(resolve));
  };

  /** For an API client whose attempts may take `attemptMs`. */
  clientClock(attemptMs: number): Clock {
    return {
      now: this.now,
      epochNow: this.now,
      schedule: (milliseconds, callback) => {
        if (milliseconds === attemptMs) {
          // The socket that is waited for keeps the process alive; a request that nobody waits for any more must not.
          const timer = setTimeout(callback, milliseconds).unref();
          return () => clearTimeout(timer);
        }
        const soon = setImmediate(() => {
          this.pass(milliseconds);
          callback();
        });
        return () => clearImmediate(soon);
      },
    };
  }
}
