import { isDeepStrictEqual } from "node:util";
import type { Concern } from "../../errors/findings";
import { declaredKind, declaredName } from "../../lifecycle/urn";
import { meaningOf } from "../../reports/finding-meanings";
import type {
  Review,
  ReviewChange,
  ReviewDifference,
  ReviewNote,
  ReviewPart,
} from "../../reports/review/review";
import { compareTexts, grouped } from "../../text/data";
import { asText, distinct } from "../values";
import { isEcho, isError, lossCodes, notesOf, unreadLosses } from "./findings";
import { blockedIn, letInBy } from "./impact";
import { migrationsOf } from "./migrations";
import {
  alertsOf,
  headlineOf,
  impactOf,
  isAdoptionOnly,
  type ReviewFacts,
  resourceCounts,
  zoneRows,
} from "./overview";
import {
  asPlainJson,
  type Difference,
  type PreviewRead,
  type PreviewStep,
  type ReadFinding,
  shownFinding,
} from "./preview-read";
import { relativeTo } from "./repository-root";
import { passesRulesOn } from "./rules";
import { joinedLosses, zoneChanges } from "./zone-changes";
import { isChanging } from "./zone-objects";
import type { ZonesRead } from "./zones";

interface Options {
  readonly version: string;
  readonly exitCode: number;
  /** Files are named from here. */
  readonly root: string;
  /** The service was not asked. */
  readonly isOffline?: boolean;
}

/** What a preview means for the person who approves it. `zones`: what they hold; undefined where none was read. */
export function reviewOf(read: PreviewRead, zones: ZonesRead | undefined, options: Options): Review {
  const { version, exitCode, root } = options;
  // The engine's order varies, and the same preview has to give the same comment.
  const findings = read.findings
    .map(({ file, ...rest }) => ({ ...rest, file: file === undefined ? file : relativeTo(root, file) }))
    .sort((left, right) => compare(left.code, right.code) || byUrn(left, right));
  const steps = read.steps.filter(isChanging).sort(byUrn);
  const unread = new Set(zones?.unread.map(({ zone }) => zone));
  const isRead = (zone: string | undefined): boolean =>
    zone !== undefined && zones?.values.has(zone) === true && !unread.has(zone);
  const { changes, losses } = zoneChanges(read.steps, (zone) => zones?.values.get(zone));
  const { migrations, used: started } = migrationsOf(steps, findings);
  const facts: ReviewFacts = {
    ...{ steps, findings, changes, migrations, zones },
    losses: joinedLosses(losses),
    blocked: blockedIn(findings),
    letIn: letInBy(findings),
    isOffline: options.isOffline === true || findings.some(({ code }) => code === "offline"),
  };
  const unreadNotes = unreadLosses(steps, findings, isRead);
  const rest = findings.filter(
    (finding) => !started.has(finding) && !unreadNotes.includes(finding) && !isEcho(finding),
  );
  const parts = partsOf(read, facts, { rest, unread: notesOf(unreadNotes), isRead, root });
  const isUnchanged =
    steps.length === 0 && read.result === "succeeded" && !parts.some(({ isUrgent }) => isUrgent);
  return {
    ...{ stack: read.stack, project: read.project, version, exitCode, isUnchanged },
    result: read.result,
    isAdoptionOnly: read.result === "succeeded" && isAdoptionOnly(facts),
    headline: headlineOf(read.result, isUnchanged, facts),
    alerts: alertsOf(facts, rest),
    resources: resourceCounts(read),
    undone: migrations,
    losses: facts.losses,
    impact: impactOf(facts),
    zones: zoneRows(facts),
    parts,
  };
}

interface Said {
  readonly rest: readonly ReadFinding[];
  readonly unread: readonly ReviewNote[];
  readonly isRead: (zone: string | undefined) => boolean;
  readonly root: string;
}

function partsOf(
  read: PreviewRead,
  { steps, changes }: ReviewFacts,
  { rest, unread, isRead, root }: Said,
): ReviewPart[] {
  const concernOf = (finding: ReadFinding): Concern | "stops" => {
    if (isError(finding)) return "stops";
    // The zones show it in full.
    return lossCodes.has(finding.code) && isRead(finding.zone) ? "rest" : meaningOf(finding.code).concern;
  };
  const of = (concern: Concern | "stops") =>
    notesOf(rest.filter((finding) => concernOf(finding) === concern));
  const fateOf = (step: PreviewStep): string => {
    const its = distinct(changes.filter((change) => change.step === step).map(({ fate }) => fate));
    if (its.length > 1 || !step.isOurs || step.kind === "WafMigrationStep") return "several";
    return its[0] ?? "none";
  };
  const change = (ops: readonly string[], keep = (_: PreviewStep): boolean => true) =>
    changesOf(
      steps.filter((step) => ops.includes(step.op) && keep(step)),
      read,
      root,
    );
  const creating = ["create", "import"];
  const parts: ReviewPart[] = [
    { title: "What stops it", isUrgent: true, notes: of("stops") },
    { title: "What will most likely make the update fail", isUrgent: true, notes: of("fails") },
    { title: "Another service, or another token", isUrgent: true, notes: movedConnections(read.steps) },
    { title: "What others lose, by findings alone", isUrgent: true, notes: unread },
    { title: "Created beside one that closely matches", isUrgent: true, notes: of("beside") },
    { title: "Cannot be undone, according to a finding outside of any migration", notes: of("undone") },
    { title: "Malicious and let in", notes: of("malicious") },
    { title: "What else visitors may notice", notes: of("visitors") },
    { title: "Policies and rules of others", notes: of("others") },
    { title: "Changed outside since the last run", changes: changesOf(read.refreshed, read, root) },
    { title: "Deleted", changes: change(["delete"], (step) => !["leave", "none"].includes(fateOf(step))) },
    {
      title: "Left in the zone, no longer managed",
      changes: change(["delete"], (step) => fateOf(step) === "leave"),
    },
    {
      title: "Removed from the state alone: adopted by another resource, or gone from the zone",
      changes: change(["delete"], (step) => fateOf(step) === "none"),
    },
    { title: "Replaced", changes: change(["replace"]) },
    { title: "Updated", changes: change(["update"]) },
    { title: "Created", isFolded: true, changes: change(creating, (step) => fateOf(step) !== "adopt") },
    {
      title: "Adopted unchanged",
      isFolded: true,
      changes: change(creating, (step) => fateOf(step) === "adopt"),
    },
    { title: "Other messages", isFolded: true, notes: [...of("taken"), ...of("rest")] },
  ];
  return parts.filter((part) => ("notes" in part ? part.notes : part.changes).length > 0);
}

/** The engine shows no difference for a changed connection. */
function movedConnections(steps: readonly PreviewStep[]): ReviewNote[] {
  const moved = steps.filter(
    ({ isOurs, before, after, connections: { was, becomes } }) =>
      isOurs && before && after && !isDeepStrictEqual(was, becomes),
  );
  const said = (value: unknown): string =>
    value === undefined ? "nothing" : JSON.stringify(asPlainJson(value));
  return notesOf(
    moved.map(({ urn, zone, connections: { was, becomes } }) => {
      const text = `The connection was ${said(was)} and becomes ${said(becomes)}.`;
      return shownFinding({ severity: "warning", urn, zone, text });
    }),
  );
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
      file: position && relativeTo(root, position.file),
      line: position?.line,
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
