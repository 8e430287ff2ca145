import { isDeepStrictEqual } from "node:util";
import {
  engineMarks,
  isSameRule,
  parseKind,
  parseRules,
  parseZoneId,
  toObjectType,
  urnParts,
} from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { computeEffects, type Step, type ZoneEffect } from "../review/zone-effects";
import { resourceName, resourceText } from "../shared/labels";
import { asList, distinct, type Fields, findChangedFields } from "../shared/values";
import type { ApprovedContent, ApprovedStep } from "./approved-file";
import type { PassedOn } from "./engine-plan";
import type { PreviewPlan } from "./make-approval";
import { differingPlaces, findPlaces, type Path, pathKey } from "./places";
import { type ApprovedZone, findMoved, type Moved, movedText, type ZoneObject } from "./zone-contents";

export interface Deviation {
  /** Safe to show. */
  readonly text: string;
  /** Values of `--allow` that allow the difference. One of them is enough. */
  readonly allowedBy: readonly string[];
  /** Whether the difference would remain after another approval. */
  readonly isLasting?: true;
}

type Approved = Pick<ApprovedContent, "steps" | "findings" | "zones">;
type Seen = Omit<Approved, "findings"> & Pick<PreviewPlan, "findings" | "unknownZones">;

const deviation = (text: string, ...allowedBy: readonly string[]): Deviation => ({ text, allowedBy });

/**
 * Compares an approval with the current plan and zones, and returns the differences. Pure. `passedOn` lists unknown inputs that
 * need no `--allow`. `zoneName` returns the name to show for the id of a zone.
 */
export function findDifferences(
  approved: Approved,
  now: Seen,
  passedOn: readonly PassedOn[],
  zoneName: (id: string) => string,
): readonly Deviation[] {
  const known = findKnownZones(approved, now);
  const done = known.flatMap(({ moved }) => moved.filter(({ isDone, live }) => isDone && live));
  return [
    ...stepDifferences(approved.steps, now.steps, passedOn),
    ...findingDifferences(approved, now, new Set(done.map(({ id }) => id))),
    ...now.unknownZones.map((urn) => unknownZone(urn, now.steps)),
    ...zoneDifferences(known, zoneName),
  ];
}

function stepDifferences(approved: Approved["steps"], now: Seen["steps"], passedOn: readonly PassedOn[]) {
  // A URN can have a second step, which deletes an object that an earlier run replaced but did not delete.
  const key = ({ urn, op, id }: ApprovedStep) => JSON.stringify(op === "delete" ? [urn, id] : [urn]);
  const left = new Map(approved.map((step) => [key(step), step]));
  const differences = now.flatMap((step): readonly Deviation[] => {
    const before = left.get(key(step));
    left.delete(key(step));
    if (!before) return [deviation(`${stepText(step)}: this was not approved`)];
    if (before.op !== step.op)
      return [deviation(`${stepText(step)}: the approved operation is ${before.op}`)];
    const changed = inputDifferences(before, step);
    if (changed !== "") return [deviation(`${stepText(step)}: inputs have changed: ${changed}`)];
    if (before.id !== step.id)
      return [deviation(`${stepText(step)}: the state now refers to a different object`)];
    const isRemoving = step.op === "delete" || step.op === "replace";
    if (isRemoving && before.isRetained !== step.isRetained) return [deviation(fateText(step))];
    return [...unknownInputs(before, step, passedOn), ...stateDifferences(before, step)];
  });
  const gone = [...left.values()].map((step) =>
    deviation(`${stepText(step)}: this is no longer needed`, "no-change"),
  );
  return [...differences, ...gone];
}

function fateText(step: ApprovedStep): string {
  const fate = step.isRetained ? "leaves its object in the zone" : "deletes its object";
  return `${stepText(step)}: the update now ${fate}, because retainOnDelete or deletedWith has changed in the state`;
}

