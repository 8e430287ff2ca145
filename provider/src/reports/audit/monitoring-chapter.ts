import { plural } from "../../text/plural";
import { type Chapter, entry, type Inline, line, linesCell, type Table } from "../blocks/document";
import { isCompleted } from "./cadence";
import type { AuditData, AuditReport, AuditRuns, AuditSeries } from "./report-data";

const dayMs = 24 * 60 * 60 * 1000;

/** 11.6.1: what watches the pages, how often, what it found, and who closed it. */
export function monitoringChapter({ head, data, changes }: AuditReport): Chapter {
  const { zones, runs } = data;
  return {
    id: "requirement-1161",
    title: "Requirement 11.6.1: detection of changes",
    look: "open",
    what: "lines",
    entries: [],
    details: [
      {
        ...open("Monitored pages and settings", "zones"),
        entries: zones.some(({ settings }) => settings === null)
          ? [entry("Where nothing is said of the monitor, the settings could not be read.")]
          : [],
        table: settingsTable(zones),
      },
      ...(runs === null
        ? [noRuns]
        : [cadenceChapter(runs), weeksChapter(runs, head.period.to), alertsChapter(runs.alerts)]),
      ownChangesChapter(changes),
    ],
  };
}

function open(title: string, what: string): Chapter {
  return { title, what, look: "open", entries: [] };
}

function settingsTable(zones: AuditData["zones"]): Table {
  return {
    heads: [
      { name: "zone" },
      { name: "Page Guard" },
      { name: "settings changed" },
      { name: "connections", isNumber: true },
      { name: "pages on which scripts were seen" },
    ],
    rows: zones.map(({ id, name, settings, connections, pages }) => [
      [{ code: name }, ...(name === id ? [] : [" ", { tag: id }])],
      settings === null ? ["not read"] : settings.enabled ? ["on"] : [{ strong: "off" }],
      settings?.updatedAt ? [settings.updatedAt.slice(0, 10)] : [],
      connections === null
        ? []
        : [`${connections.all}${connections.malicious > 0 ? `, ${connections.malicious} malicious` : ""}`],
      pages.length === 0 ? ["none"] : [{ names: pages, isCode: true }],
    ]),
  };
}

const noRuns: Chapter = {
  ...open("Cadence", "lines"),
  entries: [
    entry(
      { strong: "No results of scheduled checks were given." },
      " Without them this report cannot show that pages are checked at least weekly: keep the results of the nightly job and give their folder with --runs.",
    ),
  ],
};

function cadenceChapter({ series, unreadable, files }: AuditRuns): Chapter {
  return {
    ...open("Cadence and missed runs", "checks"),
    entries: [
      {
        lines: [
          line(
            `Read from ${plural(files.length, "file")}. A run counts when it could check everything (exit code 0 or 2).`,
          ),
          ...(series.length === 0 ? [line({ strong: "No run was recorded in the period." })] : []),
          ...unreadable.map(({ file, line: at, reason }) =>
            line({ strong: "Cannot be read:" }, " ", { code: `${file}:${at}` }, ` ${reason}`),
          ),
        ],
      },
    ],
    table: {
      heads: [
        { name: "check" },
        { name: "completed runs", isNumber: true },
        { name: "with findings", isNumber: true },
        { name: "failed runs", isNumber: true },
        { name: "weeks with a completed run" },
        { name: "more than seven days without one" },
        { name: "last completed run" },
      ],
      rows: series.map((one) => [
        [{ code: one.what }],
        [String(one.results.filter(isCompleted).length)],
        [String(one.results.filter(({ exit }) => exit === 2).length)],
        [String(one.results.filter((run) => !isCompleted(run)).length)],
        [`${one.weeks.filter(({ completed }) => completed > 0).length} of ${one.weeks.length}`],
        one.gaps.length === 0
          ? ["none"]
          : linesCell(
              one.gaps.map(
                ({ from, to, days }) => `${from.slice(0, 10)} to ${to.slice(0, 10)} (${days} days)`,
              ),
            ),
        lastRun(one),
      ]),
    },
  };
}

