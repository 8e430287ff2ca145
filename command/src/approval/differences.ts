import { grouped, kindOf } from "pulumi-page-guard/tools";
import { forTerminal } from "../reports/escape";
import { distinct } from "../values";
import type { ApprovedContent, ApprovedFinding, ApprovedStep } from "./approved-file";
import { type Moved, movedIn, movedText } from "./moved";
import type { PassedOn } from "./passed-on";
import { differingPlaces, type Path, pathKey } from "./places";
import type { PreviewPlan } from "./plan";
import { isAsPlanned } from "./planned";
import { resourceName, resourceText } from "./resource-text";

/** One thing that is not as approved. */
export interface Deviation {
  /** Safe to show. */
  readonly text: string;
  /** Words of `--allow`, of which any allows it. */
  readonly allowedBy: readonly string[];
}

type Approved = Pick<ApprovedContent, "steps" | "findings" | "zones" | "unknownZones">;
type Seen = Omit<Approved, "findings"> & Pick<PreviewPlan, "findings">;

/** What is not as approved in the plan and the zones. Pure. `passedOn`: unknown inputs that need no allowance. */
export function differencesFrom(
  approved: Approved,
  now: Seen,
  passedOn: readonly PassedOn[] = [],
): readonly Deviation[] {
  return [
    ...stepDifferences(approved.steps, now.steps, passedOn),
    ...findingDifferences(approved.findings, now.findings),
    ...zoneDifferences(approved, now),
  ];
}

function stepDifferences(
  approved: readonly ApprovedStep[],
  now: readonly ApprovedStep[],
  passedOn: readonly PassedOn[],
): readonly Deviation[] {
  // A resource has two steps if an object that an earlier run replaced is still to be deleted.
  const groups = [approved, now].flatMap((steps) => [...grouped(steps, ({ urn }) => urn).values()]);
  const doubled = new Set(groups.filter(({ length }) => length > 1).map(([{ urn }]) => urn));
  const key = ({ urn, op }: ApprovedStep): string => JSON.stringify(doubled.has(urn) ? [urn, op] : [urn]);
  const left = new Map(approved.map((step) => [key(step), step]));
  const differences = now.flatMap((step): readonly Deviation[] => {
    const before = left.get(key(step));
    left.delete(key(step));
    if (!before) return [never(`${stepText(step)} was not approved`)];
    if (before.op !== step.op)
      return [never(`${stepText(step)}, but it was approved to ${verb(before.op)} it`)];
    return stepMoves(before, step, passedOn);
  });
  const missing = [...left.values()].map(
    (step): Deviation => ({ text: `${stepText(step)} is no longer needed`, allowedBy: ["no-change"] }),
  );
  return [...differences, ...missing];
}

function stepMoves(
  approved: ApprovedStep,
  now: ApprovedStep,
  passedOn: readonly PassedOn[],
): readonly Deviation[] {
  const unknown = new Set(approved.unknown.map(pathKey));
  const declared = namesOf([
    ...differingPlaces(approved.after ?? {}, now.after ?? {}, unknown),
    ...now.unknown.filter((path) => !unknown.has(pathKey(path))),
  ]);
  if (declared.length > 0) {
    const values = declared.map((name) => other(name, approved, now)).join(", ");
    return [never(`${stepText(now)}: the program declares ${values}`)];
  }
  if (approved.id !== now.id) return [never(`${stepText(now)}: the state has a different object for it`)];
  return [...unknownInputs(approved, now, passedOn), ...recordMoves(approved, now)];
}

/** A value that nobody saw was never approved, even if it is known by now. */
function unknownInputs(
  approved: ApprovedStep,
  now: ApprovedStep,
  passedOn: readonly PassedOn[],
): Deviation[] {
  const kind = kindOf(now.type);
  if (kind === undefined) return [];
  const isMigration = kind === "WafMigrationStep";
  // A zone is handled apart, but for a migration.
  const unseen = namesOf(approved.unknown).filter(
    (name) =>
      (isMigration || name !== "zoneId") &&
      !passedOn.some((one) => one.urn === now.urn && one.inputs.includes(name)),
  );
  const left = new Set(namesOf(now.unknown));
  return unseen.map((name) => ({
    text: `${stepText(now)}: the input ${forTerminal(name, 60)} ${
      left.has(name)
        ? "is only known after something else is created, so nobody has seen it"
        : "was not known at approval, so nobody has seen it"
    }${isMigration ? "; a migration never starts like this" : ""}`,
    allowedBy: isMigration ? [] : [`unknown-input=${resourceName(now.urn)}.${forTerminal(name, 60)}`],
  }));
}

