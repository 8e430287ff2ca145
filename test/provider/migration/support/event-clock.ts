import type { Clock } from "../../../../provider/src/api/clock";

interface Event {
  readonly due: number;
  readonly order: number;
  readonly fire: () => void;
}

/**
 * One clock for several processes and the service: what is due first happens first, and an hour costs nothing. Order
 * and time of everything are decided by the scenario alone, so the same seed gives the same requests on any machine.
 */
export class EventClock implements Clock {
  private current = Date.UTC(2025, 0, 1);
  private readonly events = new Set<Event>();
  private scheduled = 0;
  private held = 0;
  private isRunning = false;

  readonly now = (): number => this.current;

  readonly epochNow = this.now;

  readonly schedule = (ms: number, fire: () => void): (() => void) => {
    this.scheduled += 1;
    const event = { due: this.current + Math.max(0, ms), order: this.scheduled, fire };
    this.events.add(event);
    if (!this.isRunning) {
      this.isRunning = true;
      void this.run();
    }
    return () => this.events.delete(event);
  };

  readonly sleep = (ms: number): Promise<void> => new Promise((resolve) => this.schedule(ms, resolve));

  /** Real work, on a socket: time stands still until it has ended. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.held += 1;
    try {
      return await work();
    } finally {
      this.held -= 1;
    }
  }

  private async run(): Promise<void> {
    for (;;) {
      await this.quiet();
      const next = [...this.events].sort((a, b) => a.due - b.due || a.order - b.order)[0];
      if (!next) break;
      this.events.delete(next);
      this.current = Math.max(this.current, next.due);
      next.fire();
    }
    this.isRunning = false;
  }

  /** Until everybody waits: who has just been woken plans what he does next before time goes on. */
  private async quiet(): Promise<void> {
    for (let turns = 0, seen = this.scheduled; turns < 6; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.held === 0 && this.scheduled === seen) continue;
      seen = this.scheduled;
      turns = 0;
    }
  }
}
