import type { Clock } from "../../../provider/src/api/clock";

/**
 * A clock that each wait advances at once. Only the time-out of an attempt runs in real time, because the attempt may wait
 * for a real socket.
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

  /** Returns a clock for an API client whose attempts may take `attemptMs`. */
  clientClock(attemptMs: number): Clock {
    return {
      now: this.now,
      epochNow: this.now,
      schedule: (milliseconds, callback) => {
        if (milliseconds === attemptMs) {
          // A socket with a waiting request keeps the process alive, but an abandoned request must not.
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
