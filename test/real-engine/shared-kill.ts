import type { JournalEntry } from "../../provider/src/simulator";
import { attemptMs } from "./engine";
import type { KillPoint, ServiceOfStack, Victim } from "./stack";

/** Longer than any story needs to reach its point after the first one, on any machine. */
const patienceMs = attemptMs - 10_000;

/**
 * One kill for several stories: the first exchange to reach its point waits there for the others, and when all are
 * at theirs, the process is killed.
 */
export class SharedKill {
  private readonly waiting = new Set<ServiceOfStack>();
  private readonly takeBack: (() => void)[] = [];
  private readonly fallen: Promise<void>;
  private fall: () => void = () => undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    points: readonly { readonly sim: ServiceOfStack; readonly point: KillPoint }[],
    private readonly victim: Victim,
    private readonly blow: () => void,
  ) {
    this.fallen = new Promise((resolve) => {
      this.fall = resolve;
    });
    for (const { sim, point } of points) {
      this.waiting.add(sim);
      this.watch(sim, point);
    }
  }

  /** Whether this story's exchange has reached its point. */
  hasReached(sim: ServiceOfStack): boolean {
    return !this.waiting.has(sim);
  }

  /** Stops waiting. */
  end(): void {
    clearTimeout(this.timer);
    for (const takeBack of this.takeBack) takeBack();
    this.fall();
  }

  private watch(sim: ServiceOfStack, { at, skip = 0, isAlone: _, ...filter }: KillPoint): void {
    let left = skip;
    const hook = async (entry: JournalEntry): Promise<string | undefined> => {
      if (this.hasReached(sim) || !sim.requests(filter).includes(entry)) return undefined;
      if (left > 0) {
        left -= 1;
        return undefined;
      }
      this.waiting.delete(sim);
      // A story that never gets there fails afterwards, and does not block the others forever.
      this.timer ??= setTimeout(() => this.strike(), patienceMs);
      if (this.waiting.size === 0) this.strike();
      await this.fallen;
      return this.victim === "cli" ? undefined : "drop";
    };
    this.takeBack.push(at === "arrival" ? sim.onRequest(hook) : sim.onProcessed(hook));
  }

  private strike(): void {
    this.blow();
    this.end();
  }
}