function recordMoves(approved: ApprovedStep, now: ApprovedStep): Deviation[] {
  const inputs = namesOf(differingPlaces(approved.before ?? {}, now.before ?? {}));
  const outputs = namesOf(differingPlaces(approved.recorded ?? {}, now.recorded ?? {})).filter(
    (name) => !inputs.includes(name),
  );
  if (inputs.length + outputs.length === 0) return [];
  // A part was done already: what differs is as declared, or the state says that the last update was cut off.
  const isNearer =
    inputs.every((name) => differingPlaces(now.before?.[name], now.after?.[name]).length === 0) &&
    (outputs.length === 0 || now.recorded?.["incomplete"] === true);
  return [
    {
      text: `${stepText(now)}: the state has a different ${[...inputs, ...outputs].map((name) => forTerminal(name, 60)).join(", ")}`,
      allowedBy: isNearer ? ["no-change"] : [],
    },
  ];
}

/** New findings, and what they newly name. Fewer are no difference. */
function findingDifferences(
  approved: readonly ApprovedFinding[],
  now: Seen["findings"],
): readonly Deviation[] {
  return now.flatMap(({ urn, code, about, text }) => {
    const before = approved.find((one) => one.urn === urn && one.code === code);
    const more = about.filter((one) => !before?.about.includes(one));
    if (before && more.length === 0) return [];
    const named = more.map((one) => forTerminal(one, 80)).join(", ");
    return [
      {
        text: `${resourceName(urn)}: this was not shown at approval: ${named === "" ? "" : `${named}: `}${forTerminal(text, 400)} [${forTerminal(code, 60)}]`,
        allowedBy: code.endsWith("-adopted") ? ["adopted"] : [],
      },
    ];
  });
}

function zoneDifferences(approved: Approved, now: Seen): readonly Deviation[] {
  const zones = now.zones.map((live) => ({
    live,
    before: approved.zones.find(({ zoneId }) => zoneId === live.zoneId),
  }));
  const moved = zones.flatMap(({ live, before }): readonly Moved[] => (before ? movedIn(before, live) : []));
  return [
    ...now.unknownZones.map(
      (urn): Deviation => ({
        text: `the zone of ${resourceName(urn)} is only known after something else is created, so nobody can check it`,
        allowedBy: approved.unknownZones.includes(urn) ? ["unknown-zone"] : [],
      }),
    ),
    ...zones.flatMap(({ live, before }) =>
      before ? [] : [never(`zone ${live.zoneId}: the stack had nothing in it at approval`)],
    ),
    ...moved.map(
      (one): Deviation => ({
        text: `zone ${one.zoneId}: ${movedText(one)}`,
        allowedBy: isAsPlanned(one, moved, approved.steps) ? ["adopted", "no-change"] : [],
      }),
    ),
  ];
}

function never(text: string): Deviation {
  return { text, allowedBy: [] };
}

/** `to update csp (CspPolicy)`. */
function stepText({ op, urn, type }: ApprovedStep): string {
  return `to ${verb(op)} ${resourceText(urn, type)}`;
}

function verb(op: string): string {
  return forTerminal(op, 30);
}

/** The properties in which the places are. */
function namesOf(places: readonly Path[]): string[] {
  return distinct(places.map(([name = ""]) => name)).sort();
}

function other(name: string, approved: ApprovedStep, now: ApprovedStep): string {
  const value = (one: unknown): string =>
    one === undefined ? "nothing" : forTerminal(JSON.stringify(one) ?? "", 160);
  return `${forTerminal(name, 60)} ${value(now.after?.[name])} in place of ${value(approved.after?.[name])}`;
}
