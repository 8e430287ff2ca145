import { relative, sep } from "node:path";
import { declaredKind, declaredName } from "../../lifecycle/declared-as";
import { type Concern, meaningOf } from "../../reports/finding-meanings";
import {
  type Review,
  type ReviewChange,
  type ReviewNote,
  type ReviewPart,
  type ReviewZone,
  takenOver,
} from "../../reports/review/review";
import { differencesAsText } from "./difference-text";
import { notesOf } from "./notes";
import type { Difference, PreviewRead, PreviewStep, ReadFinding } from "./preview-read";

export interface ReviewOptions {
  readonly version: string;
  readonly exitCode: number;
  /** Folder that files are named from. */
  readonly root: string;
}

const changing = new Set(["create", "update", "replace", "delete", "import"]);

/** What has to be read, in the order of reading. */
export function reviewOf(read: PreviewRead, options: ReviewOptions): Review {
  // The engine's order varies from run to run; the comment of the same preview is to be the same.
  const findings = read.findings.map((finding) => placed(finding, options.root)).sort(byCodeAndUrn);
  const steps = read.steps.filter(({ op }) => changing.has(op)).sort(byUrn);
  const of = (concern: Concern): ReviewNote[] =>
    notesOf(
      findings.filter(({ code, severity }) => severity !== "error" && meaningOf(code).concern === concern),
    );
  const changes = (op: string): ReviewChange[] =>
    grouped(
      steps.filter((step) => step.op === op),
      read,
      options,
    );
  const undone = [...of("undone"), ...unlookedMigrations(steps, findings)];
  const isUnchanged = steps.length === 0 && read.result === "succeeded" && undone.length === 0;
  const parts: ReviewPart[] = [
    { title: "What stops it", isFolded: false, notes: [...stopping(read, findings)] },
    { title: "What visitors would notice", isFolded: false, notes: of("visitors") },
    { title: "What belongs to others", isFolded: false, notes: of("others") },
    {
      title: "Changed outside since the last run",
      isFolded: false,
      changes: grouped(read.refreshed, read, options),
    },
    { title: "Deleted", isFolded: false, changes: changes("delete") },
    { title: "Replaced", isFolded: false, changes: changes("replace") },
    { title: "Updated", isFolded: false, changes: changes("update") },
    { title: takenOver, isFolded: false, notes: of("taken") },
    { title: "Created", isFolded: true, changes: [...changes("create"), ...changes("import")] },
    {
      title: "Everything else that was said",
      isFolded: true,
      notes: [...of("rest"), ...otherMessages(read)],
    },
  ];
  return {
    stack: read.stack,
    project: read.project,
    version: options.version,
    result: read.result,
    exitCode: options.exitCode,
    counts: countsOf(read),
    isUnchanged,
    undone,
    zones: zonesOf(steps, findings),
    parts: parts.filter((part) => ("notes" in part ? part.notes : part.changes).length > 0),
  };
}

const { compare } = new Intl.Collator("en", { numeric: true });

function byUrn(left: { readonly urn: string | undefined }, right: typeof left): number {
  return compare(left.urn ?? "", right.urn ?? "");
}

function byCodeAndUrn(left: ReadFinding, right: ReadFinding): number {
  return compare(left.code, right.code) || byUrn(left, right);
}

/** Errors of ours, of others, and of policy packs whose word is law. */
function stopping(read: PreviewRead, findings: readonly ReadFinding[]): ReviewNote[] {
  const ours = notesOf(
    findings.filter(({ severity, code }) => severity === "error" && code !== "program-refused"),
  );
  const engine = read.diagnostics.filter(
    ({ code, severity, text }) => severity === "error" && code === undefined && !isEcho(text),
  );
  return [
    ...ours,
    ...notesOf(engine.map(asFinding)),
    ...notesOf(read.violations.filter(({ isMandatory }) => isMandatory).map(violationAsFinding)),
  ];
}

/** What the engine says besides when something has failed already. */
function isEcho(text: string): boolean {
  return /^(preview failed|update failed|resource registration failed)\.?$/i.test(text);
}

function otherMessages(read: PreviewRead): ReviewNote[] {
  const said = read.diagnostics.filter(({ code, severity }) => code === undefined && severity !== "error");
  return [
    ...notesOf(read.violations.filter(({ isMandatory }) => !isMandatory).map(violationAsFinding)),
    ...notesOf(said.map(asFinding)),
  ];
}

function asFinding({ severity, urn, text }: PreviewRead["diagnostics"][number]): ReadFinding {
  return { ...unknownPlace, severity, urn, text, code: "" };
}

function violationAsFinding({
  pack,
  policy,
  isMandatory,
  urn,
  text,
}: PreviewRead["violations"][number]): ReadFinding {
  const severity = isMandatory ? "error" : "warning";
  return { ...unknownPlace, severity, urn, text: `Policy pack ${pack}, ${policy}: ${text}`, code: "" };
}

const unknownPlace = { zone: undefined, property: "", data: undefined, file: undefined, line: undefined };

