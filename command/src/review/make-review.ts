import { isDeepStrictEqual } from "node:util";
import { groupBy, readDeclaredAs, toObjectType } from "pulumi-page-guard/tools";
import { findMeaning } from "../documents/finding-meanings";
import type { Review, ReviewDifference, ReviewEntry, ReviewPart } from "../documents/review/review";
import { differingOptions } from "../preview/options";
import {
  asPlainJson,
  type Difference,
  makeFinding,
  type PreviewRead,
  type PreviewStep,
  type ReadFinding,
} from "../preview/preview-read";
import { asText, compareTexts, distinct } from "../shared/values";
import { makeNotes, makeRelative } from "./notes";
import {
  countChanges,
  gatherFacts,
  isAdoptionOnly,
  listAlerts,
  makeHeadline,
  type ReviewFacts,
  sumImpact,
  zoneRows,
} from "./overview";
import type { ZonesRead } from "./read-zones";
import { orderDifference } from "./rule-order";
import { computeEffects, type ZoneEffect } from "./zone-effects";

interface Options {
  readonly version: string;
  readonly exitCode: number;
  /** Folder that the paths of files are relative to. */
  readonly root: string;
  /** Whether PAGE_GUARD_OFFLINE kept the preview from sending requests. */
  readonly isOffline?: boolean;
  readonly nameOf?: (zone: string) => string;
}

/** Builds the review of a preview, for the person who approves it. `zones` is undefined if no zone was read. */
export function makeReview(given: PreviewRead, zones: ZonesRead | undefined, options: Options): Review {
  const { version, exitCode, root, nameOf = (zone) => zone } = options;
  const read = sortPreview(given, root);
  const { stack, project, result, findings } = read;
  const facts = gatherFacts(read, zones, nameOf, options.isOffline === true);
  const { steps, migrations, used } = facts;
  const rest = findings.filter((one) => !used.has(one) && !isEcho(one));
  const parts = makeParts({ ...read, findings: rest }, facts);
  const isUnchanged =
    steps.length + facts.removed.length === 0 &&
    result === "succeeded" &&
    !parts.some(({ isUrgent }) => isUrgent);
  const ids = distinct([...steps, ...findings].map(({ zone }) => zone)).filter((id) => nameOf(id) !== id);
  return {
    stack,
    project,
    version,
    result,
    exitCode,
    isUnchanged,
    parts,
    undone: migrations,
    isAdoptionOnly: result === "succeeded" && isAdoptionOnly(facts),
    headline: makeHeadline(result, isUnchanged, facts),
    alerts: listAlerts(facts),
    losses: facts.losses,
    impact: sumImpact(facts),
    zones: zoneRows(facts),
    counts: countChanges(facts),
    names: Object.fromEntries(ids.map((id) => [id, nameOf(id)])),
  };
}

const { compare } = new Intl.Collator("en", { numeric: true });

/** Sorts a preview. The order of the engine's output varies, but equal previews must give equal comments. */
function sortPreview(read: PreviewRead, root: string): PreviewRead {
  const sortByUrn = <T extends ReadFinding | PreviewStep>(all: readonly T[]): T[] =>
    all
      .map((one) => ({ ...one, file: makeRelative(root, one.file) }))
      .sort(({ urn: left = "" }, { urn: right = "" }) => compare(left, right) || compareTexts(left, right));
  return {
    ...read,
    steps: sortByUrn(read.steps),
    refreshed: sortByUrn(read.refreshed),
    findings: sortByUrn(read.findings).sort((left, right) => compare(left.code, right.code)),
  };
}

/** Codes of findings about losses. They matter only for zones that were not read; in other zones, the review finds the losses. */
const lossCodes: ReadonlySet<string> = new Set(["csp-undeclared-deleted", "waf-rules-overwritten"]);

/** Whether a message only repeats a failure that other messages explain. */
function isEcho({ code, text }: ReadFinding): boolean {
  const ends = /^(preview failed|update failed|resource registration failed)\.?$/i;
  return code === "program-refused" || (code === "" && ends.test(text));
}

/** Returns the concern of a finding, which decides in which part of the review the finding appears. */
function chooseConcern({ severity, code, zone = "" }: ReadFinding, zones: ZonesRead | undefined): string {
  if (severity === "error") return "stops";
  if (!lossCodes.has(code)) return findMeaning(code).concern;
  const isUnread = zones?.unread.some((one) => one.zone === zone) ?? false;
  return zones?.values.has(zone) && !isUnread ? "rest" : "alone";
}

/**
 * Returns a word for the fate of a resource's objects, such as `adopt`: `open` if the fate is uncertain, `several` if one word is
 * not enough, `empty` if the resource has no objects, and `none` if the plan does nothing to its objects.
 */
