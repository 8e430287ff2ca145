import type { FaultSpec, WafSeed } from "../../../simulator/src";
import type { Death } from "../../provider/small-engine/mortal";
import type { ShortRule } from "../../provider/small-engine/short-rule";
import type { PolicyContent, Zone } from "./declarations";
import type { Edit } from "./edits";

/** Faults during an operation. */
export interface Attack {
  readonly faults: readonly FaultSpec[];
  readonly death?: Death | undefined;
  /** Act of somebody in the dashboard right after the first write was carried out. */
  readonly meanwhile?: Act | undefined;
}

/** An act of somebody in the dashboard. */
export type Act =
  | { readonly act: "add policy"; readonly zone: Zone; readonly like?: PolicyContent | undefined }
  | {
      readonly act: "add rule";
      readonly like?: ShortRule | undefined;
      readonly zone: Zone;
      readonly place: number;
    }
  | { readonly act: At; readonly zone: Zone; readonly place: number }
  | { readonly act: "move rule"; readonly zone: Zone; readonly place: number; readonly to: number }
  | { readonly act: "switch"; readonly zone: Zone; readonly which: number }
  | { readonly act: "finish migration" | "become ineligible"; readonly zone: "m" };
type At = "delete policy" | "edit policy" | "twin rule" | "delete rule" | "edit rule";

export type Step =
  | {
      readonly act: "up";
      readonly edits: readonly Edit[];
      /** Whether the edits start from the program before the last one. */
      readonly isTakenBack: boolean;
      readonly refresh: boolean;
      readonly parallel: boolean;
      /** Resources for `--replace`, by their numbers in the program. */
      readonly replace: readonly number[];
      /** Resources with `replaceOnChanges`, by their numbers in the program. */
      readonly replaceOnChanges: readonly number[];
      /** Whether replaced resources are deleted first. */
      readonly isDeletedFirst: boolean;
      readonly attack: Attack;
    }
  | { readonly act: "refresh"; readonly attack: Attack }
  | { readonly act: "destroy"; readonly attack: Attack }
  | { readonly act: "preview"; readonly edits: readonly Edit[] }
  | { readonly act: "lose state" }
  | { readonly act: "restore backup"; readonly age: number }
  | { readonly act: "wait"; readonly ms: number }
  | Act;

/** A zone before the first update. */
export interface Found {
  readonly policies: readonly PolicyContent[];
  /** Rules of the entry point; undefined if it was never configured. */
  readonly rules: readonly ShortRule[] | undefined;
  readonly switches: readonly [boolean, boolean, boolean];
}

export interface Scenario {
  readonly found: readonly [Found, Found, Found];
  readonly gateway: "plain" | "repeats deletes";
  /** Migration state of zone `m`. */
  readonly waf: WafSeed;
  readonly steps: readonly Step[];
  /** Whether an hour passes before the first update at the end. */
  readonly isPatient: boolean;
}

/** Placeholder in messages. The world replaces it by the token, which only the world knows. */
export const tokenMark = "TOKEN";

export const calm: Attack = { faults: [] };
