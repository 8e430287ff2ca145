import type { FaultSpec, WafSeed } from "../../../simulator/src";
import type { Death } from "../../provider/small-engine/mortal";
import type { ShortRule } from "../../provider/small-engine/short-rule";
import type { PolicyContent, Zone } from "./declarations";
import type { Edit } from "./edits";

/** What goes wrong in an operation. */
export interface Attack {
  readonly faults: readonly FaultSpec[];
  readonly death?: Death | undefined;
  /** What somebody does in the dashboard right when the first write was carried out. */
  readonly meanwhile?: Act | undefined;
}

/** Somebody at work in the dashboard. */
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
      /** First the program goes back to what it was before the last one. */
      readonly isTakenBack: boolean;
      readonly refresh: boolean;
      readonly parallel: boolean;
      /** `--replace`, by their places in the program. */
      readonly replace: readonly number[];
      /** `replaceOnChanges`, by places too. */
      readonly replaceOnChanges: readonly number[];
      /** What is replaced is deleted first. */
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

/** A zone as it is found. */
export interface Found {
  readonly policies: readonly PolicyContent[];
  /** Undefined: the entry point was never configured. */
  readonly rules: readonly ShortRule[] | undefined;
  readonly switches: readonly [boolean, boolean, boolean];
}

export interface Scenario {
  readonly found: readonly [Found, Found, Found];
  readonly gateway: "plain" | "repeats deletes";
  /** Of zone `m`. */
  readonly waf: WafSeed;
  readonly steps: readonly Step[];
  /** At the end an hour passes before anybody tries again. */
  readonly isPatient: boolean;
}

/** The message with the token in it is made by the world, which alone knows the token. */
export const tokenMark = "TOKEN";

export const calm: Attack = { faults: [] };
