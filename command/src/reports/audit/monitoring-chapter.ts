import { dayMs, plural } from "pulumi-page-guard/tools";
import {
  type Chapter,
  type Column,
  entry,
  type Inline,
  line,
  linesCell,
  openChapter,
  tableOf,
} from "../blocks/document";
import { countText } from "./attention";
import { isCompleted } from "./cadence";
import { minuteOf } from "./head";
import type { AuditReport, AuditRuns, AuditSeries, AuditZone } from "./report-data";

/** 11.6.1: what watches the pages, how often, what it found, and who closed it. */
export function monitoringChapter({ head, data: { zones, runs }, changes }: AuditReport): Chapter {
  return {
    ...openChapter("Requirement 11.6.1: detection of changes", "lines"),
    id: "requirement-1161",
    details: [
      settingsChapter(zones),
      ...(runs === null
        ? [noRuns]
        : [cadenceChapter(runs), weeksChapter(runs, head.period.to), alertsChapter(runs)]),
      ownChangesChapter(changes),
    ],
  };
}

function settingsChapter(zones: readonly AuditZone[]): Chapter {
  const note = entry("Where nothing is said of the monitor, the settings could not be read.");
  const isUnread = zones.some(({ settings }) => settings === null);
  return {
    ...openChapter("Monitored pages and settings", "zones", ...(isUnread ? [note] : [])),
    table: tableOf(zones, zoneColumns),
  };
}

const zoneColumns: readonly Column<AuditZone>[] = [
  { name: "zone", cell: ({ id, name }) => [{ code: name }, ...(name === id ? [] : [" ", { tag: id }])] },
  {
    name: "Page Guard",
    cell: ({ settings }) => (settings === null ? "not read" : settings.enabled ? "on" : { strong: "off" }),
  },
  { name: "settings changed", cell: ({ settings }) => settings?.updatedAt?.slice(0, 10) ?? null },
  {
    ...{ name: "connections", isNumber: true },
    cell: ({ connections: found }) =>
      found && (found.malicious > 0 ? `${found.all}, ${found.malicious} malicious` : found.all),
  },
  {
    name: "pages on which scripts were seen",
    cell: ({ pages }) => (pages.length === 0 ? "none" : { names: pages, isCode: true }),
  },
];

const noRuns = openChapter(
  "Cadence",
  "lines",
  entry(
    { strong: "No results of scheduled checks were given." },
    " Without them this report cannot show that pages are checked at least weekly: keep the results of the nightly job and give their folder with --runs.",
  ),
);

function cadenceChapter({ series, unreadable, files, chain }: AuditRuns): Chapter {
  const readFrom = `Read from ${plural(files.length, "file")}. A run is a check of a zone if it read all of it, with Page Guard on, and saw scripts. ${chainTexts[chain]}`;
  const lines = [
    line(readFrom),
    ...unreadable.map(({ file, line: at, reason }) =>
      line({ strong: "Cannot be read:" }, " ", { code: `${file}:${at}` }, ` ${reason}`),
    ),
  ];
  const chapter = openChapter("Cadence and missed runs", "zones", { lines });
  return { ...chapter, table: tableOf(series, seriesColumns) };
}

const chainTexts: Readonly<Record<AuditRuns["chain"], string>> = {
  keyed: "The chain of their lines is whole, by its key.",
  "not keyed": "Their lines are chained without a key (--key-env): whoever can write them can make others.",
  "not checked":
    "Their lines are chained with a key that was not given (--key-env), so the chain was not checked.",
  broken: "The chain of their lines is broken: a line was changed, added or removed.",
  none: "No line says what was read of a zone.",
};

type Result = AuditSeries["results"][number];

const seriesColumns: readonly Column<AuditSeries>[] = [
  { name: "zone", cell: ({ name }) => ({ code: name }) },
  { name: "checks", isNumber: true, cell: ({ results }) => results.filter(isCompleted).length },
  {
    ...{ name: "runs that were none", isNumber: true },
    cell: ({ results }) => results.filter((run) => !isCompleted(run)).length,
  },
  {
    name: "weeks with a check",
    cell: ({ weeks }) => `${weeks.filter(({ completed }) => completed > 0).length} of ${weeks.length}`,
  },
  {
    name: "more than seven days without one",
    cell: ({ gaps }) =>
      gaps.length === 0
        ? "none"
        : linesCell(
            gaps.map(({ from, to, days }) => `${from.slice(0, 10)} to ${to.slice(0, 10)} (${days} days)`),
          ),
  },
  {
    name: "last check",
    cell({ results }) {
      const last = results.filter(isCompleted).at(-1);
      if (!last) return "none";
      return [minuteOf(last.when), ...(last.link === undefined ? [] : [" ", { link: last.link }])];
    },
  },
];

