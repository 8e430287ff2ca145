import { zoneIdIn, zoneIdOf } from "../../zone/zone-id";
import { type PreviewStep, unknownValue } from "./preview-read";
import type { PolicyStep } from "./stack-policies";

/** What happens to one object of a zone: a policy, a WAF rule, the settings. */
export interface ObjectChange {
  readonly step: PreviewStep;
  readonly zone: string | undefined;
  readonly kind: "policy" | "rule" | "settings";
  readonly fate: Fate;
  /** Key in its set, or description, as a person wrote it. */
  readonly label: string;
  /** Of an object that is in the zone already. */
  readonly id: string | undefined;
  /** The resource that has it afterwards. */
  readonly movesTo?: PreviewStep | undefined;
  /** How protection gets weaker, in words; of an object that is left in its zone, how it would if it were deleted. */
  readonly weaker: string | undefined;
}

/** `leave`: it stays without being declared. `restore`: to what was found before the first change. */
export type Fate = "create" | "update" | "move" | "leave" | "delete" | "restore";

/** Steps that change nothing. */
const idle = new Set(["same", "read", "read-discard", "refresh"]);

export function isChanging({ op }: PreviewStep): boolean {
  return !idle.has(op);
}

/** The zones of a step of ours: two for a resource that moves, none while its zone is unknown. */
export function zonesOf({ isOurs, zone, id, after }: PreviewStep): readonly string[] {
  if (!isOurs || (zone === undefined && after?.["zoneId"] === unknownValue)) return [];
  return [...new Set([zone, zoneIdIn(id)])].filter((one) => one !== undefined);
}

/** The state and the declaration of a step. Outputs of the state are closer to the zone than its inputs. */
export function sidesOf({ op, before, recorded, after }: PreviewStep): {
  readonly was: Record<string, unknown> | undefined;
  readonly becomes: Record<string, unknown> | undefined;
} {
  const hasOld = op !== "create" && op !== "import" && (before ?? recorded) !== undefined;
  return {
    was: hasOld ? { ...before, ...recorded } : undefined,
    becomes: op === "delete" ? undefined : after,
  };
}

/**
 * Whether the declaration deletes or overwrites what others have in its zone. `maybe`: secret, or not known yet. In an
 * approval that is text, so that only what was seen is a "yes".
 */
export function takesOthers({ kind, after }: Pick<PolicyStep, "kind" | "after">): "yes" | "maybe" | "no" {
  const isSet = kind === "CspPolicySet";
  if (!isSet && kind !== "ManagedWafEntrypoint") return "no";
  const value = after?.[isSet ? "others" : "foreignRules"];
  if (typeof value === "symbol") return "maybe";
  return value === (isSet ? "delete" : "overwrite") ? "yes" : "no";
}

export function zoneIn(values: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return zoneIdOf(values?.["zoneId"]);
}

/** What becomes of the list or the settings that a resource alone has in its zone. */
export interface Succession {
  readonly step: PreviewStep;
  readonly was: Record<string, unknown> | undefined;
  readonly becomes: Record<string, unknown> | undefined;
  /** Another resource that has it afterwards. */
  readonly heir?: PreviewStep | undefined;
}

/** A deletion undoes nothing where a resource of the same provider has the zone by then: one of another name, or its own replacement. */
export function successions(steps: readonly PreviewStep[]): readonly Succession[] {
  const sides = steps.flatMap((step): Succession[] => {
    const { was, becomes } = sidesOf(step);
    const isMoving = step.op === "replace" && (zoneIn(was) ?? "") !== zoneIn(becomes);
    return isMoving
      ? [
          { step, was, becomes: undefined },
          { step, was: undefined, becomes },
        ]
      : [{ step, was, becomes }];
  });
  const heirOf = ({ step, was, becomes }: Succession): Succession | undefined => {
    const zone = becomes ? undefined : zoneIn(was);
    return sides.find(
      (other) =>
        zone !== undefined &&
        !other.was &&
        zoneIn(other.becomes) === zone &&
        other.step.provider === step.provider,
    );
  };
  const heirs = new Map(sides.map((side) => [side, heirOf(side)]));
  const taken = new Set(heirs.values());
  return sides
    .filter((side) => !taken.has(side))
    .map((side) => {
      const heir = heirs.get(side);
      return heir ? { ...side, becomes: heir.becomes, heir: heir.step } : side;
    });
}
