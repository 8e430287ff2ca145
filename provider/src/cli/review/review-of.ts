import { declaredAsIn } from "../../lifecycle/urn";
import { type Concern, meaningOf } from "../../reports/finding-meanings";
import type { Review, ReviewLoss, ReviewNote, ReviewPart } from "../../reports/review/review";
import { blockedIn } from "./blocked";
import { changesOf, relativeTo } from "./changes";
import { objectCounts, plural, resourceCounts } from "./counts";
import { lossesOf } from "./losses";
import { migrationsOf } from "./migrations";
import { notesOf, otherMessages, stopping } from "./notes";
import { policyChanges } from "./policy-changes";
import type { PreviewRead, PreviewStep, ReadFinding } from "./preview-read";
import { ruleChanges } from "./rule-changes";
import { settingsChanges } from "./settings-changes";
import { isChanging, type ObjectChange, stringIn } from "./zone-objects";
import { type Told, zoneRows } from "./zone-rows";

export interface ReviewOptions {
  readonly version: string;
  readonly exitCode: number;
  /** Folder that files are named from. */
  readonly root: string;
  /** Nothing was asked of the service. */
  readonly isOffline?: boolean;
}

/** What has to be read, in the order of reading. */
export function reviewOf(read: PreviewRead, options: ReviewOptions): Review {
  const { version, exitCode, root } = options;
  // The engine's order varies from run to run; the comment of the same preview is to be the same.
  const findings = read.findings.map((finding) => placed(finding, root)).sort(byCodeAndUrn);
  const steps = read.steps.filter(isChanging).sort(byUrn);
  const isOffline = options.isOffline === true || findings.some(({ code }) => code === "offline");
  const declared = [...policyChanges(steps), ...ruleChanges(steps), ...settingsChanges(steps)];
  const { losses, used: lost, ownIds } = lossesOf(steps, findings, declared, isOffline);
  // What its resource leaves in the zone an exact set may delete all the same.
  const changes = declared.map((change): ObjectChange => {
    if (change.fate !== "leave") return change;
    return ownIds.has(change.id ?? "") ? { ...change, fate: "delete" } : { ...change, weaker: undefined };
  });
  const { migrations, used: started } = migrationsOf(steps, findings);
  const { hosts, blocked, used: blocking, left } = blockedIn(findings);
  const said = findings
    .filter((finding) => !lost.has(finding) && !started.has(finding) && !blocking.has(finding))
    .map((finding) => ({ ...finding, text: left.get(finding) ?? finding.text }));
  const told: Told = { steps, findings, changes, migrations, losses, blocked };
  const parts = partsOf(read, steps, said, changes, options);
  const isUnchanged = steps.length === 0 && read.result === "succeeded" && losses.length === 0;
  return {
    ...{ stack: read.stack, project: read.project, version, exitCode, isUnchanged },
    result: read.result,
    headline: headlineOf(read, isUnchanged, told, findings),
    alerts: alertsOf(told, parts),
    resources: resourceCounts(read),
    undone: migrations,
    ...{ losses, hosts },
    zones: zoneRows(told),
    parts,
  };
}

const failing = "What will most likely make the update fail";

function partsOf(
  read: PreviewRead,
  steps: readonly PreviewStep[],
  said: readonly ReadFinding[],
  changes: readonly ObjectChange[],
  { root }: ReviewOptions,
): ReviewPart[] {
  const creating = new Set(changes.filter(({ fate }) => fate === "create").map(({ step }) => step.urn));
  const moving = new Set(changes.flatMap(({ movesTo }) => movesTo?.urn ?? []));
  const concernOf = ({ code, urn = "" }: ReadFinding): Concern =>
    // What only changes hands is told as such.
    code === "csp-taken-over" && moving.has(urn) && !creating.has(urn) ? "rest" : meaningOf(code).concern;
  const of = (concern: Concern): ReviewNote[] =>
    notesOf(said.filter((finding) => finding.severity !== "error" && concernOf(finding) === concern));
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
    { title: "What stops it", isUrgent: true, notes: stopping(read, said) },
    { title: failing, isUrgent: true, notes: [...of("fails"), ...refusedDestroys(steps)] },
    { title: "What cannot be undone, says a finding of no migration", notes: of("undone") },
    { title: "What else visitors may notice", notes: of("visitors") },
    { title: "Policies and rules of others", notes: of("others") },
    { title: "Changed outside since the last run", changes: change(...read.refreshed) },
    { title: "Deleted", changes: change(...deletions.filter((step) => ![...left, ...moved].includes(step))) },
    { title: "Left in the zone, and no longer managed", changes: change(...left) },
    { title: "Moved to another resource as it is", notes: movesOf(changes) },
    { title: "Replaced", changes: op("replace") },
    { title: "Updated", changes: op("update") },
    { title: "Adopted as it is", notes: of("taken") },
    { title: "Created", isFolded: true, changes: op("create", "import") },
    {
      title: "Everything else that was said",
      isFolded: true,
      notes: [...of("rest"), ...otherMessages(read)],
    },
  ];
  return parts.filter((part) => ("notes" in part ? part.notes : part.changes).length > 0);
}

/** The engine only learns in the update that the provider refuses to forget a migration. */
function refusedDestroys(steps: readonly PreviewStep[]): ReviewNote[] {
  const refused = steps.filter(
    ({ isOurs, kind, op, recorded, isRetained }) =>
      isOurs &&
      kind === "WafMigrationStep" &&
      op === "delete" &&
      !isRetained &&
      recorded?.["allowForget"] !== true,
  );
  return refused.map(({ urn, zone }) => ({
    code: "migration-destroy",
    severity: "warning",
    subjects: [declaredAsIn(urn)],
    zones: zone === undefined ? [] : [zone],
    text: "A migration cannot be undone, so the update refuses to destroy it. allowForget: true releases it.",
    ...{ file: undefined, line: undefined },
  }));
}

