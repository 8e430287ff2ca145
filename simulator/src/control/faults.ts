import { type JournalEntry, matchesFilter, type RequestFilter } from "../state/journal";
import { type Random, seededRandom } from "../state/random";
import type { JsonObject } from "../state/zone";

/** Requests that a fault hits, and how often. All given conditions must hold. */
export interface FaultRoute extends RequestFilter {
  /** Part of the query: `waf_migration=pending`. */
  readonly query?: string;
  /** Let this many matching requests pass first. */
  readonly skip?: number;
  /** Hit this many, then vanish. Without it: forever. */
  readonly count?: number;
  /** 0 to 1: hit only some of the matching requests, as `seed` decides. */
  readonly probability?: number;
  readonly seed?: number;
}

/** Whether the request is carried out before the fault. */
interface Timed {
  readonly when?: "before" | "after";
}

/** A failure that the service sends. */
interface Refusal extends Timed {
  readonly code?: number;
  readonly message?: string;
  readonly retryAfter?: number | string;
}

/**
 * - `latency`: wait `ms` before processing.
 * - `429`, `500`, `502`, `503`, `status`: that status with a failure envelope; `retryAfter` in seconds (a string is sent as it is,
 *   so a date is possible), no header without it. By default the request is not carried out; `when: "after"` carries it out first.
 * - `reset-before`, `reset-after`: the connection is reset, before or after the request was carried out.
 * - `hang`: never an answer; `when: "after"` carries it out first.
 * - `truncate`: carried out; half of the body, then the connection is cut.
 * - `html`: a web page in place of JSON, status 200 unless `status` says otherwise.
 * - `success-false`: status 200 with `success: false`.
 * - `extra-fields`, `missing-fields`: the objects of the result (and rules in it) gain or lose fields.
 * - `normalise`: texts are stored (or, on a GET, shown) normalised: white space, case of directive names, `;`.
 * - `shift`: before a page of a list after the first one is read, an item is added (`insert`), the first one is removed (`remove`),
 *   or the last one is seen again and so becomes the newest (`touch`).
 */
export type FaultSpec = ShapingFault | BreakingFault;

/** Changes or delays an exchange without ending it; several may hit one request. */
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

/** Faults of one request: any number that change the answer and at most one that breaks it. */
export interface Suffered {
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

  /** Removes a fault; `false` when it no longer exists (used up, or cleared). */
  remove(id: string): boolean {
    const before = this.active.length;
    this.active = this.active.filter((fault) => fault.id !== id);
    return this.active.length < before;
  }

  clear(): void {
    this.active = [];
  }

  /** The active ones. `left`: how many requests each may still hit (null: no end). */
  list(): readonly { id: string; spec: FaultSpec; left: number | null }[] {
    return this.active.map(({ id, spec, left }) => ({ id, spec, left: left === Infinity ? null : left }));
  }

  /** Decides what this request suffers and counts it. */
  hit(entry: JournalEntry): Suffered {
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
