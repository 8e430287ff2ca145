import { forTerminal } from "../../reports/escape";
import type { ReportFinding } from "../../reports/report";
import type { Output } from "../output";
import type { ZoneRef } from "../zones";
import type { Change } from "./changes";
import { shareText } from "./counts";
import type { ZoneExport } from "./export-md";
import { unreadOf } from "./standing";
import type { Form } from "./zone-program";

/** What `page-guard export` prints. */
export function exportOutputOf(
  out: string,
  form: Form,
  zones: readonly ZoneExport[],
  added: readonly string[],
  /** The command that checks the program's types. */
  check: string,
): Output {
  return {
    text: textOf(out, zones, added, check),
    json: { out, form, zones: zones.map(toJson) },
    isFound: false,
    title: "page-guard export",
    examined: zones.map(({ zone }) => zone.name),
    findings: zones.flatMap((zone) => findingsOf(out, zone)),
  };
}

/** What `page-guard export --check` prints. */
export function checkOutputOf(
  out: string,
  zones: readonly ZoneRef[],
  changes: readonly { readonly zone: ZoneRef; readonly change: Change }[],
  unread: readonly string[],
): Output {
  const lines = changes.map(({ zone, change }) => `${zone.name}: ${sentence(change)}`);
  const differs = lines.length === 0 ? ["Nothing differs from what the files declare."] : lines;
  return {
    text: [...differs, ...unread.map(unreadLine), ""].join("\n"),
    json: {
      differs: changes.map(({ zone, change }) => ({ zone: zone.id, zoneName: zone.name, ...change })),
      unread,
    },
    isFound: changes.length > 0,
    title: "page-guard export --check",
    examined: zones.map(({ name }) => name),
    findings: changes.map(({ zone, change }) => differenceFinding(out, zone, change, "error")),
  };
}

function textOf(
  folder: string,
  zones: readonly ZoneExport[],
  added: readonly string[],
  check: string,
): string {
  const lines = zones.flatMap(({ zone, declared, written, changes, counts, isAgain }) => {
    const settings = counts.hasSettings ? "settings, " : "";
    return [
      `${zone.name}: ${settings}${shareText(counts.policies)} policies, ${shareText(counts.rules)} WAF rules`,
      ...declared.leftOut.map(
        ({ what, why }) => `  left out: ${forTerminal(what)}: ${forTerminal(why, 300)}`,
      ),
      ...(isAgain ? changes.map((change) => `  ${sentence(change)}`) : []),
      ...written.edited.map((file) => `  ${file} was edited, and was left alone`),
      ...unreadOf(written.standings).map((place) => `  ${unreadLine(place)}`),
    ];
  });
  const unresolved = zones.reduce((sum, { written }) => sum + written.unresolved.length, 0);
  const out = forTerminal(folder);
  const inFolder = folder === "." ? "" : `cd ${out} && `;
  return [
    ...lines,
    `Written to ${out}; EXPORT.md there says what was found, what is left out and why.${added.length > 0 ? ` New: ${added.join(", ")}.` : ""}`,
    ...(unresolved > 0
      ? [
          `${unresolved} ${unresolved === 1 ? "difference is" : "differences are"} left to you; EXPORT.md lists what to do.`,
        ]
      : []),
    `Next: ${inFolder}npm install && ${check} && pulumi stack init && pulumi preview`,
    "",
  ].join("\n");
}

function unreadLine(place: string): string {
  return `${forTerminal(place)} cannot be read: what was written last counts.`;
}

function sentence({ what, kind, key, name, fields, missingRules = [], unread }: Change): string {
  const id = kind === "CspPolicy" ? ` (${forTerminal(key)})` : "";
  const which = fields.length === 0 ? "" : `: ${fields.map((field) => forTerminal(field)).join(", ")}`;
  const rules =
    missingRules.length === 0 ? "" : `; not declared: ${forTerminal(missingRules.join("; "), 500)}`;
  const where = unread === undefined ? "" : `; ${forTerminal(unread)} cannot be read`;
  return `${what} ${kind} ${forTerminal(name, 80)}${id}${which}${rules}${where}`;
}

function toJson({ zone, objects, declared, written, changes, counts }: ZoneExport): object {
  const { unresolved, edited } = written;
  return {
    id: zone.id,
    name: zone.name,
    declared: counts,
    objects: objects.map(({ kind, key, name, remarks }) => ({ kind, key, name, remarks })),
    leftOut: declared.leftOut,
    remarks: declared.remarks,
    changes,
    unresolved,
    unread: unreadOf(written.standings),
    edited,
    inNoFile: unresolved.flatMap(({ what, key }) => (what === "new" || what === "undeclared" ? [key] : [])),
  };
}

function findingsOf(out: string, { zone, objects, declared, written }: ZoneExport): readonly ReportFinding[] {
  return [
    ...declared.leftOut.map(
      ({ what, why }): ReportFinding => ({
        code: "left-out",
        severity: "warning",
        message: why,
        zone: zone.name,
        subject: what,
      }),
    ),
    ...written.unresolved.map((change) => differenceFinding(out, zone, change, "warning")),
    ...objects.flatMap(({ name, remarks }) =>
      remarks.map(
        (message): ReportFinding => ({
          code: "to-decide",
          severity: "note",
          message,
          zone: zone.name,
          subject: name,
        }),
      ),
    ),
  ];
}

function differenceFinding(
  out: string,
  zone: ZoneRef,
  change: Change,
  severity: ReportFinding["severity"],
): ReportFinding {
  return {
    code: `${change.what}-since-export`,
    severity,
    message: sentence(change),
    zone: zone.name,
    subject: change.name,
    ...(change.file !== undefined && { file: `${out}/${change.file}` }),
  };
}