/** The plan of a migration comes from the service. Where that was not asked, the box must not stay empty. */
function unlookedMigrations(steps: readonly PreviewStep[], findings: readonly ReadFinding[]): ReviewNote[] {
  const unlooked = steps.filter(
    ({ isOurs, kind, op, urn, differences }) =>
      isOurs &&
      kind === "WafMigrationStep" &&
      (op === "create" || op === "replace" || differences.some(({ path }) => path === "stage")) &&
      !findings.some((finding) => finding.urn === urn && finding.code.startsWith("migration-")),
  );
  return notesOf(
    unlooked.map(({ urn, zone, after }) => ({
      ...unknownPlace,
      code: "",
      severity: "warning",
      urn,
      zone,
      text: `A WAF migration to stage ${JSON.stringify(after?.["stage"])}, and the service was not asked how far the zone is. If it is not there yet, this cannot be undone.`,
    })),
  );
}

function countsOf({ steps }: PreviewRead): string {
  const count = (op: string): number => steps.filter((step) => step.op === op && op !== "").length;
  const told = [
    [count("create") + count("import"), "to create"],
    [count("update"), "to update"],
    [count("replace"), "to replace"],
    [count("delete"), "to delete"],
    [count("same"), "unchanged"],
  ] as const;
  const texts = told.filter(([number]) => number > 0).map(([number, text]) => `${number} ${text}`);
  return texts.length === 0 ? "no resource" : texts.join(", ");
}

/** The same change to many resources, mostly one in each zone, is one to read. */
function grouped(steps: readonly PreviewStep[], read: PreviewRead, { root }: ReviewOptions): ReviewChange[] {
  const groups = new Map<string, ReviewChange>();
  for (const step of steps) {
    const differences = differencesAsText(differencesTold(step));
    const key = JSON.stringify([step.op, step.kind, step.isProtected, differences]);
    const position = read.positions.get(step.urn);
    const before = groups.get(key);
    groups.set(key, {
      op: step.op,
      kind: step.isOurs ? declaredKind(step.kind) : step.kind,
      names: [...(before?.names ?? []), step.isOurs ? declaredName(step.kind, step.name) : step.name],
      zones: withZone(before?.zones ?? [], step.zone),
      differences,
      isProtected: step.isProtected,
      file: before ? before.file : position && relativeTo(root, position.file),
      line: before ? before.line : position?.line,
    });
  }
  return [...groups.values()];
}

function withZone(zones: readonly string[], zone: string | undefined): readonly string[] {
  return zone === undefined || zones.includes(zone) ? zones : [...zones, zone];
}

/** Of what comes and of what goes, all arguments; the zone is named beside. */
function differencesTold({ op, isOurs, before, after, differences }: PreviewStep): readonly Difference[] {
  if (op !== "create" && op !== "delete") return differences;
  if (!isOurs) return [];
  return Object.entries((op === "create" ? after : before) ?? {})
    .filter(([path]) => path !== "zoneId" && path !== "confirm")
    .map(([path, value]) =>
      op === "create"
        ? { path, kind: "add", replaces: false, before: undefined, after: value }
        : { path, kind: "delete", replaces: false, before: value, after: undefined },
    );
}

const gravity: readonly Concern[] = ["undone", "visitors", "others", "taken", "rest"];

/** A table is worth its room from two zones on. */
function zonesOf(steps: readonly PreviewStep[], findings: readonly ReadFinding[]): ReviewZone[] {
  const zones = [
    ...new Set([...steps, ...findings].flatMap(({ zone }) => (zone === undefined ? [] : [zone]))),
  ];
  if (zones.length < 2) return [];
  const rows = zones.map((zone) => {
    const here = steps.filter((step) => step.zone === zone);
    const count = (...ops: readonly string[]): number => here.filter(({ op }) => ops.includes(op)).length;
    const codes = [...new Set(findings.filter((one) => one.zone === zone).map(({ code }) => code))];
    return {
      zone,
      creates: count("create", "import"),
      updates: count("update"),
      replaces: count("replace"),
      deletes: count("delete"),
      codes: codes.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)),
    };
  });
  return rows.sort(
    (left, right) =>
      weight(right) - weight(left) || right.deletes - left.deletes || compare(left.zone, right.zone),
  );
}

/** The zone with the gravest things comes first; of two such, the one of which more is said. */
function weight({ codes }: ReviewZone): number {
  return codes.reduce((sum, code) => sum + 100 ** (gravity.length - rank(code)), 0);
}

function rank(code: string): number {
  return gravity.indexOf(meaningOf(code).concern);
}

function placed(finding: ReadFinding, root: string): ReadFinding {
  return finding.file === undefined ? finding : { ...finding, file: relativeTo(root, finding.file) };
}

/** Outside of the repository a path says nothing to a reader, and something about a machine. */
export function relativeTo(root: string, file: string): string | undefined {
  const path = relative(root, file);
  return path === "" || path.startsWith("..") || path === file ? undefined : path.split(sep).join("/");
}
