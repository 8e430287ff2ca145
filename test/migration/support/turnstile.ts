/**
 * Lets the requests of several processes pass one at a time, in an order that only the scenario decides: the same seed
 * gives the same requests on any machine, however busy.
 */
export class Turnstile {
  private readonly waiting: { readonly due: number; readonly order: number; readonly go: () => void }[] = [];
  private readonly watchers: { readonly at: number; readonly go: () => void }[] = [];
  private entered = 0;
  private passed = 0;
  private now = 0;
  private isOpen = false;

  /** Runs `work` when it is its turn. `pace`: how many turns others may take before. */
  pass<T>(pace: number, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.entered += 1;
      const go = () => {
        void work()
          .then(resolve, reject)
          .finally(() => this.next());
      };
      this.waiting.push({ due: this.now + 1 + pace, order: this.entered, go });
      if (!this.isOpen) {
        this.isOpen = true;
        void this.next();
      }
    });
  }

  /** Waits until so many more have passed. */
  after(requests: number): Promise<void> {
    return new Promise((resolve) => {
      this.watchers.push({ at: this.passed + requests, go: resolve });
    });
  }

  private async next(): Promise<void> {
    await this.quiet();
    const first = this.waiting.sort((a, b) => a.due - b.due || a.order - b.order).shift();
    if (!first) {
      this.isOpen = false;
      return;
    }
    this.now = first.due;
    this.passed += 1;
    for (const watcher of this.watchers.filter(({ at }) => at <= this.passed)) {
      this.watchers.splice(this.watchers.indexOf(watcher), 1);
      watcher.go();
    }
    first.go();
  }

  /** Until nobody comes any more: who has just been answered asks his next question first. */
  private async quiet(): Promise<void> {
    for (let turns = 0, seen = this.entered; turns < 6; turns += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.entered === seen) continue;
      seen = this.entered;
      turns = 0;
    }
  }
}
