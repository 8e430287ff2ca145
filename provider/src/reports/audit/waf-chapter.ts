import { grouped } from "../../text/grouped";
import {
  type Chapter,
  type Column,
  entry,
  type Inline,
  line,
  linesCell,
  linesOf,
  openChapter,
  tableOf,
} from "../blocks/document";
import { inForce, wafNames } from "./glance";
import { type OfZone, unreadEntry } from "./head";
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
  const read = zones.flatMap((zone) => (zone.waf ? [{ ...zone.waf, zone }] : []));
  const notes = grouped(
    read.filter((waf) => waf.notes.length > 0),
    (waf) => waf.notes.join("\n"),
  );
  return {
    ...openChapter("WAF and its migration", "zones"),
    ...{ id: "waf", count: zones.length },
    entries: [
      entry("The migration to the new WAF managed rules cannot be undone."),
      ...unreadEntry(zones, "waf", "WAF"),
    ],
    table: tableOf(zones, zoneColumns, "zones"),
    details: [...(notes.size === 0 ? [] : [notesChapter(notes)]), rulesChapter(read)],
  };
}

function notesChapter(notes: ReadonlyMap<string, readonly OfZone<AuditWaf>[]>): Chapter {
  return {
    ...openChapter("What the migration moves, maps and loses", "notes"),
    entries: [...notes].map(([text, of]) => ({
      lines: [line({ strong: "Zones: " }, { names: of.map(({ zone }) => zone.name) }), ...linesOf(text)],
    })),
  };
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
  { name: "in force", cell: ({ waf }) => waf && { ...wafNames, both: "both" }[inForce(waf)] },
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

function rulesChapter(read: readonly OfZone<AuditWaf>[]): Chapter {
  const rows = read.flatMap(({ rules, zone }) =>
    rules.map((rule, index) => ({ ...rule, zone, place: index + 1 })),
  );
  return {
    ...openChapter("Rules of the managed entry points", "rules"),
    count: rows.length,
    entries: rows.length === 0 ? [entry("No zone has one.")] : [],
    ...(rows.length > 0 && { table: tableOf(rows, ruleColumns, "rules") }),
  };
}

const ruleColumns: readonly Column<OfZone<AuditWaf["rules"][number]> & { readonly place: number }>[] = [
  { name: "zone", width: "narrow", cell: ({ zone }) => ({ code: zone.name }) },
  { name: "rule", cell: ({ place, description }) => `${place}. ${description}` },
  { name: "does", cell: ({ does }) => does },
  { name: "if", cell: ({ expression }) => ({ code: expression, isWhole: true }) },
  { name: "enabled", width: "narrow", cell: ({ enabled }) => (enabled ? "yes" : { strong: "no" }) },
];
