import {
  type Chapter,
  type Column,
  entry,
  type Inline,
  linesCell,
  openChapter,
  tableOf,
} from "../blocks/document";

import { page, section } from "../blocks/html";
import { sectionsOf } from "../blocks/markdown";
import { forJson } from "../escape";
import { type Columns, csvOf } from "./csv";
import { dayAndTime } from "./head";

/** Where the migration of a zone is, and whether it may begin. */
export interface WafReadiness {
  readonly zone: string;
  readonly zoneId: string;
  readonly position: keyof typeof positions;
  readonly migrationState: string | null;
  /** Whether the previous WAF and the new rules are on; null: not read. */
  readonly previous: boolean | null;
  readonly next: boolean | null;
  readonly mayBegin: keyof typeof answers;
  readonly reasons: readonly string[];
  readonly uriOverrides: readonly { readonly name: string; readonly urls: readonly string[] }[];
  readonly rulesToMove: number | null;
  readonly runsOwasp: boolean | null;
  /** What could not be read, and why. */
  readonly unread: readonly string[];
}

const positions = {
  old: "not begun",
  validation: "validation mode",
  finishing: "finishing",
  finished: "finished",
  unclear: "ambiguous",
  unknown: "not known",
};

const answers = { yes: "yes", no: "no", unknown: "not known", begun: "has begun", done: "done" };

/** One page to plan a season of migrations by: files by their format. */
export function wafFiles(zones: readonly WafReadiness[], madeAt: string) {
  const title = "Readiness for the new WAF managed rules";
  const note = `As of ${dayAndTime(madeAt)}. The migration cannot be undone.`;
  const chapter: Chapter = {
    ...{ ...openChapter(title, "zones", entry(note)), count: zones.length },
    table: tableOf(zones, columns, "zones"),
  };
  return {
    html: () => page({ title, main: section(chapter) }),
    md: () =>
      sectionsOf(chapter)
        .map(({ before, items, after }) => [before, ...items, after].join(""))
        .join(""),
    json: () => forJson({ madeAt, zones }),
    csv: () => csvOf(cells, zones),
  };
}

function inForce({ previous, next }: WafReadiness): string {
  if (previous === null || next === null) return "not known";
  if (next) return previous ? "both" : "new managed rules";
  return previous ? "previous version" : "none";
}

function overrides({ uriOverrides }: WafReadiness): string[] {
  return uriOverrides.map(({ name, urls }) => `${name} (${urls.join(", ") || "no URL"})`);
}

const columns: readonly Column<WafReadiness>[] = [
  { name: "zone", cell: ({ zone }) => ({ code: zone }) },
  {
    name: "migration",
    cell: ({ position, migrationState: state }): Inline[] => [
      positions[position],
      ...(state === null ? [] : [" ", { tag: state }]),
    ],
  },
  { name: "in force", cell: inForce },
  { name: "may it begin?", cell: ({ mayBegin }) => answers[mayBegin] },
  { name: "why not", width: "wide", cell: ({ reasons, unread }) => linesCell([...reasons, ...unread]) },
  { name: "URI overrides", width: "wide", cell: (one) => linesCell(overrides(one)) },
  { name: "rules to move", isNumber: true, cell: ({ rulesToMove }) => rulesToMove },
  {
    name: "OWASP",
    cell: ({ runsOwasp: runs }) => (runs === null ? null : runs ? "mapped and partly lost" : "not used"),
  },
];

const cells: Columns<WafReadiness> = {
  zone: ({ zone }) => zone,
  zone_id: ({ zoneId }) => zoneId,
  position: ({ position }) => position,
  migration_state: ({ migrationState }) => migrationState,
  previous_waf: ({ previous }) => previous,
  new_waf: ({ next }) => next,
  may_begin: ({ mayBegin }) => mayBegin,
  reasons: ({ reasons }) => reasons.join(" "),
  uri_overrides: (one) => overrides(one).join("; "),
  rules_to_move: ({ rulesToMove }) => rulesToMove,
  runs_owasp: ({ runsOwasp }) => runsOwasp,
};