function lastRun({ results }: AuditSeries): Inline[] {
  const last = results.filter(isCompleted).at(-1);
  if (!last) return ["none"];
  return [
    last.when.slice(0, 16).replace("T", " "),
    ...(last.link === undefined ? [] : [" ", { link: last.link }]),
  ];
}

/** What an assessor samples: one row a week, with a result that can be opened. */
function weeksChapter({ series }: AuditRuns, to: string): Chapter {
  const rows = series.flatMap((one) => one.weeks.map((week) => ({ one, week })));
  return {
    ...open("Results by week", "weeks"),
    count: rows.length,
    table: {
      search: "weeks",
      heads: [
        { name: "week of", width: "narrow" },
        { name: "check", width: "wide" },
        { name: "result" },
        { name: "runs", isNumber: true },
        { name: "with findings", isNumber: true },
        { name: "failed", isNumber: true },
        { name: "run", width: "wide" },
        { name: "digest" },
      ],
      rows: rows.map(({ one, week }) => {
        const sample = sampleOf(one, week.monday);
        return [
          [week.monday],
          [{ code: one.what }],
          resultOf(week, to),
          [String(week.completed)],
          [String(week.found)],
          [String(week.failed)],
          sample?.link === undefined ? [] : [{ link: sample.link }],
          sample?.digest === undefined ? [] : [{ code: sample.digest.slice(0, 16) }],
        ];
      }),
    },
  };
}

function resultOf({ monday, completed, found, failed }: AuditSeries["weeks"][number], to: string): Inline[] {
  if (completed === 0 && Date.parse(monday) + 7 * dayMs > Date.parse(to)) return ["none yet"];
  if (completed === 0) return [{ strong: failed > 0 ? "missed: all runs failed" : "missed" }];
  return [found > 0 ? "findings" : "nothing found"];
}

/** The run of a week that says most: one that found something, else the last that completed. */
function sampleOf({ results }: AuditSeries, monday: string): AuditSeries["results"][number] | undefined {
  const begin = Date.parse(monday);
  const inWeek = results.filter((run) => {
    const time = Date.parse(run.when);
    return time >= begin && time < begin + 7 * dayMs;
  });
  const completed = inWeek.filter(isCompleted);
  return completed.find(({ exit }) => exit === 2) ?? completed.at(-1) ?? inWeek.at(-1);
}

function alertsChapter(alerts: AuditRuns["alerts"]): Chapter {
  if (alerts.length === 0) {
    return { ...open("Alerts", "alerts"), entries: [entry("No alert was recorded.")] };
  }
  return {
    ...open("Alerts", "alerts"),
    count: alerts.length,
    table: {
      heads: ["opened", "by", "alert", "closed by", "closed on", "note"].map((name) => ({ name })),
      rows: alerts.map(({ opened, what, reference, closedBy, closedOn, note }) => [
        [opened.slice(0, 16).replace("T", " ")],
        [{ code: what }],
        [{ link: reference }],
        closedBy === null && closedOn === null ? [{ strong: "not closed" }] : [closedBy ?? "not recorded"],
        closedOn === null ? [] : [closedOn],
        note === null ? [] : [note],
      ]),
    },
  };
}

/** The header side, as far as the service adds headers. */
function ownChangesChapter(changes: AuditReport["changes"]): Chapter {
  const ours = changes?.filter(({ kind }) => kind === "policy" || kind === "settings");
  const caution =
    "Only the policies that the service adds as headers are compared, not headers of the origin or of another proxy.";
  const said =
    ours === undefined
      ? "No earlier report was given (--since), so nothing could be compared."
      : `${ours.length === 0 ? "None" : String(ours.length)} since the earlier report; see "Changes since the earlier report".`;
  return {
    ...open("Changes of our own policies and settings", "changes"),
    entries: [entry(said, " ", caution)],
  };
}
