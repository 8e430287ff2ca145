import type { Concern } from "../../errors/findings/finding-meaning";
import { declaredKind, declaredName } from "../../lifecycle/urn";
import { meaningOf } from "../../reports/finding-meanings";
import type {
  Review,
  ReviewChange,
  ReviewDifference,
  ReviewNote,
  ReviewPart,
} from "../../reports/review/review";
import { grouped } from "../../text/grouped";
import { asText, distinct } from "../values";
import { blockedIn, letInBy } from "./blocked";
import { resourceCounts } from "./counts";
import { alertsOf, headlineOf } from "./headline";
import { lossesOf } from "./losses";
import { migrationsOf } from "./migrations";
import { movedConnections, movesOf, notesOf, otherMessages, refusedDestroys, stopping } from "./notes";
import { policyChanges } from "./policy-changes";
import {
  asPlainJson,
  type Difference,
  type PreviewRead,
  type PreviewStep,
  type ReadFinding,
} from "./preview-read";
import { relativeTo } from "./repository-root";
import { ruleChanges } from "./rule-changes";
import { settingsChanges } from "./settings-changes";
import { isChanging, type ObjectChange } from "./zone-objects";
import { type ReviewFacts, zoneRows } from "./zone-rows";

/** `isOffline`: the service was not asked. */
export function reviewOf(
  read: PreviewRead,
  options: { version: string; exitCode: number; root: string; isOffline?: boolean },
): Review {
  const { version, exitCode, root } = options;
  // The engine's order varies, and the same preview has to give the same comment.
  const findings = read.findings
    .map(({ file, ...rest }) => ({ ...rest, file: file === undefined ? file : relativeTo(root, file) }))
    .sort((left, right) => compare(left.code, right.code) || byUrn(left, right));
  const steps = read.steps.filter(isChanging).sort(byUrn);
  const isOffline = options.isOffline === true || findings.some(({ code }) => code === "offline");
  const declared = [...policyChanges(steps), ...ruleChanges(steps), ...settingsChanges(steps)];
  const { losses, used: lost, ownIds } = lossesOf(steps, findings, declared, isOffline);
  const changes = declared.flatMap((change) => corrected(change, ownIds));
  const { migrations, used: started } = migrationsOf(steps, findings);
  const { hosts, blocked, used: blocking, left } = blockedIn(findings);
  const rest = findings
    .filter((finding) => !lost.has(finding) && !started.has(finding) && !blocking.has(finding))
    .map((finding) => ({ ...finding, text: left.get(finding) ?? finding.text }));
  const facts: ReviewFacts = {
    steps,
    findings,
    changes,
    migrations,
    losses,
    blocked,
    letIn: letInBy(findings),
  };
  const failing = [
    ...notesOf(
      rest.filter(({ code, severity }) => severity !== "error" && meaningOf(code).concern === "fails"),
    ),
    ...refusedDestroys(steps),
  ];
  const parts = partsOf(read, { ...facts, findings: rest }, failing, root);
  const isQuiet = losses.length === 0 && !parts.some(({ isUrgent }) => isUrgent);
  const isUnchanged = steps.length === 0 && read.result === "succeeded" && isQuiet;
  return {
    ...{ stack: read.stack, project: read.project, version, exitCode, isUnchanged },
    result: read.result,
    headline: headlineOf(read, isUnchanged, facts, findings),
    alerts: alertsOf(facts, failing),
    resources: resourceCounts(read),
    undone: migrations,
    ...{ losses, hosts },
    zones: zoneRows(facts),
    parts,
  };
}

/**
 * Corrects a change by what the provider found in the zone: an exact set may delete what a resource leaves there, and a
 * policy that seems to move may have been edited since, so it is deleted and another one is created.
 */
function corrected(change: ObjectChange, deletedIds: ReadonlySet<string>): ObjectChange[] {
  const { fate, id = "", movesTo, ...rest } = change;
  if (fate !== "leave" && fate !== "move") return [change];
  if (!deletedIds.has(id)) return [{ ...change, ...(fate === "leave" && { weaker: undefined }) }];
  const deleted = { ...rest, id, fate: "delete" } as const;
  const created =
    movesTo && ({ ...rest, step: movesTo, id: undefined, fate: "create", weaker: undefined } as const);
  return created ? [deleted, created] : [deleted];
}