function inputDifferences(approved: ApprovedStep, now: ApprovedStep): string {
  const unknown = new Set(approved.unknown.map(pathKey));
  const valueText = (value: unknown): string =>
    value === undefined ? "nothing" : forTerminal(JSON.stringify(value), 160);
  const places = [
    ...differingPlaces(approved.after ?? {}, now.after ?? {}, unknown),
    ...now.unknown.filter((path) => !unknown.has(pathKey(path))),
  ];
  const texts = nameTexts(places).map(
    (name) => `${name} ${valueText(now.after?.[name])} in place of ${valueText(approved.after?.[name])}`,
  );
  const [was, is] = [approved, now].map(({ after }) => findHidden(after));
  const keys = places.map(pathKey);
  const reason = keys.every((key) => was?.has(key) !== is?.has(key)) ? secretChanged : "";
  return texts.length === 0 ? "" : `${texts.join(", ")}${reason}`;
}

const secretChanged =
  ". The engine hides each text that equals a secret. Here, it hides either only the old or only the new value, so a secret of the stack has probably changed";

/** Returns the `pathKey` of each text that contains a secret, or something equal to a secret. */
function findHidden(inputs: ApprovedStep["after"]): ReadonlySet<string> {
  const isHidden = (value: unknown): boolean =>
    typeof value === "string" && value.includes(engineMarks.secretText);
  return new Set(findPlaces(inputs, isHidden).map(pathKey));
}

/** Returns a difference for each input that was unknown at approval. Leaves out the inputs in `passedOn`. */
function unknownInputs(approved: ApprovedStep, now: ApprovedStep, passedOn: readonly PassedOn[]) {
  const kind = parseKind(now.type);
  const isMigration = toObjectType(kind) === "migration";
  const seen = passedOn.flatMap(({ urn, inputs }) => (urn === now.urn ? inputs : []));
  // Skips `zoneId`, because `unknownZone` reports a zone that is still unknown. But a migration whose zone was unknown at approval
  // is refused, even if the zone is known now.
  if (!isMigration) seen.push("zoneId");
  const left = nameTexts(now.unknown);
  const unseen = nameTexts(approved.unknown).filter((name) => kind !== undefined && !seen.includes(name));
  return unseen.map((name) => {
    const when = left.includes(name)
      ? "is only known after something else is created"
      : "was not known at approval";
    const end = isMigration ? "; a migration never starts with an input that nobody has seen" : "";
    const text = `${stepText(now)}: the input ${name} ${when}, so nobody has seen it${end}`;
    return isMigration ? deviation(text) : deviation(text, `unknown-input=${resourceName(now.urn)}.${name}`);
  });
}

function stateDifferences(approved: ApprovedStep, now: ApprovedStep): Deviation[] {
  const inputs = nameTexts(differingPlaces(approved.before ?? {}, now.before ?? {}));
  const outputs = nameTexts(differingPlaces(approved.recorded ?? {}, now.recorded ?? {}));
  const names = distinct([...inputs, ...outputs]);
  if (names.length === 0) return [];
  // An earlier run has done part of the update if each input that differs has its declared value in the state. An output may
  // differ only if the input of the same name differs, or if that run was interrupted in the middle of this resource.
  const isPartlyDone =
    inputs.every((name) => differingPlaces(now.before?.[name], now.after?.[name]).length === 0) &&
    (outputs.every((name) => inputs.includes(name)) || now.recorded?.["incomplete"] === true);
  const text = `${stepText(now)}: the state differs in ${names.join(", ")}`;
  return [isPartlyDone ? deviation(text, "no-change") : deviation(text)];
}

/**
 * Returns new findings, and findings that now name another host or object. Ignores findings that are gone, and warnings about
 * objects that the approved steps have already created or changed. `done`: the ids of these objects.
 */
