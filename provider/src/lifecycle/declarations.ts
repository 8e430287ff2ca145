/** A resource as its check got it. */
export interface DeclaredResource {
  readonly kind: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** More than an engine takes from one check to the next as long as the program waits for nothing. */
const quietMs = 1_000;

/**
 * What a program declares, as a plugin learns it: by one check after the other, while first changes are under way. A
 * dynamic resource learns it from the program itself.
 */
export class Declarations {
  private readonly resources = new Map<string, DeclaredResource>();
  private readonly underWay = new Set<Promise<unknown>>();
  private calls = 0;

  note(urn: string, resource: DeclaredResource): void {
    this.resources.set(urn, resource);
  }

  /** All that are known by now, but for the resource that asks. */
  beside(urn: string, kinds: readonly string[]): DeclaredResource[] {
    return [...this.resources]
      .filter(([other, { kind }]) => other !== urn && kinds.includes(kind))
      .map(([, resource]) => resource);
  }

  /** Runs a check or a comparison: as long as there are any, more may come. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.calls += 1;
    const working = work();
    this.underWay.add(working);
    return working.finally(() => this.underWay.delete(working));
  }

  /**
   * Until the engine seems to have nothing left to check. What it checks later is what waits for a change that is under way,
   * or for one of its workers to be free.
   */
  async untilQuiet(sleep: (milliseconds: number) => Promise<void>): Promise<void> {
    let seen: number;
    do {
      await Promise.allSettled([...this.underWay]);
      seen = this.calls;
      await sleep(quietMs);
    } while (this.calls !== seen || this.underWay.size > 0);
  }
}
