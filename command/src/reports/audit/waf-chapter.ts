import {
  type Chapter,
  type Column,
  entry,
  type Inline,
  linesCell,
  openChapter,
  tableOf,
} from "../blocks/document";
import { unreadEntry } from "./head";
import type { AuditData, AuditWaf, AuditZone } from "./report-data";

const positions: Readonly<Record<AuditWaf["position"], string>> = {
  old: "not begun",
  validation: "validation mode",
  finishing: "finishing",
  finished: "finished",
  unclear: "ambiguous",
  unknown: "not known",
};

const answers: Readonly<Record<AuditWaf["mayBegin"], Inline>> = {
  yes: "yes",
  no: { strong: "no" },
  unknown: "not known",
  begun: "has begun",
  done: "done",
};

/** Where the migration of each zone is: a page to plan a season of migrations by. */
export function wafChapter({ zones }: AuditData): Chapter {
  return {
    ...openChapter("WAF and its migration", "zones"),
    ...{ id: "waf", count: zones.length },
    entries: [
      entry("The migration to the new WAF managed rules cannot be undone."),
      ...unreadEntry(zones, "waf", "WAF"),
    ],
    table: tableOf(zones, zoneColumns, "zones"),
  };
}

function inForce({ previous, next }: AuditWaf): string {
  if (previous === null || next === null) return "not known";
  if (next) return previous ? "both" : "new managed rules";
  return previous ? "previous version" : "none";
}

const zoneColumns: readonly Column<AuditZone>[] = [
  { name: "zone", cell: ({ name }) => ({ code: name }) },
  {
    name: "migration",
    cell({ waf }) {
      if (waf === null) return "not read";
      const { position, migrationState: state } = waf;
      return [positions[position], ...(state === null ? [] : [" ", { tag: state }])];
    },
  },
  { name: "in force", cell: ({ waf }) => waf && inForce(waf) },
  { name: "may it begin?", cell: ({ waf }) => waf && answers[waf.mayBegin] },
  { name: "why not", width: "wide", cell: ({ waf }) => linesCell(waf?.reasons ?? []) },
  {
    name: "URI overrides",
    width: "wide",
    cell: ({ waf }) => linesCell(waf?.uriOverrides.map(overrideText) ?? []),
  },
  { name: "rules to move", isNumber: true, cell: ({ waf }) => waf?.rulesToMove ?? null },
  {
    name: "OWASP",
    cell: ({ waf }) =>
      waf?.runsOwasp === false ? "not used" : waf?.runsOwasp ? "mapped and partly lost, see below" : null,
  },
];

function overrideText({ id, description, urls }: AuditWaf["uriOverrides"][number]): string {
  return `${description ?? id} (${urls.join(", ") || "no URL"})`;
}
