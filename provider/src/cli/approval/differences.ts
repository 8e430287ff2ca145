import { isDeepStrictEqual } from "node:util";
import type { ApprovedContent, ApprovedFinding, ApprovedStep } from "../../lifecycle/approval/approved-file";
import { differingPlaces, type Path, pathKey, placeText } from "../../lifecycle/approval/differing-places";
import { type Moved, movedText } from "../../lifecycle/approval/moved";
import { migrationKind, otherPlaces, unseenInputs } from "../../lifecycle/approval/step-compared";
import { kindOf } from "../../lifecycle/urn";
import { forTerminal } from "../../reports/escape";
import { canonical } from "../../text/canonical";
import { grouped } from "../../text/grouped";
import {
  blockedHosts,
  type Listed,
  type ListedHost,
  type ListedSource,
  lettingSources,
} from "../review/agreed-data";
import type { PreviewPlan } from "./plan";
import { isAsPlanned } from "./planned";
import { resourceName, resourceText } from "./resource-text";

/** Differences that may be allowed by name. */
export const allowances = ["taken-over", "no-change", "unknown-zone", "unknown-input"] as const;
export type Allowance = (typeof allowances)[number];

/** One thing that is not as approved. */
export interface Deviation {
  /** Safe to show. */
  readonly text: string;
  /** Any of these allows it. */
  readonly allowedBy: readonly Allowance[];
}

/** What is not as approved in the plan and the zones. Pure. `moved`: differences in the zones. */
export function differencesFrom(
  approved: ApprovedContent,
  now: Pick<ApprovedContent, "steps" | "secrets" | "findings" | "zones" | "unknownZones">,
  moved: readonly Moved[],
): readonly Deviation[] {
  return [
    ...stepDifferences(approved.steps, now.steps),
    ...secretDifferences(approved, now),
    ...findingDifferences(approved.findings, now.findings),
    ...zoneDifferences(approved, now, moved),
  ];
}

/** Never allowed: its code is the program's own, and may do anything. */
export function forgedDifferences({ forged }: Pick<PreviewPlan, "forged">): readonly Deviation[] {
  return forged.map((urn) =>
    never(
      `${resourceName(urn)} has a type of this package, but its provider is the program's own and runs with the token`,
    ),
  );
}

function stepDifferences(
  approved: readonly ApprovedStep[],
  now: readonly ApprovedStep[],
): readonly Deviation[] {
  // A resource has two steps if an object that an earlier run replaced is still to be deleted.
  const groups = [approved, now].flatMap((steps) => [...grouped(steps, ({ urn }) => urn).values()]);
  const doubled = new Set(groups.filter(({ length }) => length > 1).map(([{ urn }]) => urn));
  const key = ({ urn, op }: ApprovedStep): string => JSON.stringify(doubled.has(urn) ? [urn, op] : [urn]);
  const left = new Map(approved.map((step) => [key(step), step]));
  const differences = now.flatMap((step): Deviation[] => {
    const before = left.get(key(step));
    left.delete(key(step));
    if (!before) return [never(`${stepText(step)} was not approved`)];
    if (before.op !== step.op)
      return [never(`${stepText(step)}, but it was approved to ${verb(before.op)} it`)];
    return stepMoves(before, step);
  });
  const missing = [...left.values()].map(
    (step): Deviation => ({ text: `${stepText(step)} is no longer needed`, allowedBy: ["no-change"] }),
  );
  return [...differences, ...missing];
}

function stepMoves(approved: ApprovedStep, now: ApprovedStep): Deviation[] {
  const { inputs, outputs } = otherPlaces(approved, now);
  const declared = declaredMoves(approved, now, inputs);
  if (declared.length > 0) {
    return [
      never(
        `${stepText(now)}: the program declares ${declared.map((name) => other(name, approved, now)).join(", ")}`,
      ),
    ];
  }
  if (approved.id !== now.id) return [never(`${stepText(now)}: the state has a different object for it`)];
  return [...unknownInputs(approved, now), ...recordMoves(approved, now, outputs)];
}

/** Inputs with another value, and ones that became secret or unknown. One that became known is no difference. */
function declaredMoves(approved: ApprovedStep, now: ApprovedStep, inputs: readonly Path[]): string[] {
  const unknown = new Set(approved.unknown.map(pathKey));
  const moved = [
    ...inputs,
    ...now.unknown.filter((path) => !unknown.has(pathKey(path))),
    ...notInBoth(approved.secret, now.secret).map((name) => [name]),
  ];
  return namesOf(moved);
}

/** A value that nobody saw was never approved, even if it is known by now. */
function unknownInputs(approved: ApprovedStep, now: ApprovedStep): Deviation[] {
  const kind = kindOf(now.type);
  if (kind === undefined) return [];
  const left = new Set(now.unknown.map(pathKey));
  const isMigration = kind === migrationKind;
  return unseenInputs(approved).map((path) => ({
    text: `${stepText(now)}: the input ${placeText(path)} ${
      left.has(pathKey(path))
        ? "is only known after something else is created, so nobody has seen it"
        : "was not known at approval, so nobody has seen it"
    }${isMigration ? "; a migration never starts like this" : ""}`,
    allowedBy: isMigration ? [] : ["unknown-input"],
  }));
}