function movesOf(changes: readonly ObjectChange[]): ReviewNote[] {
  const pairs = new Map<string, ReviewNote>();
  for (const { fate, step, movesTo, label, zone } of changes) {
    if (fate !== "move" || !movesTo) continue;
    const [from, to] = [declaredAsIn(step.urn), declaredAsIn(movesTo.urn)];
    const key = JSON.stringify([from, to]);
    const before = pairs.get(key);
    pairs.set(key, {
      ...{ code: undefined, severity: "note", file: undefined, line: undefined },
      subjects: [from],
      zones: zone === undefined ? [] : [zone],
      text: before ? `${before.text}, "${label}"` : `to ${to}: "${label}"`,
    });
  }
  return [...pairs.values()];
}

function headlineOf(
  read: PreviewRead,
  isUnchanged: boolean,
  { steps, changes, migrations }: Told,
  findings: readonly ReadFinding[],
): string {
  if (read.result === "failed")
    return "The preview failed: nothing can be applied before what stops it is fixed. Steps that the engine had not reached are not in this review.";
  if (read.result === "unfinished") return "The preview ended early: this review is incomplete.";
  if (isUnchanged) return "Nothing changes.";
  const others = steps.filter(({ isOurs, type }) => !isOurs && !type.startsWith("page-guard:")).length;
  const counts = [
    objectCounts(changes, "todo"),
    ...migrationCounts(migrations),
    ...(others > 0 ? [`${plural(others, "resource")} of other packages to change`] : []),
  ].filter((text) => text !== "");
  const zones = new Set([...changes, ...migrations].flatMap(({ zone }) => zone ?? [])).size;
  const where = zones < 2 ? "" : `, in ${zones} zones`;
  const adopted = adoptedIn(changes, findings);
  const already =
    adopted === 0
      ? ""
      : ` The preview found ${adopted} of what is to be created in ${adopted === 1 ? "its zone" : "the zones"}: ${adopted === 1 ? "it is" : "they are"} adopted.`;
  const all = counts.join(", ") || "Nothing of this stack changes in its zones";
  return `${all[0]?.toUpperCase() ?? ""}${all.slice(1)}${where}.${already}`;
}

function migrationCounts(migrations: Told["migrations"]): string[] {
  const finishing = migrations.filter(({ stage }) => stage === "finished").length;
  const others = migrations.length - finishing;
  return [
    ...(others > 0 ? [`${plural(others, "WAF migration")} to start or adjust`] : []),
    ...(finishing > 0 ? [`${plural(finishing, "WAF migration")} to finish`] : []),
  ];
}

/** Of the policies that are to be created those that the preview has found in their zones. */
function adoptedIn(changes: readonly ObjectChange[], findings: readonly ReadFinding[]): number {
  return findings
    .filter(({ code, isShown }) => code === "csp-taken-over" && isShown)
    .reduce((sum, { text, urn }) => {
      const found = Number(/exactly these (\d+) policies/.exec(text)?.[1] ?? 1);
      const created = changes.filter(({ fate, step }) => fate === "create" && step.urn === urn).length;
      return sum + Math.min(found, created);
    }, 0);
}

function alertsOf({ changes, migrations, losses, blocked }: Told, parts: readonly ReviewPart[]): string[] {
  const zones = (list: readonly { readonly zone: string | undefined }[]): string =>
    plural(new Set(list.map(({ zone }) => zone)).size, "zone");
  const weaker = changes.filter(({ weaker: how }) => how !== undefined);
  const lostIn = (one: Told["blocked"][number]): number => one.scripts + one.connections + one.unnamed;
  const harmed = blocked.filter((one) => lostIn(one) > 0);
  const items = harmed.reduce((sum, one) => sum + lostIn(one), 0);
  const failures = parts.find(({ title }) => title === failing);
  return [
    ...(migrations.length > 0
      ? [`${plural(migrations.length, "WAF migration")} in ${zones(migrations)} cannot be undone.`]
      : []),
    ...lossAlert(losses),
    ...(failures && "notes" in failures
      ? [`The update will most likely fail: ${stringIn(failures.notes[0]?.text)?.split("\n", 1)[0] ?? ""}`]
      : []),
    ...(harmed.length > 0
      ? [
          `Visitors would lose ${plural(items, "script or connection", "scripts and connections")} in use, in ${zones(harmed)}.`,
        ]
      : []),
    ...(weaker.length > 0 ? [`Protection gets weaker in ${zones(weaker)}.`] : []),
  ];
}

function lossAlert(losses: readonly ReviewLoss[]): string[] {
  const count = (kind: ReviewLoss["kind"], isSure: boolean): number =>
    losses
      .filter((loss) => loss.kind === kind && (loss.fate === "maybe deleted") !== isSure)
      .reduce((sum, loss) => sum + loss.count, 0);
  const said = (isSure: boolean): string =>
    [
      ...(count("policy", isSure) > 0 ? [plural(count("policy", isSure), "policy", "policies")] : []),
      ...(count("rule", isSure) > 0 ? [plural(count("rule", isSure), "WAF rule")] : []),
    ].join(" and ");
  return [
    ...(said(true) === "" ? [] : [`${said(true)} of others will be deleted or overwritten.`]),
    ...(said(false) === "" ? [] : ["Policies or rules of others may be deleted: nobody has checked which."]),
  ];
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
