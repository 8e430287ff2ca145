import { type JournalEntry, matchesFilter, type RequestFilter } from "../state/journal";
import { type Random, seededRandom } from "../state/random";
import type { JsonObject } from "../state/zone";

/** Conditions for the requests that a fault hits, and the number of requests to hit. A request must meet all given conditions. */
export interface FaultRoute extends RequestFilter {
  /** Part of the query: `waf_migration=pending`. */
  readonly query?: string;
  /** Number of matching requests that pass before the fault hits. */
  readonly skip?: number;
  /** Number of requests to hit before the fault is removed. Default: no limit. */
  readonly count?: number;
  /** Probability that a matching request is hit, 0 to 1; `seed` determines which requests are hit. */
  readonly probability?: number;
  readonly seed?: number;
}

/** Whether the fault occurs before or after the request is carried out. */
interface Timed {
  readonly when?: "before" | "after";
}

interface Refusal extends Timed {
  readonly code?: number;
  readonly message?: string;
  readonly retryAfter?: number | string;
}

/**
 * A fault. Its `kind` decides what happens:
 * - `latency`: wait `ms` before processing.
 * - `429`, `500`, `502`, `503`, `status`: that status with a failure envelope. `retryAfter` is the value of the header: seconds,
 *   or any string, such as a date. With `when: "after"`, the request is carried out first, otherwise not at all.
 * - `reset-before`, `reset-after`: the connection is reset, before or after the request was carried out.
 * - `hang`: no response is ever sent. With `when: "after"`, the request is carried out first, otherwise not at all.
 * - `truncate`: the request is carried out; half of the body is sent, then the connection is cut.
 * - `html`: a web page in place of JSON, status 200 unless `status` says otherwise.
 * - `success-false`: status 200 with `success: false`.
 * - `extra-fields`, `missing-fields`: the objects of the result (and the rules in them) gain or lose fields.
 * - `normalise`: strings are stored (or, on a GET, shown) with normalised white space, case of directive names and `;`.
 * - `shift`: the list changes before each request for its second or a later page: an item is added (`insert`), the first item is
 *   removed (`remove`), or the last item is seen again and so becomes the newest (`touch`).
 */
export type FaultSpec = ShapingFault | BreakingFault;

/** Fault that changes or delays an exchange without ending it. Several such faults may hit one request. */
export type ShapingFault = FaultRoute &
  (
    | { readonly kind: "latency"; readonly ms: number }
    | { readonly kind: "extra-fields"; readonly fields?: JsonObject }
    | { readonly kind: "missing-fields"; readonly fields: readonly string[] }
    | { readonly kind: "normalise" }
    | { readonly kind: "shift"; readonly move?: "insert" | "remove" | "touch" }
  );

export type BreakingFault = FaultRoute &
  (
    | ({ readonly kind: "429" | "500" | "502" | "503" } & Refusal)
    | ({ readonly kind: "status"; readonly status: number } & Refusal)
    | { readonly kind: "reset-before" | "reset-after" | "truncate" }
    | ({ readonly kind: "hang" } & Timed)
    | ({ readonly kind: "html"; readonly status?: number } & Timed)
    | ({ readonly kind: "success-false" } & Omit<Refusal, "retryAfter">)
  );

export type FaultKind = FaultSpec["kind"];

function isShaping(fault: FaultSpec): fault is ShapingFault {
  return /^(latency|extra-fields|missing-fields|normalise|shift)$/.test(fault.kind);
}

interface ActiveFault {
  readonly id: string;
  readonly spec: FaultSpec;
  readonly random: Random;
  skip: number;
  left: number;
}

/** Faults that hit one request: any number of faults that shape the response, and at most one that breaks it. */
export interface RequestFaults {
  readonly shaping: readonly ShapingFault[];
  readonly breaking: BreakingFault | undefined;
}

/** The active faults, in the order in which they were added. */
export class Faults {
  private active: ActiveFault[] = [];
  private added = 0;

  constructor(private readonly seed: number) {}

  /** Adds a fault and returns its id. */
  add(spec: FaultSpec): string {
    this.added += 1;
    const id = `fault-${this.added}`;
    const random = seededRandom(spec.seed ?? this.seed + this.added);
    this.active.push({ id, spec, random, skip: spec.skip ?? 0, left: spec.count ?? Infinity });
    return id;
  }

  /** Removes a fault. Returns false if it no longer exists. */
  remove(id: string): boolean {
    const before = this.active.length;
    this.active = this.active.filter((fault) => fault.id !== id);
    return this.active.length < before;
  }

  clear(): void {
    this.active = [];
  }

  /** Returns the active faults. `left`: number of requests that a fault will still hit; null for no limit. */
  list(): readonly { id: string; spec: FaultSpec; left: number | null }[] {
    return this.active.map(({ id, spec, left }) => ({ id, spec, left: left === Infinity ? null : left }));
  }

  /** Returns the faults that hit a request, and counts the hits. */
  hit(entry: JournalEntry): RequestFaults {
    const shaping: ShapingFault[] = [];
    let breaking: BreakingFault | undefined;
    for (const fault of this.active) {
      const { spec } = fault;
      if (isShaping(spec)) {
        if (strikes(fault, entry)) shaping.push(spec);
      } else if (breaking === undefined && strikes(fault, entry)) breaking = spec;
    }
    this.active = this.active.filter((fault) => fault.left > 0);
    return { shaping, breaking };
  }
}

function strikes(fault: ActiveFault, entry: JournalEntry): boolean {
  const { spec } = fault;
  if (!matchesFilter(entry, spec)) return false;
  const query = new URLSearchParams({ ...entry.query }).toString();
  if (spec.query !== undefined && !query.includes(spec.query)) return false;
  if (spec.kind === "shift" && !(Number(entry.query["page"]) > 1)) return false;
  if (fault.skip > 0) {
    fault.skip -= 1;
    return false;
  }
  if (spec.probability !== undefined && fault.random() >= spec.probability) return false;
  fault.left -= 1;
  return true;
}
