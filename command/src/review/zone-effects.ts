import {
  effectsOf,
  engineMarks,
  findKind,
  groupBy,
  isChanging,
  parseZoneId,
  readDeclaredAs,
  type ZoneValues,
} from "pulumi-page-guard/tools";
import type { ReviewLoss } from "../documents/review/review";
import {
  isReading,
  listZones,
  type PreviewStep,
  secretValue,
  unknownValue,
  type Values,
} from "../preview/preview-read";
import { asText, compareTexts, distinct } from "../shared/values";

/** A step. The fields that decide its effects are required; the others are optional, because an approval lacks some of them. */
export type Step = Partial<PreviewStep> &
  Pick<PreviewStep, "op" | "urn" | "name" | "id" | "kind" | "isOurs" | "zone" | "isRetained" | "differences">;

type Resource = Parameters<typeof effectsOf>[0][number] & { readonly step: Step };

export type ZoneEffect = ReturnType<typeof effectsOf<Resource>>[number] & {
  readonly zone: string | undefined;
};

/** Computes the effects of a plan in its zones. `values` has the contents of the zones that were read. */
export function zoneEffects(steps: readonly Step[], values: ReadonlyMap<string, ZoneValues> = new Map()) {
  const changing = steps.filter((step) => step.isOurs && isChanging(step));
  const zones = new Set(changing.flatMap((step) => [...listZones(step), step.zone]));
  return [...zones].sort().flatMap((zone) => computeEffects(zone, steps, values.get(zone ?? "") ?? {}));
}

/**
 * Computes the effects of a plan in one zone, separately for each provider, because one provider may delete an object that
 * another adopts. `live` has the contents of the zone; parts that were not read are undefined.
 */
export function computeEffects(
  zone: string | undefined,
  steps: readonly Step[],
  live: Parameters<typeof effectsOf>[1],
): readonly ZoneEffect[] {
  const byProvider = groupBy(listResources(zone, steps), ({ step }) => step.provider);
  return [...byProvider.values()].flatMap((some) =>
    effectsOf(some, live).map((effect) => ({ ...effect, zone })),
  );
}

/** Returns, for the id of each policy that a resource keeps in a plan, the URN of that resource. */
export function findKeepers(steps: readonly Step[]): ReadonlyMap<string, string> {
  const zones = [...new Set(steps.map(({ zone }) => zone))];
  const groups = groupBy(steps, ({ kind }) => findKind(kind)?.inZone.keepersOf);
  const keepers = [...groups].flatMap(([keepersOf, some]) => [
    ...(keepersOf?.(zones.flatMap((zone) => listResources(zone, some))) ?? []),
  ]);
  return new Map(keepers);
}

/**
 * Returns the resources that the stack has or will have in a zone. Leaves out resources that the program only reads, and
 * resources that the engine may leave out (`--target`), because the provider then does not know their objects.
 */
function listResources(zone: string | undefined, steps: readonly Step[]): Resource[] {
  return steps.flatMap((step): Resource[] => {
    const { op, id, before, after, recorded } = step;
    if (!step.isOurs || isReading(step) || step.isLeftOut) return [];
    const hasOld = op !== "create" && op !== "import" && (before ?? recorded) !== undefined;
    // Outputs win over inputs, because outputs are closer to the contents of the zone. A secret output does not win over a visible
    // input, except over a list of rules, because only the output has the ids of the rules.
    const isShown = ([name, value]: readonly [string, unknown]) =>
      value !== secretValue || before?.[name] === undefined || Array.isArray(before[name]);
    const shown = Object.fromEntries(Object.entries(recorded ?? {}).filter(isShown));
    const old = hasOld ? { ...before, ...shown } : undefined;
    const was =
      old && (parseZoneId(old["zoneId"]) ?? parseZoneId(id.split("/", 1)[0])) === zone ? old : undefined;
    const becomes = op !== "delete" && after && step.zone === zone ? withMarks(after) : undefined;
    return was || becomes ? [{ ...step, step, was, becomes }] : [];
  });
}

/** Returns values as a provider receives them, with the engine's mark for unknown values. */
function withMarks(values: Values): Values {
  const marked = (value: unknown): unknown => {
    if (value === unknownValue) return engineMarks.unknown;
    if (Array.isArray(value)) return value.map(marked);
    return typeof value === "object" && value !== null ? withMarks({ ...value }) : value;
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, marked(value)]));
}

/** Returns the zones in which a plan does more than adopt objects or leave them unmanaged. */
export function listChangedZones(effects: readonly ZoneEffect[]): readonly string[] {
  return distinct(effects.map(({ fate, zone }) => (fate === "adopt" || fate === "leave" ? undefined : zone)));
}

/** Returns the unmanaged objects that a plan deletes or overwrites. */
export function collectLosses(effects: readonly ZoneEffect[]): ReviewLoss[] {
  return effects
    .filter(({ fate }) => fate === "lose")
    .map(({ object: { kind, id = "", label }, zone, by, before = {}, after, isOpen }) => ({
      kind: kind === "policy" ? "policy" : "rule",
      fate: isOpen ? "maybe deleted" : after ? "overwritten" : "deleted",
      label,
      places: [{ zone, id }],
      by: [readDeclaredAs(by.urn)],
      content: Object.entries(before)
        .filter(([name]) => name !== "description" && name !== "policyId")
        .map(([name, value]) => [name, asText(value)] as const)
        .sort(([left], [right]) => compareTexts(left, right)),
    }));
}

/** Whether a declaration deletes or overwrites unmanaged objects: `maybe` if the setting for this is secret or unknown. */
export function takesOthers({ kind, after }: Pick<Step, "kind" | "after">): "yes" | "maybe" | "no" {
  const taking = findKind(kind)?.inZone.takesOthers;
  return taking?.(after && withMarks(after)) ?? "no";
}
