import type { ZonePolicy, ZoneRule, ZoneSettings } from "../../../provider/src/simulator";
import type { Declarations, Zone } from "./program";

/** What the zones held at one moment. */
export interface Picture {
  readonly policies: Readonly<Record<Zone, readonly ZonePolicy[]>>;
  readonly rules: Readonly<Record<Zone, readonly ZoneRule[]>>;
  readonly settings: Readonly<Record<Zone, ZoneSettings>>;
}

/** What a judge needs to know of an operation that has ended. */
export interface Operation {
  readonly program: Declarations;
  readonly before: Picture;
  /** Ids of policies and rules that the checkpoint holds now. */
  readonly recorded: ReadonlySet<string>;
  /** Policies that the checkpoint held before and was to leave in the zone. */
  readonly kept: ReadonlySet<string>;
  /** How many were at work at once. */
  readonly processes: number;
  /** Something died, or another checkpoint has won: what was done may be on no record. */
  readonly mayHaveLost: boolean;
  /** Creates that were carried out, and whose answers did not arrive as they were given. */
  readonly unclearCreates: number;
  /** Empty: the operation succeeded. */
  readonly failure: string;
}
