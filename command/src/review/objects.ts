import { zoneIdIn, zoneIdOf } from "pulumi-page-guard/tools";
import { isReading, type PreviewStep, type Values } from "../preview/preview-read";
import type { ReviewLoss } from "../reports/review/review";

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

/** What a plan does in one zone. `losses`: objects that nothing of the stack has, and that the plan takes away. */
export interface Outcome {
  readonly changes: readonly ObjectChange[];
  readonly losses: readonly ReviewLoss[];
}

export const nothing: Outcome = { changes: [], losses: [] };

/** A resource in one zone, as the state has it and as it is declared. One that moves to another zone has only one of both. */
export interface Side {
  readonly step: PreviewStep;
  readonly was: Values | undefined;
  readonly becomes: Values | undefined;
}

/** Resources that the stack has, or will have, in a zone. What a program only reads is none of them. */
export function sidesIn(zone: string | undefined, steps: readonly PreviewStep[]): Side[] {
  const ours = steps.filter((step) => step.isOurs && !isReading(step));
  const all = ours.map((step): Side => {
    const { op, id, before, after, recorded } = step;
    const hasOld = op !== "create" && op !== "import" && (before ?? recorded) !== undefined;
    // Outputs of the state are closer to the zone than its inputs.
    const was = hasOld ? { ...before, ...recorded } : undefined;
    return {
      step,
      was: was && (zoneIdOf(was["zoneId"]) ?? zoneIdIn(id)) === zone ? was : undefined,
      becomes: op !== "delete" && after && zoneIdOf(after["zoneId"]) === zone ? after : undefined,
    };
  });
  return all.filter(({ was, becomes }) => was ?? becomes);
}

/** Whether the declaration deletes or overwrites what others have in its zone. `maybe`: secret, or not known yet. */
export function takesOthers({ kind, after }: Pick<PreviewStep, "kind" | "after">): "yes" | "maybe" | "no" {
  const isSet = kind === "CspPolicySet";
  if (!isSet && kind !== "ManagedWafEntrypoint") return "no";
  const value = after?.[isSet ? "others" : "foreignRules"];
  if (typeof value === "symbol") return "maybe";
  return value === (isSet ? "delete" : "overwrite") ? "yes" : "no";
}
