import type { Concern } from "../../errors/findings/finding-meaning";
import { meaningOf } from "../../reports/finding-meanings";
import type { Review, ReviewNote, ReviewPart } from "../../reports/review/review";
import { blockedIn, letInBy } from "./blocked";
import { changesOf } from "./changes";
import { resourceCounts } from "./counts";
import { alertsOf, headlineOf } from "./headline";
import { lossesOf } from "./losses";
import { migrationsOf } from "./migrations";
import { movedConnections, movesOf, notesOf, otherMessages, refusedDestroys, stopping } from "./notes";
import { policyChanges } from "./policy-changes";
import type { PreviewRead, PreviewStep, ReadFinding } from "./preview-read";
import { relativeTo } from "./repository-root";
import { ruleChanges } from "./rule-changes";
import { settingsChanges } from "./settings-changes";
import { isChanging, type ObjectChange } from "./zone-objects";
import { type ReviewFacts, zoneRows } from "./zone-rows";

export interface ReviewOptions {
  readonly version: string;
  readonly exitCode: number;
  readonly root: string;
  /** The service was not asked. */
  readonly isOffline?: boolean;
}

export function reviewOf(read: PreviewRead, options: ReviewOptions): Review {
  const { version, exitCode, root } = options;
  // The engine's order varies, and the same preview has to give the same comment.
  const findings = read.findings.map((finding) => placed(finding, root)).sort(byCodeAndUrn);
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
    code === "csp-taken-over" && moving.has(urn) && !creating.has(urn) ? "rest" : meaningOf(code).concern;
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
    {
      title: "Other messages",
      isFolded: true,
      notes: [...of("rest"), ...otherMessages(read)],
    },
  ];
  return parts.filter((part) => ("notes" in part ? part.notes : part.changes).length > 0);
}

const { compare } = new Intl.Collator("en", { numeric: true });

function byUrn(left: { readonly urn: string | undefined }, right: typeof left): number {
  return compare(left.urn ?? "", right.urn ?? "");
}

function byCodeAndUrn(left: ReadFinding, right: ReadFinding): number {
  return compare(left.code, right.code) || byUrn(left, right);
}

function placed(finding: ReadFinding, root: string): ReadFinding {
  return finding.file === undefined ? finding : { ...finding, file: relativeTo(root, finding.file) };
}
