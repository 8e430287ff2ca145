import { dayMs, plural } from "pulumi-page-guard/tools";
import { type Chapter, type Column, type Inline, linesCell, openChapter, tableOf } from "../blocks/document";
import { type OfZone, unreadEntry, withZoneColumn } from "./head";
import type { AuditData, AuditPolicy } from "./report-data";

/** What each policy allows, blocks and still lacks. */
export function policiesChapter({ zones }: AuditData, now: number): Chapter {
  const rows = zones.flatMap((zone) => (zone.policies ?? []).map((policy) => ({ ...policy, zone })));
  return {
    ...openChapter("Policies", "policies", ...unreadEntry(zones, "policies", "policies")),
    ...{ id: "policies", count: rows.length },
    table: tableOf(rows, withZoneColumn(zones, columnsAt(now)), "policies"),
  };
}

const columnsAt = (now: number): readonly Column<OfZone<AuditPolicy>>[] => [
  { name: "policy", width: "wide", cell: nameCell },
  { name: "state", width: "narrow", cell: (policy) => stateOf(policy, now) },
  {
    ...{ name: "allows", width: "wide" },
    cell: ({ allows }) =>
      linesCell(allows.map(({ directive, sources }) => [directive, ...sources].join(" "))),
  },
  {
    ...{ name: "lint", width: "wide" },
    cell: ({ lint }) => {
      const texts = lint.map(({ rule, severity, message }) => `${severity}: ${message} [${rule}]`);
      return texts.length === 0 ? "no findings" : linesCell(texts);
    },
  },
  { name: "blocks, of what is in use", cell: impactCell },
];

function nameCell({ description, id, expression, declaredBy }: AuditPolicy): Inline[] {
  return [
    ...[{ strong: description || "(no description)" }, " ", { tag: id }],
    ...[", if ", { code: expression, isWhole: true }],
    declaredBy === null ? "" : `, declared by ${declaredBy}`,
  ];
}

function stateOf({ action, enabled, loggingSince }: AuditPolicy, now: number): string {
  if (!enabled) return "switched off";
  if (action === "allow") return "enforced";
  if (loggingSince === null) return `logs (${action}), since when is not known`;
  const days = Math.max(0, Math.floor((now - Date.parse(loggingSince)) / dayMs));
  return `logs (${action}) for ${plural(days, "day")}, since ${loggingSince.slice(0, 10)}`;
}

function impactCell({ impact, action, enabled }: AuditPolicy): Inline[] {
  if (impact === null) return ["not checked"];
  const { examined, breaks, keepsOut, letsIn, hosts } = impact;
  const verb = action === "allow" && enabled ? "blocked" : "would be blocked";
  const lost = breaks.scripts + breaks.connections;
  const kept = keepsOut.scripts + keepsOut.connections;
  const parts = [
    `${lost > 0 ? lost : "none"} of ${examined} ${verb}`,
    ...(kept > 0 ? [`${kept} malicious kept out`] : []),
    ...(letsIn > 0 ? [`${letsIn} malicious let in`] : []),
  ];
  const named = hosts
    .filter((host) => host.breaks.scripts + host.breaks.connections > 0)
    .map(({ host, reason }) => `${host || "(no host)"}: ${reason}`);
  return [parts.join(", "), ...(named.length === 0 ? [] : ["; ", ...linesCell(named)])];
}
