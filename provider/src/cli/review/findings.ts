import { declaredAsIn } from "../../lifecycle/urn";
import { reportSeverity } from "../../reports/report";
import type { ReviewNote } from "../../reports/review/review";
import { grouped } from "../../text/data";
import { jsonOf } from "../../text/from-outside";
import { distinct } from "../values";
import { findingLineSchema } from "./event-schema";
import {
  type Position,
  type PreviewRead,
  type PreviewStep,
  type ReadFinding,
  shownFinding,
  withProperty,
} from "./preview-read";
import { isChanging, takesOthers } from "./zone-objects";

/** Reads the file that PAGE_GUARD_FINDINGS names, without lines that are cut off or not ours. */
export function readFindingLines(lines: Iterable<string>): {
  readonly findings: readonly ReadFinding[];
  readonly positions: ReadonlyMap<string, Position>;
} {
  const findings: ReadFinding[] = [];
  const positions = new Map<string, Position>();
  for (const line of lines) {
    const { data } = findingLineSchema.safeParse(jsonOf(line));
    if (data?.kind === "position") positions.set(data.urn, { file: data.file, line: data.line });
    else if (data) findings.push({ ...shownFinding({ urn: undefined, ...data }), isShown: false });
  }
  return { findings, positions };
}

const gravity = { info: 0, warning: 1, error: 2 };

/**
 * All findings, each once: replacements are checked twice, and messages repeat what is in the file. The program under review
 * can write the file, so a message's own severity and text count, and the zone is that of the engine's step.
 */
export function mergedFindings(
  fromFile: readonly ReadFinding[],
  shown: readonly ReadFinding[],
  { steps, positions }: Pick<PreviewRead, "steps" | "positions">,
): ReadFinding[] {
  const zones = new Map(steps.map(({ urn, zone }) => [urn, zone]));
  const merged = new Map(fromFile.map((finding) => [keyOf(finding), finding]));
  for (const said of shown) {
    const known = merged.get(keyOf(said)) ?? said;
    if (known !== said && known.isShown && gravity[known.severity] >= gravity[said.severity]) continue;
    const begin = known.property === "" ? "" : `${known.property}: `;
    const text = said.text.startsWith(begin) ? said.text.slice(begin.length) : said.text;
    merged.set(keyOf(said), { ...known, text, severity: said.severity, isShown: true });
  }
  return [...merged.values()].map((finding) => {
    const { urn = "", file, line } = finding;
    const position = file === undefined ? positions.get(urn) : { file, line };
    return { ...finding, zone: zones.get(urn) ?? finding.zone, file: position?.file, line: position?.line };
  });
}

/** Messages are cut and their white space varies. */
function keyOf(finding: ReadFinding): string {
  const beginning = withProperty(finding).replace(/\s+/g, "").slice(0, 1000);
  return JSON.stringify([finding.urn, finding.code, beginning]);
}

/** Findings as notes: the same text about several resources, or about several policies of sets, is one note. */
export function notesOf(findings: readonly ReadFinding[]): ReviewNote[] {
  const groups = grouped(findings, (finding) => {
    const { code, severity, zone } = finding;
    const text = noteText(finding);
    return JSON.stringify([code, severity, zone === undefined ? text : text.replaceAll(zone, "")]);
  });
  return [...groups.values()].map((group) => {
    const [first] = group;
    const { code, severity, file, line } = first;
    return {
      ...{ code: code || undefined, severity: reportSeverity(severity), text: noteText(first), file, line },
      subjects: distinct(group.map(subjectOf)),
      zones: distinct(group.map(({ zone }) => zone)),
    };
  });
}

function noteText(finding: ReadFinding): string {
  return isOfPolicies(finding) ? finding.text : withProperty(finding);
}

function subjectOf(finding: ReadFinding): string | undefined {
  const { urn, property } = finding;
  const at = isOfPolicies(finding) && property.startsWith("policies") ? property.slice(8) : "";
  return urn === undefined ? undefined : `${declaredAsIn(urn)}${at}`;
}

/** Findings in the text or expression of a policy read the same without their place. */
function isOfPolicies({ code }: ReadFinding): boolean {
  return code.startsWith("csp-lint-") || code === "expression-unreadable";
}

export function isError({ severity }: ReadFinding): boolean {
  return severity === "error";
}

/** What the engine adds after a failure, and what only says that others say why. */
export function isEcho({ code, text }: ReadFinding): boolean {
  return (
    code === "program-refused" ||
    (code === "" && /^(preview failed|update failed|resource registration failed)\.?$/i.test(text))
  );
}

/** What others lose in zones that were not read, as findings say it: the update may take more than that. */
export function unreadLosses(
  steps: readonly PreviewStep[],
  findings: readonly ReadFinding[],
  isRead: (zone: string | undefined) => boolean,
): ReadFinding[] {
  const said = findings.filter(
    (finding) => lossCodes.has(finding.code) && !isError(finding) && !isRead(finding.zone),
  );
  const silent = steps.filter(
    (step) =>
      isChanging(step) &&
      takesOthers(step) !== "no" &&
      !isRead(step.zone) &&
      !said.some(({ urn }) => urn === step.urn),
  );
  const text = "The zone was not read. The update may delete everything in it that is not declared.";
  return [...said, ...silent.map(({ urn, zone }) => shownFinding({ severity: "warning", urn, zone, text }))];
}

/** Findings that the zones show in full, where they are read. */
export const lossCodes: ReadonlySet<string> = new Set(["csp-undeclared-deleted", "waf-rules-overwritten"]);