interface Week {
  readonly name: string;
  readonly week: AuditSeries["weeks"][number];
  readonly result: Inline[];
  readonly sample: Result | undefined;
}

/** What an assessor samples: one row a week, with a result that can be opened. */
function weeksChapter({ series }: AuditRuns, to: string): Chapter {
  const rows = series.flatMap(({ name, weeks, results }) =>
    weeks.map((week): Week => {
      const sample = sampleOf(results, week.monday);
      return { name, week, result: resultOf(week, sample, to), sample };
    }),
  );
  return {
    ...openChapter("Results by week", "weeks"),
    count: rows.length,
    table: tableOf(rows, weekColumns, "weeks"),
  };
}

const weekColumns: readonly Column<Week>[] = [
  { name: "week of", width: "narrow", cell: ({ week }) => week.monday },
  { name: "zone", width: "narrow", cell: ({ name }) => ({ code: name }) },
  { name: "result", cell: ({ result }) => result },
  { name: "scripts", isNumber: true, cell: ({ sample }) => sample?.scripts ?? null },
  {
    ...{ name: "run", width: "wide" },
    cell: ({ sample }) => [
      ...(sample?.link === undefined ? [] : [{ link: sample.link }, " "]),
      ...(sample?.digest === undefined ? [] : [{ code: sample.digest.slice(0, 16) }]),
    ],
  },
];

/** By what its runs have counted. */
function resultOf(
  { monday, completed, found }: Week["week"],
  sample: Result | undefined,
  to: string,
): Inline[] {
  const counts = linesCell(Object.entries(found).map(([code, count]) => countText(code, count)));
  if (completed > 0) return counts.length === 0 ? ["nothing found"] : counts;
  if (sample === undefined)
    return [Date.parse(monday) + 7 * dayMs > Date.parse(to) ? "none yet" : { strong: "missed: no run" }];
  const why =
    sample.monitoring === false
      ? "Page Guard was off"
      : sample.isWhole && sample.scripts === 0
        ? "no script was seen"
        : "not all could be read";
  return [{ strong: `missed: ${why}` }, ...(counts.length === 0 ? [] : ["; ", ...counts])];
}

/** The run of a week that says most: the check that found most, else the last run. */
function sampleOf(results: readonly Result[], monday: string): Result | undefined {
  const begin = Date.parse(monday);
  const inWeek = results.filter(({ when }) => {
    const time = Date.parse(when);
    return time >= begin && time < begin + 7 * dayMs;
  });
  const sum = ({ found }: Result) => Object.values(found).reduce((total, one) => total + one, 0);
  const checks = inWeek.filter(isCompleted).toSorted((left, right) => sum(right) - sum(left));
  return checks[0] ?? inWeek.at(-1);
}

function alertsChapter({ alerts }: AuditRuns): Chapter {
  if (alerts.length === 0) return openChapter("Alerts", "alerts", entry("No alert was recorded."));
  return { ...openChapter("Alerts", "alerts"), count: alerts.length, table: tableOf(alerts, alertColumns) };
}

const alertColumns: readonly Column<AuditRuns["alerts"][number]>[] = [
  { name: "opened", cell: ({ opened }) => minuteOf(opened) },
  { name: "by", cell: ({ what }) => ({ code: what }) },
  { name: "alert", cell: ({ reference }) => ({ link: reference }) },
  {
    name: "closed by",
    cell: ({ closedBy: who, closedOn: when }) =>
      who ?? (when === null ? { strong: "not closed" } : "not recorded"),
  },
  { name: "closed on", cell: ({ closedOn }) => closedOn },
  { name: "note", cell: ({ note }) => note },
];

/** The header side, as far as the service adds headers. */
function ownChangesChapter(changes: AuditReport["changes"]): Chapter {
  const count = changes?.filter(({ kind }) => kind === "policy" || kind === "settings").length;
  const caution =
    "Only the policies that the service adds as headers are compared, not headers of the origin or of another proxy.";
  const said =
    count === undefined
      ? "No earlier report and no runs were given (--since, --runs), so nothing could be compared."
      : `${count === 0 ? "None" : count} in the period; see "Changes in the period".`;
  return openChapter("Changes of our own policies and settings", "changes", entry(said, " ", caution));
}
