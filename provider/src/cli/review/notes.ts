import { declaredAsIn } from "../../lifecycle/urn";
import type { ReviewNote } from "../../reports/review/review";
import type { PreviewRead, ReadFinding } from "./preview-read";

/**
 * Findings as notes: what is said of many resources in the same words is said once, and what a lint rule says of many
 * policies too, whatever keys they have in their sets.
 */
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
      subjects: added(before?.subjects ?? [], subject),
      zones: added(before?.zones ?? [], zone),
      text: before?.text ?? text,
      file: before ? before.file : file,
      line: before ? before.line : line,
    });
  }
  return [...notes.values()];
}

/** What is found in the text or the expression of a policy reads the same without the place. */
function isOfPolicies({ code }: ReadFinding): boolean {
  return code.startsWith("csp-lint-") || code === "expression-unreadable";
}

function added(list: readonly string[], one: string | undefined): readonly string[] {
  return one === undefined || list.includes(one) ? list : [...list, one];
}

/** Errors of ours, of others, and of policy packs whose word is law. */
export function stopping(read: PreviewRead, findings: readonly ReadFinding[]): ReviewNote[] {
  const ours = findings.filter(({ severity, code }) => severity === "error" && code !== "program-refused");
  const engine = read.diagnostics.filter(
    ({ code, severity, text }) => severity === "error" && code === undefined && !isEcho(text),
  );
  const packs = read.violations.filter(({ isMandatory }) => isMandatory);
  return [...notesOf(ours), ...notesOf(engine.map(asFinding)), ...notesOf(packs.map(violationAsFinding))];
}

/** What others than this package have said. */
export function otherMessages(read: PreviewRead): ReviewNote[] {
  const said = read.diagnostics.filter(({ code, severity }) => code === undefined && severity !== "error");
  const packs = read.violations.filter(({ isMandatory }) => !isMandatory);
  return [...notesOf(packs.map(violationAsFinding)), ...notesOf(said.map(asFinding))];
}

/** What the engine says besides when something has failed already. */
function isEcho(text: string): boolean {
  return /^(preview failed|update failed|resource registration failed)\.?$/i.test(text);
}

const bare = {
  ...{ isShown: true, code: "", zone: undefined, property: "" },
  ...{ data: undefined, file: undefined, line: undefined },
};

function asFinding({ severity, urn, text }: PreviewRead["diagnostics"][number]): ReadFinding {
  return { ...bare, severity, urn, text };
}

function violationAsFinding({
  pack,
  policy,
  isMandatory,
  urn,
  text,
}: PreviewRead["violations"][number]): ReadFinding {
  const severity = isMandatory ? "error" : "warning";
  return { ...bare, severity, urn, text: `Policy pack ${pack}, ${policy}: ${text}` };
}
