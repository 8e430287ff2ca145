import type { Declarations } from "./declarations";
import type { Picture } from "./picture";

/** What a judge needs to know of an operation that has ended. */
export interface Operation {
  readonly program: Declarations;
  /** Of each process that was at work: also of one that goes on unseen since the operation before. */
  readonly programs: readonly Declarations[];
  readonly before: Picture;
  /** Ids of policies and rules that the checkpoint holds now. */
  readonly recorded: ReadonlySet<string>;
  /** Policies that the checkpoint held before and was to leave in the zone. */
  readonly kept: ReadonlySet<string>;
  /** Those of them whose resource is not declared any more. */
  readonly released: ReadonlySet<string>;
  /** How many were at work at once. */
  readonly processes: number;
  /** Somebody was at work in the dashboard meanwhile. */
  readonly isDisturbed: boolean;
  /** Whether the checkpoint held no resource of this name before, or it was to be replaced by force, or deleted first. */
  isNew(name: string): boolean;
  /** Something died, or another checkpoint has won: what was done may be on no record. */
  readonly mayHaveLost: boolean;
  /** Policies that resources had which were to be replaced: they are for nobody, be it that they stay in the zone. */
  readonly replaced: ReadonlySet<string>;
  /** Ids of policies and rules that the checkpoint held before. */
  readonly recordedBefore: ReadonlySet<string>;
  /** Creates that were carried out, whose answers did not arrive as they were given, and after which no look succeeded. */
  readonly unclearCreates: number;
  /** Paths of all requests that were to change something. */
  readonly writesTo: ReadonlySet<string>;
  /** What was on record was read first. */
  readonly refresh: boolean;
  /** Empty: the operation succeeded. */
  readonly failure: string;
}
