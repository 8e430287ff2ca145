import { isDeepStrictEqual } from "node:util";
import { isSameRule, parseKind, parseRules, parseZoneId, toObjectType } from "pulumi-page-guard/tools";
import { forTerminal } from "../reports/escape";
import { computeEffects, type Step, type ZoneEffect } from "../review/objects";
import { resourceName, resourceText } from "../shared/labels";
import { asList, distinct, type Fields, findChangedFields } from "../shared/values";
import type { ApprovedContent, ApprovedStep } from "./approved-file";
import type { PassedOn } from "./engine-plan";
import { differingPlaces, type Path, pathKey } from "./places";
import type { PreviewPlan } from "./plan";
import { type ApprovedZone, findMoved, type Moved, movedText, type ZoneObject } from "./zone-contents";

export interface Deviation {
  /** Safe to show. */
  readonly text: string;
  /** Values of `--allow`. Each of them alone allows the difference. */
  readonly allowedBy: readonly string[];
}

type Approved = Pick<ApprovedContent, "steps" | "findings" | "zones">;
type Seen = Omit<Approved, "findings"> & Pick<PreviewPlan, "findings" | "unknownZones">;

const never = (text: string): Deviation => ({ text, allowedBy: [] });

/**
 * Compares an approval with the current plan and zones, and returns the differences. Pure. `passedOn` lists unknown inputs
 * that need no `--allow`. `zoneName` returns the name to show for the id of a zone.
 */
export function findDifferences(
  approved: Approved,
  now: Seen,
  passedOn: readonly PassedOn[],
  zoneName: (id: string) => string,
): readonly Deviation[] {
  return [
    ...stepDifferences(approved.steps, now.steps, passedOn),
    ...findingDifferences(approved, now),
    ...zoneDifferences(approved, now, zoneName),
  ];
}

function stepDifferences(
  approved: readonly ApprovedStep[],
  now: readonly ApprovedStep[],
  passedOn: readonly PassedOn[],
): readonly Deviation[] {
  // A URN can have a second step, which deletes an object that an earlier run replaced but did not delete.
  const key = ({ urn, op, id }: ApprovedStep): string => {
    const deletedId = op === "delete" ? id : "";
    return `${urn} ${deletedId}`;
  };
  const left = new Map(approved.map((step) => [key(step), step]));
  const differences = now.flatMap((step): readonly Deviation[] => {
    const before = left.get(key(step));
    left.delete(key(step));
    if (!before) return [never(`${stepText(step)}: this was not approved`)];
    if (before.op !== step.op) return [never(`${stepText(step)}: the approved operation is ${before.op}`)];
    const changed = inputDifferences(before, step);
    if (changed !== "") return [never(`${stepText(step)}: inputs have changed: ${changed}`)];
    if (before.id !== step.id)
      return [never(`${stepText(step)}: the state now refers to a different object`)];
    if (isRemoving(step) && before.isRetained !== step.isRetained) return [never(fateText(step))];
    return [...unknownInputs(before, step, passedOn), ...stateDifferences(before, step)];
  });
  const allowedBy = ["no-change"];
  const gone = [...left.values()].map((step) => ({
    text: `${stepText(step)}: this is no longer needed`,
    allowedBy,
  }));
  return [...differences, ...gone];
}

function isRemoving({ op }: ApprovedStep): boolean {
  return op === "delete" || op === "replace";
}

function fateText(step: ApprovedStep): string {
  const fate = step.isRetained ? "leaves its object in the zone" : "deletes its object";
  return `${stepText(step)}: the update now ${fate}, because retainOnDelete or deletedWith has changed in the state`;
}

function inputDifferences(approved: ApprovedStep, now: ApprovedStep): string {
  const unknown = new Set(approved.unknown.map(pathKey));
  const valueText = (value: unknown): string =>
    value === undefined ? "nothing" : forTerminal(JSON.stringify(value), 160);
  return nameTexts([
    ...differingPlaces(approved.after ?? {}, now.after ?? {}, unknown),
    ...now.unknown.filter((path) => !unknown.has(pathKey(path))),
  ])
    .map((name) => `${name} ${valueText(now.after?.[name])} in place of ${valueText(approved.after?.[name])}`)
    .join(", ");
}

