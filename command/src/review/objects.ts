import { zoneIdOf } from "pulumi-page-guard/tools";
import { isReading, type PreviewStep, type Values } from "../preview/preview-read";
import type { ReviewLoss } from "../reports/review/review";

/** What happens to one object of a zone: a policy, a WAF rule, the settings. */
export interface ObjectChange {
  readonly step: Step;
  readonly zone: string | undefined;
  readonly kind: "policy" | "rule" | "settings";
  readonly fate: Fate;
  /** Key in its set, or description, as a person wrote it. */
  readonly label: string;
  /** Id of an object that is in the zone already. */
  readonly id: string | undefined;
  /** What it will be, as far as it is known: the meaning of a policy, the rule, the switches of settings. */
  readonly becomes?: unknown;
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

/** What is asked of a step: an approved file has no more. */
export type Step = Pick<
  PreviewStep,
  "op" | "urn" | "name" | "kind" | "isOurs" | "zone" | "id" | "before" | "after" | "recorded"
> &
  Pick<PreviewStep, "differences" | "isRetained">;

/** A resource in one zone, as the state has it and as it is declared. One that moves to another zone has only one of both. */
export interface Side {
  readonly step: Step;
  readonly was: Values | undefined;
  readonly becomes: Values | undefined;
}

/** Resources that the stack has, or will have, in a zone. What a program only reads is none of them. */
export function sidesIn(zone: string | undefined, steps: readonly Step[]): Side[] {
  return steps.flatMap((step): Side[] => {
    const { op, id, before, after, recorded } = step;
    if (!step.isOurs || isReading(step)) return [];
    const hasOld = op !== "create" && op !== "import" && (before ?? recorded) !== undefined;
    // Outputs of the state are closer to the zone than its inputs.
    const old = hasOld ? { ...before, ...recorded } : undefined;
    const was = old && (zoneIdOf(old["zoneId"]) ?? zoneIdOf(id.split("/", 1)[0])) === zone ? old : undefined;
    const becomes = op !== "delete" && after && step.zone === zone ? after : undefined;
    return was || becomes ? [{ step, was, becomes }] : [];
  });
}

/** Whether the declaration deletes or overwrites what others have in its zone. `maybe`: secret, or not known yet. */
export function takesOthers({ kind, after }: Pick<Step, "kind" | "after">): "yes" | "maybe" | "no" {
  const taking = { CspPolicySet: ["others", "delete"], ManagedWafEntrypoint: ["foreignRules", "overwrite"] };
  const [, [name, word] = []] = Object.entries(taking).find(([one]) => one === kind) ?? [];
  const value = name === undefined ? undefined : after?.[name];
  return typeof value === "symbol" ? "maybe" : value !== undefined && value === word ? "yes" : "no";
}