function recordMoves(approved: ApprovedStep, now: ApprovedStep, places: readonly Path[]): Deviation[] {
  const inputs = namesOf(differingPlaces(approved.before ?? {}, now.before ?? {}));
  const outputs = [...namesOf(places), ...notInBoth(approved.hidden, now.hidden)].filter(
    (name) => !inputs.includes(name),
  );
  const recorded = [...inputs, ...outputs];
  if (recorded.length === 0 && isDeepStrictEqual(approved.differences, now.differences)) return [];
  const isLess = Object.entries(now.differences).every(([path, kind]) => approved.differences[path] === kind);
  // The state differs, and each remaining difference was approved: a part was done already.
  const isNearer =
    isLess &&
    inputs.every((name) => isDeepStrictEqual(now.before?.[name], now.after?.[name])) &&
    (outputs.length === 0 || now.recorded?.["incomplete"] === true);
  const names = recorded.length > 0 ? recorded : Object.keys({ ...approved.differences, ...now.differences });
  return [
    {
      text: `${stepText(now)}: the state has a different ${names.map((name) => forTerminal(name, 60)).join(", ")}`,
      allowedBy: isNearer ? ["no-change"] : [],
    },
  ];
}

function notInBoth(left: readonly string[], right: readonly string[]): string[] {
  return [...left, ...right].filter((name) => !(left.includes(name) && right.includes(name)));
}

function secretDifferences(
  approved: Pick<ApprovedContent, "secrets" | "steps">,
  now: Pick<ApprovedContent, "secrets">,
): readonly Deviation[] {
  const key = ({ urn, property }: { readonly urn: string; readonly property: string }): string =>
    `${urn}#${property}`;
  const before = new Map(approved.secrets.map((secret) => [key(secret), secret.digest]));
  // Reported as an unknown input.
  const unknown = new Set(
    approved.steps.flatMap(({ urn, unknown: paths }) =>
      paths.map(([property = ""]) => key({ urn, property })),
    ),
  );
  return now.secrets
    .filter((secret) => before.get(key(secret)) !== secret.digest && !unknown.has(key(secret)))
    .map(({ urn, property }) =>
      never(`the secret input ${property} of ${resourceName(urn)} has a different value`),
    );
}

/** New findings. A finding that disappeared is no difference. */
function findingDifferences(
  approved: readonly ApprovedFinding[],
  now: readonly ApprovedFinding[],
): readonly Deviation[] {
  const shownThen = new Set(approved.flatMap(meaningsOf));
  return now
    .filter((finding) => meaningsOf(finding).some((meaning) => !shownThen.has(meaning)))
    .map(({ urn, code, text }) => ({
      text: `${resourceName(urn)}: this was not shown at approval: ${forTerminal(text, 400)}${code === "" ? "" : ` [${code}]`}`,
      allowedBy: code.endsWith("-adopted") ? ["taken-over"] : [],
    }));
}

/** Findings whose text matters: what a migration sends. */
const saidInWords = new Set(["migration-finishes", "migration-validates", "migration-under-way"]);

function meaningsOf(finding: ApprovedFinding): readonly string[] {
  return partsOf(finding).map((part) => canonical([finding.urn, finding.code, part]));
}

/** Of items in use only what a policy does to them: visits change the rest. */
function partsOf({ code, text, data }: ApprovedFinding): readonly unknown[] {
  switch (code) {
    case "csp-blocks-in-use": {
      const part = ({ host, breaks, keepsOut }: ListedHost) => ({ host, breaks, keepsOut });
      return named(blockedHosts(text, data), part) ?? [text];
    }
    case "csp-lets-malicious-in": {
      const part = ({ source, scripts, connections }: ListedSource) => ({ source, scripts, connections });
      return named(lettingSources(text, data), part) ?? [text];
    }
    default:
      return [saidInWords.has(code) ? text : ""];
  }
}

function named<T>(told: Listed<T> | undefined, part: (one: T) => unknown): readonly unknown[] | undefined {
  return told && [...told.items.map(part), ...(told.rest === "" ? [] : [told.rest])];
}

function zoneDifferences(
  approved: ApprovedContent,
  now: Pick<ApprovedContent, "zones" | "unknownZones">,
  moved: readonly Moved[],
): readonly Deviation[] {
  const known = new Set(approved.zones.map(({ zoneId }) => zoneId));
  return [
    ...now.unknownZones.map(
      (urn): Deviation => ({
        text: `the zone of ${resourceName(urn)} is only known after something else is created, so nobody can check it`,
        allowedBy: approved.unknownZones.includes(urn) ? ["unknown-zone"] : [],
      }),
    ),
    ...now.zones
      .filter(({ zoneId }) => !known.has(zoneId))
      .map(({ zoneId }) => never(`zone ${zoneId}: the stack had nothing in it at approval`)),
    ...moved.map(
      (one): Deviation => ({
        text: `zone ${one.zoneId}: ${movedText(one)}`,
        allowedBy: isAsPlanned(one, moved, approved) ? ["taken-over", "no-change"] : [],
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
  return [...new Set(places.map(([name = ""]) => name))].sort();
}

function other(name: string, approved: ApprovedStep, now: ApprovedStep): string {
  const value = (one: unknown): string =>
    one === undefined ? "nothing" : forTerminal(JSON.stringify(one) ?? "", 160);
  return `${forTerminal(name, 60)} ${value(now.after?.[name])} in place of ${value(approved.after?.[name])}`;
}
