import { rmSync } from "node:fs";
import { resolve } from "node:path";
import {
  groupBy,
  isChanging,
  isOffline,
  parseKind,
  recordedPolicies,
  toObjectType,
} from "pulumi-page-guard/tools";
import {
  asPlainJson,
  findUnplaced,
  isError,
  listZones,
  type PreviewRead,
  type PreviewStep,
  unknownValue,
  type Values,
} from "../preview/preview-read";
import type { PulumiPreview } from "../pulumi/command-line";
import { plannedZones, type ReadingContext } from "../review/read-zones";
import { CommandError } from "../shared/command-error";
import { resourceText } from "../shared/labels";
import type { Session } from "../shared/session";
import { UsageError } from "../shared/usage-error";
import { asList, asRecord, asString, compareTexts, distinct } from "../shared/values";
import { type ApprovedFinding, type ApprovedStep, approvedFormat, writeApproved } from "./approved-file";
import { readEnginePlan } from "./engine-plan";
import { findPlaces } from "./places";
import { readApprovalKey } from "./seal";
import { readPlanned } from "./zone-contents";

export type PreviewPlan = ReturnType<typeof makePlan>;

/** A finding of the current preview, with the fields that an approval does not store. */
interface PlannedFinding extends ApprovedFinding {
  /** Text of the message. `apply` shows it when it refuses the update. */
  readonly text: string;
  /** Ids of similar or equal objects in the zone that are not in the state of this stack. */
  readonly objects: readonly unknown[];
}

/** Returns the parts of a preview that an approval covers. Pure. */
export function makePlan(read: PreviewRead) {
  const ours = read.steps.filter(({ isOurs }) => isOurs);
  return {
    project: read.project ?? "",
    stack: read.stack ?? "",
    steps: read.steps
      .filter(isChanging)
      .map(toApprovedStep)
      .sort(byUrn(({ op }) => op)),
    findings: mergeFindings(read),
    zones: plannedZones(ours),
    unknownZones: findUnplaced(ours)
      .map(({ urn }) => urn)
      .sort(),
  };
}

/** Describes objects that several providers change in the plan; undefined if there are none. */
function findSharedObjects({ steps }: PreviewRead): string | undefined {
  const changed = steps.filter((step) => step.isOurs && isChanging(step));
  const inZones = changed.flatMap((step) => listZones(step).map((zone) => ({ zone, step })));
  const groups = groupBy(
    inZones,
    ({ zone, step }) => `objects of the same kind (${toObjectType(step.kind)}) in zone ${zone}`,
  );
  return [...groups].find(([, group]) => new Set(group.map(({ step }) => step.provider)).size > 1)?.[0];
}

function toApprovedStep(step: PreviewStep): ApprovedStep {
  const { urn, type, op, id, before, after, recorded, isOurs, isRetained } = step;
  return {
    urn,
    type,
    op,
    ...(id !== "" && { id }),
    ...(before && { before: asPlainJson(before) }),
    ...(after && { after: asPlainJson(after) }),
    // Leaves out the outputs of other packages, because they can be large.
    ...(isOurs && recorded && { recorded: stableOutputs(asPlainJson(recorded)) }),
    ...(isRetained && { isRetained }),
    unknown: findPlaces(after, (value) => value === unknownValue).map((path) => [...path]),
  };
}

/** Returns outputs in the state, without those that the service or a refresh can change at any time. */
function stableOutputs(recorded: Values): Values {
  const volatile = new Set(["updatedAt", "version", "lastUpdated", "loggingSince"]);
  return JSON.parse(JSON.stringify(recorded, (name, value) => (volatile.has(name) ? undefined : value)));
}

/**
 * Merges findings that have the same resource and code. `text` is the message of the first one. Leaves out findings that name
 * only policies in the state of this stack, because such findings depend on the order in which the engine checks the resources.
 */
function mergeFindings({ findings, steps }: PreviewRead): PlannedFinding[] {
  const owned = new Set(steps.flatMap(listPolicyIds));
  const all = findings.flatMap(({ urn = "", code, data = {}, text }) => {
    const ids = ["policyIds", "ruleIds"].flatMap((list) => asList(data[list]));
    const objects = ids.filter((id) => !owned.has(id));
    const isOwned = ids.length > 0 && objects.length === 0;
    return isOwned ? [] : [{ urn, code, about: listSubjects(data), objects, text }];
  });
  const groups = groupBy(all, ({ urn, code }) => JSON.stringify([urn, code]));
  const merged = [...groups.values()].map((group) => ({
    ...group[0],
    about: distinct(group.flatMap(({ about }) => about)).sort(),
    objects: group.flatMap(({ objects }) => objects),
  }));
  return merged.sort(byUrn(({ code }) => code));
}