function partsOf(
  read: PreviewRead,
  { steps, findings, changes }: ReviewFacts,
  failing: readonly ReviewNote[],
  root: string,
): ReviewPart[] {
  const creating = new Set(changes.filter(({ fate }) => fate === "create").map(({ step }) => step.urn));
  const moving = new Set(changes.flatMap(({ movesTo }) => movesTo?.urn ?? []));
  const concernOf = ({ code, urn = "" }: ReadFinding): Concern =>
    // It only moves to another resource.
    code === "csp-adopted" && moving.has(urn) && !creating.has(urn) ? "rest" : meaningOf(code).concern;
  const of = (concern: Concern): ReviewNote[] =>
    notesOf(findings.filter((finding) => finding.severity !== "error" && concernOf(finding) === concern));
  const only = (step: PreviewStep, fate: ObjectChange["fate"]): boolean => {
    const its = changes.filter((change) => change.step === step);
    return its.length > 0 && its.every((change) => change.fate === fate);
  };
  const deletions = steps.filter(({ op }) => op === "delete");
  const left = deletions.filter((step) => only(step, "leave"));
  const moved = deletions.filter((step) => only(step, "move"));
  const change = (...of: readonly PreviewStep[]) => changesOf(of, read, root);
  const op = (...ops: readonly string[]) => change(...steps.filter((step) => ops.includes(step.op)));
  const parts: ReviewPart[] = [
    { title: "What stops it", isUrgent: true, notes: stopping(read, findings) },
    { title: "What will most likely make the update fail", isUrgent: true, notes: failing },
    { title: "Another service, or another token", isUrgent: true, notes: movedConnections(read.steps) },
    { title: "Cannot be undone, according to a finding outside of any migration", notes: of("undone") },
    { title: "Malicious and let in", notes: of("malicious") },
    { title: "What else visitors may notice", notes: of("visitors") },
    { title: "Policies and rules of others", notes: of("others") },
    { title: "Changed outside since the last run", changes: change(...read.refreshed) },
    { title: "Deleted", changes: change(...deletions.filter((step) => ![...left, ...moved].includes(step))) },
    { title: "Left in the zone, no longer managed", changes: change(...left) },
    { title: "Moved to another resource unchanged", notes: movesOf(changes) },
    { title: "Replaced", changes: op("replace") },
    { title: "Updated", changes: op("update") },
    { title: "Adopted unchanged", notes: of("taken") },
    { title: "Created", isFolded: true, changes: op("create", "import") },
    { title: "Other messages", isFolded: true, notes: [...of("rest"), ...otherMessages(read)] },
  ];
  return parts.filter((part) => ("notes" in part ? part.notes : part.changes).length > 0);
}

const { compare } = new Intl.Collator("en", { numeric: true });

function byUrn(left: { readonly urn: string | undefined }, right: typeof left): number {
  return compare(left.urn ?? "", right.urn ?? "");
}

/** The same change to several resources, usually one in each zone, is one entry. */
function changesOf(
  steps: readonly PreviewStep[],
  { positions }: Pick<PreviewRead, "positions">,
  root: string,
): ReviewChange[] {
  // The resources in this component of ours are listed, too.
  const listed = steps.filter((step) => !step.isComponent || step.type !== "page-guard:index:WafMigration");
  const entries = listed.map((step) => ({ step, differences: shownDifferences(step).map(asTexts) }));
  const groups = grouped(entries, ({ step: { op, kind, isProtected }, differences }) =>
    JSON.stringify([op, kind, isProtected, differences]),
  );
  return [...groups.values()].map((group) => {
    const [{ step: first, differences }] = group;
    const { op, kind, isOurs, isProtected, urn } = first;
    const position = positions.get(urn);
    return {
      ...{ op, isProtected, differences },
      kind: isOurs ? declaredKind(kind) : kind,
      names: group.map(({ step }) => (step.isOurs ? declaredName(step.kind, step.name) : step.name)),
      zones: distinct(group.map(({ step }) => step.zone)),
      file: position && relativeTo(root, position.file),
      line: position?.line,
    };
  });
}

/** All arguments of a new or deleted resource; the zone has its own column. */
function shownDifferences({ op, isOurs, before, after, differences }: PreviewStep): readonly Difference[] {
  if (op !== "create" && op !== "delete") return differences;
  if (!isOurs) return [];
  return Object.entries((op === "create" ? after : before) ?? {})
    .filter(([path]) => path !== "zoneId" && path !== "confirm")
    .map(([path, value]) => ({
      ...{ path, replaces: false, before: undefined, after: undefined },
      ...(op === "create" ? { kind: "add", after: value } : { kind: "delete", before: value }),
    }));
}

function asTexts({ path, before, after }: Difference): ReviewDifference {
  const [was, becomes] = [before, after].map((one) => (one === undefined ? one : asText(asPlainJson(one))));
  if (typeof before !== "string" || typeof after !== "string") return { path, before: was, after: becomes };
  return { path, ...policyPieces(before, after) };
}

/** Of two long policies only the directives that differ. */
function policyPieces(before: string, after: string): { readonly before: string; readonly after: string } {
  if (before.length + after.length < 120 || !before.includes(";")) return { before, after };
  const pieces = (text: string): string[] => text.split(";").map((one) => one.trim());
  const was = pieces(before);
  const becomes = pieces(after);
  const gone = was.filter((one) => one !== "" && !becomes.includes(one));
  const come = becomes.filter((one) => one !== "" && !was.includes(one));
  if (gone.length + come.length === 0) return { before, after };
  return { before: ["…", gone.join("; ")].join(" ").trim(), after: ["…", come.join("; ")].join(" ").trim() };
}
