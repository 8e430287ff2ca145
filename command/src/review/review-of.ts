import { isDeepStrictEqual } from "node:util";
import { type Concern, compareTexts, declaredKind, declaredName, grouped } from "pulumi-page-guard/tools";
import {
  asPlainJson,
  type Difference,
  findingOf,
  isChanging,
  isError,
  type PreviewRead,
  type PreviewStep,
  type ReadFinding,
} from "../preview/preview-read";
import { meaningOf } from "../reports/finding-meanings";
import type {
  Review,
  ReviewChange,
  ReviewDifference,
  ReviewLoss,
  ReviewNote,
  ReviewPart,
} from "../reports/review/review";
import { asText, distinct } from "../values";
import { migrationsOf } from "./migrations";
import { blockedIn, letInBy, notesOf, relativeTo } from "./notes";
import { takesOthers } from "./objects";
import {
  alertsOf,
  headlineOf,
  impactOf,
  isAdoptionOnly,
  type ReviewFacts,
  resourceCounts,
  zoneRows,
} from "./overview";
import { passesRulesOn } from "./rules";
import { type ZonesRead, zoneChanges } from "./zones";

interface Options {
  readonly version: string;
  readonly exitCode: number;
  /** Files are named from here. */
  readonly root: string;
  /** The service was not asked. */
  readonly isOffline?: boolean;
  readonly nameOf?: (zone: string) => string;
}

/** What a preview means for the person who approves it. `zones`: what they hold; undefined where none was read. */
export function reviewOf(read: PreviewRead, zones: ZonesRead | undefined, options: Options): Review {
  const { version, exitCode, root, nameOf = (zone) => zone } = options;
  // The engine's order varies, and the same preview has to give the same comment.
  const findings = read.findings
    .map(({ file, ...rest }) => ({ ...rest, file: file === undefined ? file : relativeTo(root, file) }))
    .sort((left, right) => compare(left.code, right.code) || byUrn(left, right));
  const steps = read.steps.filter(isChanging).sort(byUrn);
  const unread = new Set(zones?.unread.map(({ zone }) => zone));
  const isRead = (zone = ""): boolean => zones?.values.has(zone) === true && !unread.has(zone);
  const { changes, losses } = zoneChanges(read.steps, zones?.values);
  const { migrations, used } = migrationsOf(steps, findings);
  const facts: ReviewFacts = {
    ...{ steps, findings, changes, migrations, zones, nameOf },
    losses: joinedLosses(losses),
    blocked: blockedIn(findings),
    letIn: letInBy(findings),
    isOffline: options.isOffline === true || findings.some(({ code }) => code === "offline"),
  };
  const alone = unreadLosses(steps, findings, isRead);
  const rest = findings.filter((one) => !used.has(one) && !alone.includes(one) && !isEcho(one));
  const parts = partsOf(read, facts, rest, { alone, isRead, root });
  const isUnchanged =
    steps.length === 0 && read.result === "succeeded" && !parts.some(({ isUrgent }) => isUrgent);
  const rows = zoneRows(facts);
  const ids = distinct([...steps, ...findings].map(({ zone }) => zone)).filter((id) => nameOf(id) !== id);
  return {
    ...{ stack: read.stack, project: read.project, version, exitCode, isUnchanged },
    result: read.result,
    isAdoptionOnly: read.result === "succeeded" && isAdoptionOnly(facts),
    headline: headlineOf(read.result, isUnchanged, facts),
    alerts: alertsOf(facts),
    resources: resourceCounts(read),
    undone: migrations,
    losses: facts.losses,
    impact: impactOf(facts),
    ...{ zones: rows, parts, names: Object.fromEntries(ids.map((id) => [id, nameOf(id)])) },
  };
}