function listPolicyIds({ type, id, before, recorded }: PreviewStep): readonly unknown[] {
  if (toObjectType(parseKind(type)) !== "policy") return [];
  return recordedPolicies({ id, was: { ...before, ...recorded } }).map((policy) => policy.id);
}

/** Returns the hosts, sources and policies that a finding names, and `3 more` if the finding only counts the rest. */
function listSubjects(data: Values = {}): string[] {
  const named = ["hosts", "sources", "policies"].flatMap((list) =>
    asList(data[list]).flatMap((entry) => {
      const { host, source, policyId } = asRecord(entry);
      return asString(host) ?? asString(source) ?? asString(policyId) ?? [];
    }),
  );
  const more = ["moreHosts", "moreSources"].flatMap((name) => (data[name] ? [`${data[name]} more`] : []));
  return [...named, ...more];
}

function byUrn<T extends { readonly urn: string }>(then: (one: T) => string) {
  const text = (one: T): string => `${one.urn} ${then(one)}`;
  return (left: T, right: T): number => compareTexts(text(left), text(right));
}

/**
 * Checks the options, and deletes any earlier approval file, so that no old approval remains if the preview fails.
 *
 * @throws CommandError or UsageError if no approval can be made
 */
export function beginApproval(session: Session, file: string, command: PulumiPreview): void {
  if (command.preview.some((flag) => /^--save-plan(=|$)/.test(flag)))
    throw new UsageError("Leave out --save-plan, because the approved file contains the plan.");
  if (file === "-")
    throw new UsageError("--approve needs the name of a file, because `page-guard apply` reads it later.");
  if (isOffline(session.env))
    throw new CommandError("Failed to approve: PAGE_GUARD_OFFLINE is set, so no zone is read. Unset it.");
  readApprovalKey(session);
  rmSync(resolve(session.cwd, file), { force: true });
}

/**
 * Writes an approval of a preview and of the contents of its zones. `planFile` is the path of the engine's plan for this preview.
 *
 * @throws CommandError if the preview cannot be approved.
 */
export async function writeApproval(
  reading: ReadingContext,
  file: string,
  read: PreviewRead,
  planFile: string,
): Promise<void> {
  const refuse = (why: string) => new CommandError(`Failed to approve: ${why}. No file was written.`);
  if (read.result !== "succeeded" || read.findings.some(isError))
    throw refuse("the preview did not succeed, or the review has errors");
  if (read.stack === undefined) throw refuse("the input does not contain the events of a preview");
  const shared = findSharedObjects(read);
  if (shared !== undefined)
    throw refuse(
      `several providers change ${shared}. These providers do not know about each other's objects, so one can delete what another adopts. Change the provider or the version of the plugin in a separate update, or move the state as docs/languages.md describes`,
    );
  const renamed = read.steps.find(({ urn, oldUrn, isDeletedFirst }) => isDeletedFirst && urn !== oldUrn);
  if (renamed !== undefined)
    throw refuse(
      `the update renames ${resourceText(renamed.urn)} with an alias and deletes its old object first (deleteBeforeReplace). The engine's plan lists this deletion under the new name, so the engine would stop the update. Rename the resource in a separate update`,
    );
  const { zones: planned, unknownZones: _, ...plan } = makePlan(read);
  const madeAt = new Date(reading.session.now()).toISOString();
  const options = read.options && [...read.options].map(([urn, { becomes }]) => [urn, becomes]);
  writeApproved(reading.session, file, {
    ...approvedFormat,
    madeAt,
    ...plan,
    findings: plan.findings.map(({ urn, code, about }) => ({ urn, code, about })),
    zones: await readPlanned(reading, planned, { madeAt, zones: [] }),
    ...(options && { options: Object.fromEntries(options), isStateKept: read.isStateKept }),
    ...(read.isSelective && { isSelective: true }),
    plan: readEnginePlan(planFile, plan),
  });
}
