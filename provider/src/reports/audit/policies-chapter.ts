import { plural } from "../../text/plural";
import { type Chapter, type Inline, linesCell } from "../blocks/document";
import { unreadEntry } from "./head";
import type { AuditData, AuditPolicy } from "./report-data";

const dayMs = 24 * 60 * 60 * 1000;

/** What each policy allows, blocks and still lacks. */
export function policiesChapter({ zones }: AuditData, now: number): Chapter {
  const rows = zones.flatMap((zone) => (zone.policies ?? []).map((policy) => ({ zone, policy })));
  const hasZones = zones.length > 1;
  return {
    id: "policies",
    title: "Policies",
    count: rows.length,
    look: "open",
    what: "policies",
    entries: unreadEntry(zones, "policies", "policies"),
    table: {
      search: "policies",
      heads: [
        ...(hasZones ? [{ name: "zone" }] : []),
        { name: "policy", width: "wide" },
        { name: "state", width: "narrow" },
        { name: "allows", width: "wide" },
        { name: "lint", width: "wide" },
        { name: "blocks, of what is in use" },
        { name: "ready to enforce?" },
      ],
      rows: rows.map(({ zone, policy }) => [
        ...(hasZones ? [[{ code: zone.name }] as const] : []),
        nameCell(policy),
        [stateOf(policy, now)],
        linesCell(policy.allows.map(({ directive, sources }) => [directive, ...sources].join(" "))),
        policy.lint.length === 0
          ? ["no findings"]
          : linesCell(policy.lint.map(({ rule, severity, message }) => `${severity}: ${message} [${rule}]`)),
        impactCell(policy),
        readyCell(policy),
      ]),
    },
  };
}

function nameCell({ description, id, expression, declaredBy }: AuditPolicy): Inline[] {
  return [
    { strong: description || "(no description)" },
    " ",
    { tag: id },
    ", if ",
    { code: expression, isWhole: true },
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
  const verb = action === "allow" && enabled ? "" : "would be ";
  const lost = breaks.scripts + breaks.connections;
  const kept = keepsOut.scripts + keepsOut.connections;
  const parts = [
    lost > 0 ? `${lost} of ${examined} ${verb}blocked` : `none of ${examined} ${verb}blocked`,
    ...(kept > 0 ? [`${kept} malicious kept out`] : []),
    ...(letsIn > 0 ? [`${letsIn} malicious let in`] : []),
  ];
  const named = hosts
    .filter((host) => host.breaks.scripts + host.breaks.connections > 0)
    .map(({ host, reason }) => `${host || "(no host)"}: ${reason}`);
  return [parts.join(", "), ...(named.length === 0 ? [] : ["; ", ...linesCell(named)])];
}

const answers = { yes: "yes", no: "not yet", unknown: "not known" };

function readyCell({ ready }: AuditPolicy): Inline[] {
  if (ready === null) return ["enforced"];
  return [
    { strong: answers[ready.answer] },
    ...(ready.reasons.length === 0 ? [] : [". ", ...ready.reasons.join(" ")]),
  ];
}