function chooseFate(step: PreviewStep, changes: ReviewFacts["changes"]): string {
  const own = changes.filter((change) => change.by.step === step);
  if (own.some(({ isOpen }) => isOpen)) return "open";
  const its = distinct(own.map(({ fate }) => fate));
  if (its.length > 1 || !step.isOurs || toObjectType(step.kind) === "migration") return "several";
  const { rules, policies } = { ...step.before };
  const isEmpty = ["[]", "{}"].includes(JSON.stringify(rules ?? policies));
  return its[0] ?? (isEmpty ? "empty" : "none");
}

function makeParts(
  { steps: all, refreshed, findings, options }: PreviewRead,
  { steps, changes, zones }: ReviewFacts,
): ReviewPart[] {
  const of = (concerns: string) =>
    makeNotes(findings.filter((finding) => concerns.split(" ").includes(chooseConcern(finding, zones))));
  const change = (ops: string, keep = (_: string): boolean => true) => {
    const wanted = steps.filter(
      (step) => ops.split(" ").includes(step.op) && keep(chooseFate(step, changes)),
    );
    return groupChanges(wanted, changes);
  };
  const gone = "Removed from the state only: adopted by another resource, or gone from the zone";
  const [isUrgent, isFolded] = [true, true];
  const parts: ReviewPart[] = [
    {
      title: "What stops the update",
      isUrgent,
      entries: [...of("stops"), ...makeNotes(findGonePolicies(steps, zones))],
    },
    { title: "Service or token changes", isUrgent, entries: makeNotes(movedConnections(all)) },
    {
      title: "Deleted with another resource, without a request",
      isUrgent,
      entries: makeNotes(deletedWithOthers(all)),
    },
    { title: "Resource options that change", isUrgent, entries: makeNotes(changedOptions(all, options)) },
    {
      title: "Unmanaged objects lost, according to messages of the preview only",
      isUrgent,
      entries: of("alone"),
    },
    { title: "Created although a close match exists", isUrgent, entries: of("beside") },
    { title: "Cannot be undone, according to messages of the preview only", entries: of("undone") },
    { title: "Malicious items that are let in", entries: of("malicious") },
    { title: "What else visitors may notice", entries: of("visitors") },
    { title: "Unmanaged policies and rules", entries: of("others") },
    {
      title: "Changed outside of Pulumi since the last update",
      entries: groupChanges(refreshed, []).map((one) => ({ ...one, isPast: true })),
    },
    {
      title: "Deleted",
      entries: change("delete", (fate) => !["leave", "none", "empty", "open"].includes(fate)),
    },
    { title: "Deleted, or left in the zone", entries: change("delete", (fate) => fate === "open") },
    { title: "Left in the zone, no longer managed", entries: change("delete", (fate) => fate === "leave") },
    {
      title: "Removed from the state only: had no objects",
      entries: change("delete", (fate) => fate === "empty"),
    },
    { title: gone, entries: change("delete", (fate) => fate === "none") },
    { title: "Replaced", entries: change("replace") },
    { title: "Updated", entries: change("update") },
    { title: "Created", isFolded, entries: change("create import", (fate) => fate !== "adopt") },
    { title: "Adopted unchanged", isFolded, entries: change("create import", (fate) => fate === "adopt") },
    { title: "Other messages", isFolded, entries: of("taken rest") },
  ];
  return parts.filter(({ entries }) => entries.length > 0);
}

/** Returns an error for each changed policy that is gone from its zone. A preview without a refresh does not report this. */
function findGonePolicies(steps: readonly PreviewStep[], zones: ZonesRead | undefined) {
  const gone = steps.filter((step) => {
    const { kind, op, id, zone } = step;
    const [, policyId = ""] = id.split("/");
    const live = zones?.values.get(zone ?? "")?.policies;
    if (kind !== "CspPolicy" || op !== "update" || live?.every((one) => one.policyId !== policyId) !== true)
      return false;
    // To learn whether the update would send a request for the policy, pretends that the zone has the policy with other contents.
    const policies = [{ policyId, description: "", action: "", expression: "", enabled: false, value: "" }];
    return computeEffects(zone, [step], { policies }).some(({ fate }) => fate === "update");
  });
  const text =
    "The policy is no longer in the zone, so this update fails. `pulumi up --refresh` creates the policy again.";
  return gone.map(({ urn, zone }) => makeFinding({ severity: "error", urn, zone, text }));
}