/**
 * Returns a difference for each input that was unknown at approval, because nobody saw its value before approving. Leaves out
 * the inputs in `passedOn`.
 */
function unknownInputs(
  approved: ApprovedStep,
  now: ApprovedStep,
  passedOn: readonly PassedOn[],
): Deviation[] {
  const kind = parseKind(now.type);
  const isMigration = toObjectType(kind) === "migration";
  const seen = passedOn.flatMap(({ urn, inputs }) => (urn === now.urn ? inputs : []));
  // `zoneDifferences` reports an unknown zone, and `--allow` can permit it. For a migration, this function also reports `zoneId`,
  // and no value of `--allow` permits that.
  if (!isMigration) seen.push("zoneId");
  const left = nameTexts(now.unknown);
  const unseen = nameTexts(approved.unknown).filter((name) => kind !== undefined && !seen.includes(name));
  return unseen.map((name) => {
    const isLeft = left.includes(name);
    const when = isLeft ? "is only known after something else is created" : "was not known at approval";
    const end = isMigration ? "; a migration never starts with an input that nobody has seen" : "";
    return {
      text: `${stepText(now)}: the input ${name} ${when}, so nobody has seen it${end}`,
      allowedBy: isMigration ? [] : [`unknown-input=${resourceName(now.urn)}.${name}`],
    };
  });
}

function stateDifferences(approved: ApprovedStep, now: ApprovedStep): Deviation[] {
  const inputs = nameTexts(differingPlaces(approved.before ?? {}, now.before ?? {}));
  const outputs = nameTexts(differingPlaces(approved.recorded ?? {}, now.recorded ?? {}));
  const names = distinct([...inputs, ...outputs]);
  if (names.length === 0) return [];
  // Part of the update has already been done if two things hold: each input that differs has its declared value in the state,
  // and only outputs with the names of these inputs differ. After an interrupted update, other outputs may differ as well.
  const isPartlyDone =
    inputs.every((name) => differingPlaces(now.before?.[name], now.after?.[name]).length === 0) &&
    (outputs.every((name) => inputs.includes(name)) || now.recorded?.["incomplete"] === true);
  const text = `${stepText(now)}: the state differs in ${names.join(", ")}`;
  return [{ text, allowedBy: isPartlyDone ? ["no-change"] : [] }];
}

/** Returns new findings, and findings that name a host or object not named at approval. Findings that are gone do not count. */
function findingDifferences(approved: Approved, now: Seen): readonly Deviation[] {
  return now.findings.flatMap(({ urn, code, about, text }) => {
    const before = approved.findings.find((one) => one.urn === urn && one.code === code);
    const more = about.filter((one) => !before?.about.includes(one));
    if (before && more.length === 0) return [];
    const named = more.length === 0 ? "" : `${more.map((one) => forTerminal(one, 80)).join(", ")}: `;
    const shown = `${named}${forTerminal(text, 400)} [${forTerminal(code, 60)}]`;
    return [
      {
        text: `${resourceName(urn)}: this was not shown at approval: ${shown}`,
        allowedBy: code.endsWith("-adopted") ? ["adopted"] : [],
      },
    ];
  });
}