function findingDifferences(approved: Approved, now: Seen, done: ReadonlySet<unknown>): readonly Deviation[] {
  return now.findings.flatMap(({ urn, code, about, objects, text }) => {
    const before = approved.findings.find((one) => one.urn === urn && one.code === code);
    const more = about.filter((one) => !before?.about.includes(one));
    if (before && more.length === 0) return [];
    const isAdoption = code.endsWith("-adopted");
    if (!isAdoption && objects.length > 0 && objects.every((id) => done.has(id))) return [];
    const named = more.length === 0 ? "" : `${more.map((one) => forTerminal(one, 80)).join(", ")}: `;
    const shown = `${named}${forTerminal(text, 400)} [${forTerminal(code, 60)}]`;
    const difference = `${resourceName(urn)}: this was not shown at approval: ${shown}`;
    return [isAdoption ? deviation(difference, "adopted") : deviation(difference)];
  });
}

/**
 * Describes a resource whose zone is unknown. `--allow` may safely permit an unknown zone, because a zone that was known
 * at approval and is unknown now is also a changed input, which `--allow` never permits.
 */
function unknownZone(urn: string, steps: Seen["steps"]): Deviation {
  const zone = `the zone of ${resourceName(urn)} is`;
  const later = "only known after something else is created";
  // The id of an existing resource contains its zone, so even a secret zone is known here. A zone that is unknown here depends on
  // something that the update creates.
  if (steps.some((step) => step.urn === urn && step.op === "update"))
    return deviation(
      `${zone} ${later}. If it turns out to be another zone, the engine will replace the resource, although the plan shows an update. Apply the other change first, then review this one`,
    );
  const text = `${zone} secret, or ${later}, so nobody can check it`;
  const isMigration = toObjectType(parseKind(urnParts(urn).type)) === "migration";
  const refusal = isMigration
    ? deviation(`${text}; a migration never starts in such a zone`)
    : deviation(text, "unknown-zone");
  return { ...refusal, isLasting: true };
}

/** Returns the objects that differ in each zone that was read. `isDone`: the approved steps have already changed the object. */
function findKnownZones({ zones, steps }: Approved, now: Seen) {
  return now.zones.map((live) => {
    const before = zones.find(({ zoneId }) => zoneId === live.zoneId);
    const moved = before ? findMoved(before, live) : [];
    const planned = before && moved.length > 0 ? planZone(before, steps) : [];
    return {
      zoneId: live.zoneId,
      isNew: before === undefined,
      moved: moved.map((one) => ({ ...one, isDone: !one.isSealed && isExplained(one, planned, steps) })),
    };
  });
}

function zoneDifferences(
  known: ReturnType<typeof findKnownZones>,
  zoneName: (id: string) => string,
): Deviation[] {
  return known.flatMap(({ zoneId, isNew, moved }) => {
    const zone = `zone ${zoneName(zoneId)}`;
    if (isNew) return [deviation(`${zone}: at approval, the stack had nothing in this zone`)];
    return moved.map((one) => {
      const text = `${zone}: ${movedText(one)}`;
      return one.isDone ? deviation(text, "adopted", "no-change") : deviation(text);
    });
  });
}

/** Describes a step: `update csp (CspPolicy)`. */
function stepText({ op, urn }: ApprovedStep): string {
  return `${forTerminal(op, 30)} ${resourceText(urn)}`;
}

/** Returns the names of the top-level properties that contain these places, sorted and safe to show. */
export function nameTexts(places: readonly Path[]): string[] {
  return distinct(places.map(([name = ""]) => forTerminal(name, 60))).sort();
}

/** Computes the effects of the approved steps on the objects that the review found in a zone. */
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

/** Converts an approved step to the form from which effects are computed. */
export function asStep(step: ApprovedStep): Step {
  const { id = "", type, after, isRetained = false } = step;
  const kind = parseKind(type);
  return {
    ...step,
    id,
    kind: kind ?? type,
    isOurs: kind !== undefined,
    name: "",
    zone: parseZoneId(after?.["zoneId"]),
    differences: [],
    isRetained,
  };
}

/** Whether an object has changed exactly as the approved steps change it. If so, this part of the update is already done. */
function isExplained(moved: Moved, effects: readonly ZoneEffect[], steps: readonly ApprovedStep[]): boolean {
  const { kind, id, approved, live } = moved;
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

/** Whether the rules that are in both lists have the same order. Rules in only one list are reported separately. */
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
