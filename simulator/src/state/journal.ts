/** One request, as the simulator saw it. Holds no token. */
export interface JournalEntry {
  /** Milliseconds on the simulator's clock. */
  readonly at: number;
  /** 1 for the first request since the start; not reset by `clear`. */
  readonly seq: number;
  readonly method: string;
  /** Without the base path: `/zones/ID/page_guard/policies`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly zoneId: string | undefined;
  /** The parsed body; the text when it is not JSON; undefined without one. */
  readonly body: unknown;
  readonly userAgent: string | undefined;
  /** Requests in flight when it arrived, itself included. */
  readonly inFlight: number;
  /** The answer's `x-request-id`. */
  readonly requestId: string;
  /** Undefined while there is no answer, and forever when the connection was cut. */
  status: number | undefined;
  /** The kinds of the faults that hit it, joined by `+`; `rate-limit`, or `dropped` by a hook. */
  fault: string | undefined;
  /** Whether it made the zone different, apart from timestamps and versions; also true when the answer was then lost. */
  changed: boolean;
}

/** Filter for requests. All given conditions must hold. */
export interface RequestFilter {
  readonly method?: string;
  /** Part of the path, or an expression it must match. */
  readonly path?: string | RegExp;
  readonly zoneId?: string;
}

/** Beyond this the oldest are forgotten: a tenth at once, for one at a time would be slow. */
const mostEntries = 100_000;

/** The requests so far, oldest first: an array with a `clear`. Bounded: of very many the oldest are forgotten. */
export class Journal extends Array<JournalEntry> {
  /** Arrays derived from a journal (`filter`, `map`) are plain ones. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  record(entry: JournalEntry): void {
    if (this.push(entry) > mostEntries) this.splice(0, mostEntries / 10);
  }

  clear(): void {
    this.length = 0;
  }
}

export function matchesFilter(entry: JournalEntry, { method, path, zoneId }: RequestFilter): boolean {
  if (method !== undefined && entry.method !== method.toUpperCase()) return false;
  if (zoneId !== undefined && entry.zoneId !== zoneId.toLowerCase()) return false;
  if (!(path instanceof RegExp)) return path === undefined || entry.path.includes(path);
  // A global or sticky expression remembers where it stopped; a filter must not.
  path.lastIndex = 0;
  return path.test(entry.path);
}
