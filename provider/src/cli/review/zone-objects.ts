import type { ReviewLoss } from "../../reports/review/review";
import { zoneIdIn, zoneIdOf } from "../../zone/zone-id";
import { distinct } from "../values";
import { type PreviewStep, unknownValue, type Values } from "./preview-read";

/** What happens to one object of a zone: a policy, a WAF rule, the settings. */
export interface ObjectChange {
  readonly step: PreviewStep;
  readonly zone: string | undefined;
  readonly kind: "policy" | "rule" | "settings";
  readonly fate: Fate;
  /** Key in its set, or description, as a person wrote it. */
  readonly label: string;
  /** Id of an object that is in the zone already. */
  readonly id: string | undefined;
  /** How protection gets weaker, in words. */
  readonly weaker?: string | undefined;
  /** The policy begins to enforce. */
  readonly begins?: boolean | undefined;
}

/** `adopt`: it is in the zone as it is declared. `leave`: it stays without being declared. `restore`: to what was found first. */
export type Fate = "adopt" | "create" | "update" | "leave" | "delete" | "restore";

/** What a plan does in one zone. */
export interface Outcome {
  readonly changes: readonly ObjectChange[];
  /** Objects that nothing of the stack has, and that the plan takes away. */
  readonly losses: readonly ReviewLoss[];
}

/** A resource in one zone, as the state has it and as it is declared. One that moves to another zone has only one of both. */
export interface Side {
  readonly step: PreviewStep;
  readonly was: Values | undefined;
  readonly becomes: Values | undefined;
}

const reading = new Set(["read", "read-discard", "refresh"]);

export function isChanging({ op }: Pick<PreviewStep, "op">): boolean {
  return op !== "same" && !reading.has(op);
}

/** The zones of a step of ours: two for a resource that moves, none while its zone is unknown. */
export function zonesOf({ isOurs, zone, id, before, after }: PreviewStep): readonly string[] {
  if (!isOurs || (zone === undefined && after?.["zoneId"] === unknownValue)) return [];
  return distinct([zone, zoneIdIn(id), zoneIn(before)]);
}

/** Resources that the stack has, or will have, in a zone. What a program only reads is none of them. */
export function sidesIn(zone: string | undefined, steps: readonly PreviewStep[]): Side[] {
  return steps
    .filter(({ isOurs, op }) => isOurs && !reading.has(op))
    .flatMap((step) => {
      const { op, id, before, after, recorded } = step;
      const hasOld = op !== "create" && op !== "import" && (before ?? recorded) !== undefined;
      // Outputs of the state are closer to the zone than its inputs.
      const was = hasOld ? { ...before, ...recorded } : undefined;
      const becomes = op === "delete" ? undefined : after;
      const here = {
        was: was && (zoneIn(was) ?? zoneIdIn(id)) === zone ? was : undefined,
        becomes: becomes && zoneIn(becomes) === zone ? becomes : undefined,
      };
      return here.was || here.becomes ? [{ step, ...here }] : [];
    });
}

/** Whether the declaration deletes or overwrites what others have in its zone. `maybe`: secret, or not known yet. */
export function takesOthers({ kind, after }: Pick<PreviewStep, "kind" | "after">): "yes" | "maybe" | "no" {
  const isSet = kind === "CspPolicySet";
  if (!isSet && kind !== "ManagedWafEntrypoint") return "no";
  const value = after?.[isSet ? "others" : "foreignRules"];
  if (typeof value === "symbol") return "maybe";
  return value === (isSet ? "delete" : "overwrite") ? "yes" : "no";
}

export function zoneIn(values: Values | undefined): string | undefined {
  return zoneIdOf(values?.["zoneId"]);
}