/** The same object in several zones is one entry. */
function joinedLosses(losses: readonly ReviewLoss[]): ReviewLoss[] {
  const groups = grouped(losses, ({ kind, fate, label, content }) =>
    JSON.stringify([kind, fate, label, content]),
  );
  return [...groups.values()].map((group) => ({
    ...group[0],
    places: group.flatMap(({ places }) => places),
    by: distinct(group.flatMap(({ by }) => by)),
  }));
}

/** Findings that the zones show in full, where they are read. */
const lossCodes: ReadonlySet<string> = new Set(["csp-undeclared-deleted", "waf-rules-overwritten"]);

/** What others lose in zones that were not read, as findings say it: the update may take more than that. */
function unreadLosses(
  steps: readonly PreviewStep[],
  findings: readonly ReadFinding[],
  isRead: (zone: string | undefined) => boolean,
): ReadFinding[] {
  const said = findings.filter((one) => lossCodes.has(one.code) && !isError(one) && !isRead(one.zone));
  const told = new Set(said.map(({ urn }) => urn));
  const silent = steps.filter(
    (step) => takesOthers(step) !== "no" && !isRead(step.zone) && !told.has(step.urn),
  );
  const text = "The zone was not read. The update may delete everything in it that is not declared.";
  return [...said, ...silent.map(({ urn, zone }) => findingOf({ severity: "warning", urn, zone, text }))];
}

/** What the engine adds after a failure, and what only says that others say why. */
function isEcho({ code, text }: ReadFinding): boolean {
  const ends = /^(preview failed|update failed|resource registration failed)\.?$/i;
  return code === "program-refused" || (code === "" && ends.test(text));
}

interface Said {
  readonly alone: readonly ReadFinding[];
  readonly isRead: (zone: string | undefined) => boolean;
  readonly root: string;
}

function partsOf(
  read: PreviewRead,
  { steps, changes }: ReviewFacts,
  findings: readonly ReadFinding[],
  { alone, isRead, root }: Said,
): ReviewPart[] {
  const concernOf = (finding: ReadFinding): Concern | "stops" => {
    if (isError(finding)) return "stops";
    // The zones show it in full.
    return lossCodes.has(finding.code) && isRead(finding.zone) ? "rest" : meaningOf(finding.code).concern;
  };
  const of = (...concerns: readonly (Concern | "stops")[]) =>
    notesOf(findings.filter((finding) => concerns.includes(concernOf(finding))));
  const fateOf = (step: PreviewStep): string => {
    const its = distinct(changes.filter((change) => change.step === step).map(({ fate }) => fate));
    if (its.length > 1 || !step.isOurs || step.kind === "WafMigrationStep") return "several";
    return its[0] ?? "none";
  };
  const change = (ops: readonly string[], keep = (_: string): boolean => true) =>
    changesOf(
      steps.filter((step) => ops.includes(step.op) && keep(fateOf(step))),
      read,
      root,
    );
  const creating = ["create", "import"];
  const parts: ReviewPart[] = [
    { title: "What stops it", isUrgent: true, notes: of("stops") },
    { title: "Another service, or another token", isUrgent: true, notes: movedConnections(read.steps) },
    { title: "What others lose, by findings alone", isUrgent: true, notes: notesOf(alone) },
    { title: "Created beside one that closely matches", isUrgent: true, notes: of("beside") },
    { title: "Cannot be undone, according to a finding outside of any migration", notes: of("undone") },
    { title: "Malicious and let in", notes: of("malicious") },
    { title: "What else visitors may notice", notes: of("visitors") },
    { title: "Policies and rules of others", notes: of("others") },
    { title: "Changed outside since the last run", changes: changesOf(read.refreshed, read, root) },
    { title: "Deleted", changes: change(["delete"], (fate) => fate !== "leave" && fate !== "none") },
    { title: "Left in the zone, no longer managed", changes: change(["delete"], (fate) => fate === "leave") },
    {
      title: "Removed from the state alone: adopted by another resource, or gone from the zone",
      changes: change(["delete"], (fate) => fate === "none"),
    },
    { title: "Replaced", changes: change(["replace"]) },
    { title: "Updated", changes: change(["update"]) },
    { title: "Created", isFolded: true, changes: change(creating, (fate) => fate !== "adopt") },
    { title: "Adopted unchanged", isFolded: true, changes: change(creating, (fate) => fate === "adopt") },
    { title: "Other messages", isFolded: true, notes: of("taken", "rest") },
  ];
  return parts.filter((part) => ("notes" in part ? part.notes : part.changes).length > 0);
}

