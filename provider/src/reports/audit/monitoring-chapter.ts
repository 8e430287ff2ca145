import { plural } from "../../text/plural";
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
import { dayMs, isCompleted } from "./cadence";
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
        : [cadenceChapter(runs), weeksChapter(runs, head.period.to), alertsChapter(runs.alerts)]),
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

function cadenceChapter({ series, unreadable, files }: AuditRuns): Chapter {
  const readFrom = `Read from ${plural(files.length, "file")}. A run counts when it could check everything (exit code 0 or 2).`;
  const lines = [
    line(readFrom),
    ...(series.length === 0 ? [line({ strong: "No run was recorded in the period." })] : []),
    ...unreadable.map(({ file, line: at, reason }) =>
      line({ strong: "Cannot be read:" }, " ", { code: `${file}:${at}` }, ` ${reason}`),
    ),
  ];
  return {
    ...openChapter("Cadence and missed runs", "checks", { lines }),
    table: tableOf(series, seriesColumns),
  };
}

type Result = AuditSeries["results"][number];

const counted =
  (isCounted: (run: Result) => boolean) =>
  ({ results }: AuditSeries): number =>
    results.filter(isCounted).length;

const seriesColumns: readonly Column<AuditSeries>[] = [
  { name: "check", cell: ({ what }) => ({ code: what }) },
  { name: "completed runs", isNumber: true, cell: counted(isCompleted) },
  { name: "with findings", isNumber: true, cell: counted(({ exit }) => exit === 2) },
  { name: "failed runs", isNumber: true, cell: counted((run) => !isCompleted(run)) },
  {
    name: "weeks with a completed run",
    cell: ({ weeks }) => `${weeks.filter(({ completed }) => completed > 0).length} of ${weeks.length}`,
  },
  {
    name: "more than seven days without one",
    cell: ({ gaps }) => (gaps.length === 0 ? "none" : linesCell(gaps.map(gapText))),
  },
  {
    name: "last completed run",
    cell({ results }) {
      const last = results.filter(isCompleted).at(-1);
      if (!last) return "none";
      return [minuteOf(last.when), ...(last.link === undefined ? [] : [" ", { link: last.link }])];
    },
  },
];

function gapText({ from, to, days }: AuditSeries["gaps"][number]): string {
  return `${from.slice(0, 10)} to ${to.slice(0, 10)} (${days} days)`;
}

interface Week {
  readonly what: string;
  readonly week: AuditSeries["weeks"][number];
  readonly result: Inline;
  readonly sample: Result | undefined;
}

/** What an assessor samples: one row a week, with a result that can be opened. */
function weeksChapter({ series }: AuditRuns, to: string): Chapter {
  const rows = series.flatMap(({ what, weeks, results }) =>
    weeks.map(
      (week): Week => ({ what, week, result: resultOf(week, to), sample: sampleOf(results, week.monday) }),
    ),
  );
  return {
    ...openChapter("Results by week", "weeks"),
    count: rows.length,
    table: tableOf(rows, weekColumns, "weeks"),
  };
}

const weekColumns: readonly Column<Week>[] = [
  { name: "week of", width: "narrow", cell: ({ week }) => week.monday },
  { name: "check", width: "wide", cell: ({ what }) => ({ code: what }) },
  { name: "result", cell: ({ result }) => result },
  { name: "runs", isNumber: true, cell: ({ week }) => week.completed },
  { name: "with findings", isNumber: true, cell: ({ week }) => week.found },
  { name: "failed", isNumber: true, cell: ({ week }) => week.failed },
  {
    ...{ name: "run", width: "wide" },
    cell: ({ sample }) => (sample?.link === undefined ? null : { link: sample.link }),
  },
  {
    name: "digest",
    cell: ({ sample }) => (sample?.digest === undefined ? null : { code: sample.digest.slice(0, 16) }),
  },
];

function resultOf({ monday, completed, found, failed }: Week["week"], to: string): Inline {
  if (completed > 0) return found > 0 ? "findings" : "nothing found";
  if (Date.parse(monday) + 7 * dayMs > Date.parse(to)) return "none yet";
  return { strong: failed > 0 ? "missed: all runs failed" : "missed" };
}

/** The run of a week that says most: one that found something, else the last that completed. */
function sampleOf(results: readonly Result[], monday: string): Result | undefined {
  const begin = Date.parse(monday);
  const inWeek = results.filter(({ when }) => {
    const time = Date.parse(when);
    return time >= begin && time < begin + 7 * dayMs;
  });
  const completed = inWeek.filter(isCompleted);
  return completed.find(({ exit }) => exit === 2) ?? completed.at(-1) ?? inWeek.at(-1);
}

function alertsChapter(alerts: AuditRuns["alerts"]): Chapter {
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
      ? "No earlier report was given (--since), so nothing could be compared."
      : `${count === 0 ? "None" : count} since the earlier report; see "Changes since the earlier report".`;
  return openChapter("Changes of our own policies and settings", "changes", entry(said, " ", caution));
}
