import { isDeepStrictEqual } from "node:util";
import { declaredAsIn } from "../../lifecycle/urn";
import { reportSeverity } from "../../reports/report";
import type { ReviewNote } from "../../reports/review/review";
import { grouped } from "../../text/grouped";
import { distinct } from "../values";
import {
  asPlainJson,
  type PreviewRead,
  type PreviewStep,
  type ReadFinding,
  shownFinding,
  withProperty,
} from "./preview-read";
import type { ObjectChange } from "./zone-objects";

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

/** Errors: ours, those of others, and violations of mandatory policy packs. */
export function stopping(read: PreviewRead, findings: readonly ReadFinding[]): ReviewNote[] {
  const isError = ({ severity }: ReadFinding): boolean => severity === "error";
  const ours = findings.filter((finding) => isError(finding) && finding.code !== "program-refused");
  const engine = engineFindings(read).filter((finding) => isError(finding) && !isEcho(finding.text));
  return [ours, engine, packFindings(read).filter(isError)].flatMap(notesOf);
}

/** Messages of others than this package. */
export function otherMessages(read: PreviewRead): ReviewNote[] {
  return [packFindings(read), engineFindings(read)].flatMap((all) =>
    notesOf(all.filter(({ severity }) => severity !== "error")),
  );
}

/** What the engine adds after a failure. */
function isEcho(text: string): boolean {
  return /^(preview failed|update failed|resource registration failed)\.?$/i.test(text);
}

/** Of the engine, the program, and other providers. */
export function engineFindings({ diagnostics }: PreviewRead): ReadFinding[] {
  return diagnostics
    .filter(({ code }) => code === undefined)
    .map(({ severity, urn, text }) => shownFinding({ severity, urn, text }));
}

function packFindings({ violations }: PreviewRead): ReadFinding[] {
  return violations.map(({ pack, policy, isMandatory, urn, text }) =>
    shownFinding({
      severity: isMandatory ? "error" : "warning",
      urn,
      text: `Policy pack ${pack}, ${policy}: ${text}`,
    }),
  );
}

/** A preview does not show that the provider will refuse to forget a migration. */
export function refusedDestroys(steps: readonly PreviewStep[]): ReviewNote[] {
  const refused = steps.filter(
    ({ isOurs, kind, op, recorded, isRetained }) =>
      isOurs &&
      kind === "WafMigrationStep" &&
      op === "delete" &&
      !isRetained &&
      recorded?.["allowForget"] !== true,
  );
  const text =
    "A migration cannot be undone, so the update refuses to destroy it. To stop managing it, set allowForget: true.";
  return refused.flatMap(({ urn, zone }) =>
    notesOf([shownFinding({ code: "migration-destroy", severity: "warning", urn, zone, text })]),
  );
}

/** The engine shows no difference for a changed connection. */
export function movedConnections(steps: readonly PreviewStep[]): ReviewNote[] {
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

export function movesOf(changes: readonly ObjectChange[]): ReviewNote[] {
  const moves = changes.flatMap(({ fate, step, movesTo, label, zone }) =>
    fate === "move" && movesTo ? [{ urn: step.urn, to: declaredAsIn(movesTo.urn), label, zone }] : [],
  );
  const pairs = grouped(moves, ({ urn, to }) => JSON.stringify([declaredAsIn(urn), to]));
  return [...pairs.values()].flatMap((group) => {
    const [{ urn, zone, to }] = group;
    const text = `to ${to}: ${group.map(({ label }) => `"${label}"`).join(", ")}`;
    return notesOf([shownFinding({ severity: "info", urn, zone, text })]);
  });
}