function zoneDifferences(approved: Approved, now: Seen, zoneName: (id: string) => string): Deviation[] {
  // Permitting an unknown zone is safe: if the zone was known at approval, the steps differ as well, and no value of `--allow`
  // permits that difference.
  const unknown = now.unknownZones.map((urn) => ({
    text: `the zone of ${resourceName(urn)} is secret, or only known after something else is created, so nobody can check it`,
    allowedBy: ["unknown-zone"],
  }));
  const known = now.zones.flatMap((live) => {
    const before = approved.zones.find(({ zoneId }) => zoneId === live.zoneId);
    const zone = `zone ${zoneName(live.zoneId)}`;
    if (!before) return [never(`${zone}: at approval, the stack had nothing in this zone`)];
    const moved = findMoved(before, live);
    const planned = moved.length === 0 ? undefined : planZone(before, approved.steps);
    return moved.map((one) => {
      const isDone = planned && !one.isSealed && isExplained(one, planned, approved.steps);
      return { text: `${zone}: ${movedText(one)}`, allowedBy: isDone ? ["adopted", "no-change"] : [] };
    });
  });
  return [...unknown, ...known];
}

/** Describes a step: `update csp (CspPolicy)`. */
function stepText({ op, urn }: ApprovedStep): string {
  return `${forTerminal(op, 30)} ${resourceText(urn)}`;
}

/** Returns the names of the top-level properties that contain these places, sorted and safe to show. */
export function nameTexts(places: readonly Path[]): string[] {
  return distinct(places.map(([name = ""]) => forTerminal(name, 60))).sort();
}

/** Computes the effects of approved steps in a zone, based on the objects that the review found in the zone. */
function planZone({ zoneId, objects }: ApprovedZone, steps: readonly ApprovedStep[]) {
  const ofKind = (kind: ZoneObject["kind"]) => objects.filter((one) => one.kind === kind);
  const [settings] = ofKind("settings");
  return computeEffects(zoneId, steps.map(asStep), {
    settings: settings?.fields,
    policies: ofKind("policy").map(({ id, fields }) => ({ ...fields, policyId: id })),
    entrypoint: {
      rules: ofKind("rule").flatMap(({ id, fields }) =>
        parseRules([fields]).map((rule) => ({ ...rule, id })),
      ),
    },
  });
}

function asStep({ op, urn, type, id = "", before, after, recorded, isRetained }: ApprovedStep): Step {
  const kind = parseKind(type);
  return {
    op,
    urn,
    id,
    before,
    after,
    recorded,
    kind: kind ?? type,
    isOurs: kind !== undefined,
    name: "",
    zone: parseZoneId(after?.["zoneId"]),
    differences: [],
    isRetained: isRetained === true,
  };
}

/** Whether an object changed exactly as the approved steps change it. If so, this part of the update has already been done. */
function isExplained(
  { kind, id, approved, live }: Moved,
  effects: readonly ZoneEffect[],
  steps: readonly ApprovedStep[],
): boolean {
  if (kind === "migration") return false;
  if (kind === "entrypoint") {
    const names = [approved?.fields, ...steps.map(({ after }) => after)].map((one) => one?.["name"]);
    // A new list without a declared name gets its name from the service.
    const isName = names.includes(live?.fields["name"]) || names.every((name) => name === undefined);
    return isName && isSameOrder(approved?.fields, live?.fields);
  }
  return effects.some(({ object, fate, after, isOpen }) => {
    if (object.kind !== kind || (approved && (object.id ?? "") !== id)) return false;
    if (live) return isSame(kind, after, live.fields);
    return !after && !isOpen && (fate === "delete" || fate === "restore" || fate === "lose");
  });
}

/** Whether the rules that are in both lists have the same order. Rules that are in only one list are reported separately. */
function isSameOrder(...lists: readonly [Fields | undefined, Fields | undefined]): boolean {
  const [was, now] = lists.map((one) => asList(one?.["order"]));
  return isDeepStrictEqual(
    was?.filter((one) => now?.includes(one)),
    now?.filter((one) => was?.includes(one)),
  );
}

function isSame(kind: ZoneObject["kind"], becomes: Fields | undefined, live: Fields): boolean {
  if (kind !== "rule") return becomes !== undefined && findChangedFields(kind, becomes, live).length === 0;
  const [one, other] = parseRules([becomes, live]);
  return one !== undefined && other !== undefined && isSameRule(one, other);
}