/** The engine shows no difference for a changed connection. */
function movedConnections(steps: readonly PreviewStep[]): ReviewNote[] {
  const said = (value: unknown): string =>
    value === undefined ? "nothing" : JSON.stringify(asPlainJson(value));
  const found = steps.flatMap(({ isOurs, before, after, urn, zone, connections: { was, becomes } }) => {
    if (!isOurs || !before || !after || isDeepStrictEqual(was, becomes)) return [];
    const text = `The connection was ${said(was)} and becomes ${said(becomes)}.`;
    return [findingOf({ severity: "warning", urn, zone, text })];
  });
  return notesOf(found);
}

const { compare } = new Intl.Collator("en", { numeric: true });

function byUrn(left: { readonly urn: string | undefined }, right: typeof left): number {
  return compare(left.urn ?? "", right.urn ?? "") || compareTexts(left.urn ?? "", right.urn ?? "");
}

/** The same change to several resources, usually one in each zone, is one entry. */
function changesOf(
  steps: readonly PreviewStep[],
  { positions, steps: all }: Pick<PreviewRead, "positions" | "steps">,
  root: string,
): ReviewChange[] {
  // The resources in this component of ours are listed, too.
  const listed = steps.filter((step) => !step.isComponent || step.type !== "page-guard:index:WafMigration");
  const entries = listed.map((step) => ({ step, differences: differencesOf(step, all) }));
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
      ...{ file: position && relativeTo(root, position.file), line: position?.line },
    };
  });
}

function differencesOf(step: PreviewStep, all: readonly PreviewStep[]): ReviewDifference[] {
  const texts = shownDifferences(step).map(asTexts);
  if (!passesRulesOn(step, all)) return texts;
  const after = "those above, if the program passes them on unchanged";
  return texts.map((one) => (one.path === "rules" ? { ...one, after } : one));
}

/** All arguments of a new or deleted resource; the zone has its own column. */
function shownDifferences({ op, isOurs, before, after, differences }: PreviewStep): readonly Difference[] {
  if (op !== "create" && op !== "delete") return differences;
  const [was, becomes] = op === "create" ? [undefined, after] : [before, undefined];
  return Object.keys((isOurs && (was ?? becomes)) || {})
    .filter((path) => path !== "zoneId" && path !== "confirm")
    .map((path) => ({ path, before: was?.[path], after: becomes?.[path] }));
}

function asTexts({ path, before, after }: Difference): ReviewDifference {
  const [was, becomes] = [before, after].map((one) => (one === undefined ? one : asText(asPlainJson(one))));
  const isText = typeof before === "string" && typeof after === "string";
  return { path, ...(isText ? policyPieces(before, after) : { before: was, after: becomes }) };
}

/** Of two long policies only the directives that differ. */
function policyPieces(before: string, after: string): { readonly before: string; readonly after: string } {
  if (before.length + after.length < 120 || !before.includes(";")) return { before, after };
  const [was, becomes] = [before, after].map((text) => text.split(";").map((one) => one.trim()));
  const only = (these: readonly string[] = [], those: readonly string[] = []): string =>
    these.filter((one) => one !== "" && !those.includes(one)).join("; ");
  const [gone, come] = [only(was, becomes), only(becomes, was)];
  if (gone + come === "") return { before, after };
  return { before: `… ${gone}`.trim(), after: `… ${come}`.trim() };
}