/** Returns a warning for each changed connection, because the engine does not show this difference. */
function movedConnections(steps: readonly PreviewStep[]) {
  const connectionText = (value: unknown): string =>
    value === undefined ? "(not set)" : JSON.stringify(asPlainJson(value));
  return steps.flatMap(({ isOurs, before, after, urn, zone, connections: { was, becomes } }) => {
    if (!isOurs || !before || !after || isDeepStrictEqual(was, becomes)) return [];
    const text = `The connection was ${connectionText(was)} and becomes ${connectionText(becomes)}.`;
    return [makeFinding({ severity: "warning", urn, zone, text })];
  });
}

function deletedWithOthers(steps: readonly PreviewStep[]) {
  return steps.flatMap(({ urn, zone, deletedWith }) => {
    if (deletedWith === undefined) return [];
    const text = `This resource has the option deletedWith, and ${readDeclaredAs(deletedWith)} is deleted, too. Unless that deletion also removes the object of this resource, the object stays in the zone and is no longer managed. In that case, an enforced policy stays enforced.`;
    return [makeFinding({ severity: "warning", urn, zone, text })];
  });
}

/** Returns a warning for each changed resource option, because the engine does not show this difference. */
function changedOptions(steps: readonly PreviewStep[], options: PreviewRead["options"]) {
  return steps.flatMap(({ isOurs, op, urn, zone }) => {
    const { was, becomes } = options?.get(urn) ?? {};
    if (!isOurs || op === "delete" || !was || !becomes) return [];
    return differingOptions(was, becomes).map((one) => {
      const text = `The option ${one.name} was ${one.was} and becomes ${one.is}.`;
      return makeFinding({ severity: "warning", urn, zone, text });
    });
  });
}

/** Returns the steps as entries. Equal changes to several resources, usually of several zones, become one entry. */
function groupChanges(steps: readonly PreviewStep[], changes: readonly ZoneEffect[]): ReviewEntry[] {
  // Leaves out the component WafMigration, because the review lists its child, which does the work.
  const listed = steps.filter((step) => !step.isComponent || step.type !== "page-guard:index:WafMigration");
  const entries = listed.map((step) => ({ step, differences: selectDifferences(step, changes) }));
  const groups = groupBy(entries, ({ step: { op, kind }, differences }) =>
    JSON.stringify([op, kind, differences]),
  );
  return [...groups.values()].map((group) => {
    const [{ step: first, differences }] = group;
    const { op, file, line } = first;
    return {
      op,
      differences,
      file,
      line,
      zones: distinct(group.map(({ step }) => step.zone)),
      subjects: group.map(({ step: { isOurs, kind, name, urn } }) =>
        isOurs ? readDeclaredAs(urn) : `${kind} ${name}`,
      ),
    };
  });
}

/**
 * Returns the differences of a step. For a creation or deletion, these are the arguments without `zoneId` and `confirm`, or none
 * if the resource is not from this package.
 */
function selectDifferences(step: PreviewStep, changes: readonly ZoneEffect[]): ReviewDifference[] {
  const { op, isOurs, before, after, differences } = step;
  const isWhole = op === "create" || op === "delete";
  const [was, becomes] = op === "create" ? [undefined, after] : [before, undefined];
  const names = isWhole && isOurs ? Object.keys(was ?? becomes ?? {}) : [];
  const whole = names
    .filter((path) => path !== "zoneId" && path !== "confirm")
    .map((path) => ({ path, before: was?.[path], after: becomes?.[path] }));
  const order = isWhole ? undefined : orderDifference(step);
  const texts = [...(isWhole ? whole : differences).map(asTexts), ...(order ? [order] : [])];
  if (!changes.some(({ by, isPassedOn }) => isPassedOn && by.step === step)) return texts;
  const passed =
    "the rules of the WAF migration above, if the program passes them to this resource unchanged";
  return texts.map((one) => (one.path === "rules" ? { ...one, after: passed } : one));
}

/** Converts both sides of a difference to strings. Long policy texts are cut to the directives that differ. */
function asTexts({ path, before, after }: Difference): ReviewDifference {
  const [was, becomes] = [before, after].map((one) => (one === undefined ? one : asText(asPlainJson(one))));
  if (typeof before !== "string" || typeof after !== "string" || !before.includes(";"))
    return { path, before: was, after: becomes };
  const [left, right] = [before, after].map((text) => text.split(";").map((one) => one.trim()));
  const only = (these: readonly string[] = [], those: readonly string[] = []): string =>
    these.filter((one) => one !== "" && !those.includes(one)).join("; ");
  const [gone, come] = [only(left, right), only(right, left)];
  if (before.length + after.length < 120 || gone + come === "") return { path, before, after };
  return { path, before: `… ${gone}`.trim(), after: `… ${come}`.trim() };
}
