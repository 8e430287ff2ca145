import { forTerminal } from "../../reports/escape";
import type { ReportFinding } from "../../reports/report";
import { plural } from "../../text/plural";
import type { Output } from "../output";
import { sumOf } from "../values";
import type { ZoneRef } from "../zones";
import type { ExportChange } from "./changes";
import { shareText, type ZoneExport } from "./export-md";
import type { Form } from "./program";
import { unreadOf } from "./standing";

/** What `page-guard export` prints. */
export function exportOutputOf(
  out: string,
  form: Form,
  zones: readonly ZoneExport[],
  added: readonly string[],
  /** What to run before the first preview. */
  commands: readonly string[],
): Output {
  return {
    text: textOf(out, zones, added, commands),
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
  changes: readonly { readonly zone: ZoneRef; readonly change: ExportChange }[],
  unread: readonly string[],
): Output {
  const lines = changes.map(({ zone, change }) => `${zone.name}: ${sentence(change)}`);
  const differs = lines.length === 0 ? ["No differences between zones and files."] : lines;
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
  commands: readonly string[],
): string {
  const lines = zones.flatMap(({ zone, declared, written, changes, counts, isAgain }) => {
    const settings = counts.hasSettings ? "settings, " : "";
    return [
      `${zone.name}: ${settings}${shareText(counts.policies)} policies, ${shareText(counts.rules)} WAF rules`,
      ...declared.leftOut.map((one) => `  left out: ${forTerminal(one.what)}: ${forTerminal(one.why, 300)}`),
      ...(isAgain ? changes.map((change) => `  ${sentence(change)}`) : []),
      ...written.edited.map((file) => `  ${file} was edited, so it was not changed`),
      ...unreadOf(written.standings).map((place) => `  ${unreadLine(place)}`),
    ];
  });
  const unresolved = sumOf(zones, ({ written }) => written.unresolved.length);
  const out = forTerminal(folder);
  const inFolder = folder === "." ? "" : `cd ${out} && `;
  return [
    ...lines,
    `Written to ${out}. Its EXPORT.md says what was found, and what was left out and why.${added.length > 0 ? ` New: ${added.join(", ")}.` : ""}`,
    ...(unresolved > 0
      ? [`${plural(unresolved, "difference")} in edited files: EXPORT.md says what to do.`]
      : []),
    `Next: ${inFolder}${[...commands, "pulumi stack init", "pulumi preview"].join(" && ")}`,
    "",
  ].join("\n");
}

function unreadLine(place: string): string {
  return `${forTerminal(place)} cannot be read without running it: what was last written counts.`;
}

function sentence({ what, kind, key, name, fields, missingRules = [], unread }: ExportChange): string {
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
  const leftOut = declared.leftOut.map(({ what, why }) => ({ subject: what, message: why }));
  const decisions = objects.flatMap(({ name, remarks }) =>
    remarks.map((message) => ({ subject: name, message })),
  );
  return [
    ...leftOut.map((one) => ({ code: "left-out", severity: "warning", zone: zone.name, ...one }) as const),
    ...written.unresolved.map((change) => differenceFinding(out, zone, change, "warning")),
    ...decisions.map((one) => ({ code: "to-decide", severity: "note", zone: zone.name, ...one }) as const),
  ];
}

function differenceFinding(
  out: string,
  zone: ZoneRef,
  change: ExportChange,
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
