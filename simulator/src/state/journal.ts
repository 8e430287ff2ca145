/** One request as the simulator saw it, without its token. */
export interface JournalEntry {
  /** Milliseconds on the simulator's clock. */
  readonly at: number;
  /** Number of the request, starting at 1. `clear` does not reset the count. */
  readonly seq: number;
  readonly method: string;
  /** Path without the base path: `/zones/ID/page_guard/policies`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly zoneId: string | undefined;
  /** The parsed body; the unparsed string if it is not JSON; undefined if it is empty. */
  readonly body: unknown;
  readonly userAgent: string | undefined;
  /** Number of requests in flight when this one arrived, including this one. */
  readonly inFlight: number;
  /** The response's `x-request-id`. */
  readonly requestId: string;
  /** Status of the response. Undefined until the response is sent; stays undefined if there is no response. */
  status: number | undefined;
  /** Kinds of the faults that hit the request, joined by `+`. Or `rate-limit` for a refusal, `dropped` if a hook cut it off. */
  fault: string | undefined;
  /** Whether the request changed the zone, apart from timestamps and versions. Also true if the response was lost. */
  changed: boolean;
}

/** Filter for requests. All given conditions must be met. */
export interface RequestFilter {
  readonly method?: string;
  /** Part of the path, or a regular expression that the path must match. */
  readonly path?: string | RegExp;
  readonly zoneId?: string;
}

/** Maximum number of entries. Beyond it, the journal drops the oldest tenth in one go, because dropping single entries is slow. */
const mostEntries = 100_000;

/** The requests so far, oldest first: an array with a `clear` method. If there are too many, the oldest are removed. */
export class Journal extends Array<JournalEntry> {
  /** Makes methods such as `filter` and `map` return plain arrays. */
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
  // A global or sticky expression remembers where it stopped, so it is reset.
  path.lastIndex = 0;
  return path.test(entry.path);
}
