import { declaredAsIn } from "../../lifecycle/urn";
import type { ReviewNote } from "../../reports/review/review";
import { withOne } from "../values";
import {
  type Diagnostic,
  type PreviewRead,
  type ReadFinding,
  shownFinding,
  type Violation,
} from "./preview-read";

/** Findings as notes: the same text about several resources, or about several policies of sets, is one note. */
export function notesOf(findings: readonly ReadFinding[]): ReviewNote[] {
  const notes = new Map<string, ReviewNote>();
  for (const finding of findings) {
    const { code, severity, urn, zone, property, file, line } = finding;
    const text = property === "" || isOfPolicies(finding) ? finding.text : `${property}: ${finding.text}`;
    const key = JSON.stringify([code, severity, zone === undefined ? text : text.replaceAll(zone, "")]);
    const before = notes.get(key);
    const at = isOfPolicies(finding) && property.startsWith("policies") ? property.slice(8) : "";
    const subject = urn === undefined ? undefined : `${declaredAsIn(urn)}${at}`;
    notes.set(key, {
      code: code || undefined,
      severity: severity === "info" ? "note" : severity,
      subjects: withOne(before?.subjects ?? [], subject),
      zones: withOne(before?.zones ?? [], zone),
      text: before?.text ?? text,
      file: before ? before.file : file,
      line: before ? before.line : line,
    });
  }
  return [...notes.values()];
}

/** Findings in the text or expression of a policy read the same without their place. */
function isOfPolicies({ code }: ReadFinding): boolean {
  return code.startsWith("csp-lint-") || code === "expression-unreadable";
}

/** Errors: ours, those of others, and violations of mandatory policy packs. */
export function stopping(read: PreviewRead, findings: readonly ReadFinding[]): ReviewNote[] {
  const ours = findings.filter(({ severity, code }) => severity === "error" && code !== "program-refused");
  const engine = read.diagnostics.filter(
    ({ code, severity, text }) => severity === "error" && code === undefined && !isEcho(text),
  );
  const packs = read.violations.filter(({ isMandatory }) => isMandatory);
  return [...notesOf(ours), ...notesOf(engine.map(asFinding)), ...notesOf(packs.map(violationAsFinding))];
}

/** Messages of others than this package. */
export function otherMessages(read: PreviewRead): ReviewNote[] {
  const said = read.diagnostics.filter(({ code, severity }) => code === undefined && severity !== "error");
  const packs = read.violations.filter(({ isMandatory }) => !isMandatory);
  return [...notesOf(packs.map(violationAsFinding)), ...notesOf(said.map(asFinding))];
}

/** What the engine adds after a failure. */
function isEcho(text: string): boolean {
  return /^(preview failed|update failed|resource registration failed)\.?$/i.test(text);
}

function asFinding({ severity, urn, text }: Diagnostic): ReadFinding {
  return shownFinding({ severity, urn, text });
}

function violationAsFinding({ pack, policy, isMandatory, urn, text }: Violation): ReadFinding {
  const severity = isMandatory ? "error" : "warning";
  return shownFinding({ severity, urn, text: `Policy pack ${pack}, ${policy}: ${text}` });
}
