import type {
  FaultSpec,
  JournalEntry,
  RequestFilter,
  RequestHook,
  Simulator,
} from "../../provider/src/simulator";

/** The simulator as one of several stories sees it: its own zones, and of the requests those to them. */
export class OwnZones {
  /** Requests up to this one are ignored. */
  private forgotten = 0;
  private readonly faultIds: string[] = [];

  /** Faults hit its own zones only: each of them, when none is named. */
  readonly faults = {
    add: (spec: FaultSpec): void => {
      for (const zoneId of spec.zoneId === undefined ? this.zoneIds : [spec.zoneId]) {
        this.faultIds.push(this.sim.faults.add({ ...spec, zoneId }));
      }
    },
    clear: (): void => {
      for (const id of this.faultIds.splice(0)) this.sim.faults.remove(id);
    },
  };

  constructor(
    private readonly sim: Simulator,
    private readonly zoneIds: readonly string[],
  ) {}

  get url(): string {
    return this.sim.url;
  }

  get token(): string {
    return this.sim.token;
  }

  get dashboard(): Simulator["dashboard"] {
    return this.sim.dashboard;
  }

  get zones(): Simulator["zones"] {
    return this.sim.zones;
  }

  get zone(): Simulator["zone"] {
    return (zoneId) => this.sim.zone(zoneId);
  }

  get edit(): Simulator["edit"] {
    return (zoneId, change) => this.sim.edit(zoneId, change);
  }

  /** The requests so far, or since `forget`; oldest first. */
  get journal(): JournalEntry[] {
    return this.sim.journal.filter((entry) => entry.seq > this.forgotten && this.isOurs(entry));
  }

  /** Starts the journal again. */
  forget(): void {
    this.forgotten = this.sim.journal.at(-1)?.seq ?? 0;
  }

  requests(filter: RequestFilter = {}): JournalEntry[] {
    const found = new Set(this.sim.requests(filter));
    return this.journal.filter((entry) => found.has(entry));
  }

  /** Requests that changed something, or attempted to: all but GET. */
  changing(filter: RequestFilter = {}): JournalEntry[] {
    return this.requests(filter).filter(({ method }) => method !== "GET");
  }

  onRequest(hook: RequestHook): () => void {
    return this.sim.onRequest((entry) => (this.isOurs(entry) ? hook(entry) : undefined));
  }

  onProcessed(hook: RequestHook): () => void {
    return this.sim.onProcessed((entry) => (this.isOurs(entry) ? hook(entry) : undefined));
  }

  private isOurs({ zoneId }: JournalEntry): boolean {
    return zoneId !== undefined && this.zoneIds.includes(zoneId);
  }
}
