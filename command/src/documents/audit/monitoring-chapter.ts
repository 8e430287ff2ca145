import { pluralize } from "pulumi-page-guard/tools";
import { compareTexts, dayMs } from "../../shared/values";
import {
  type Cell,
  type Chapter,
  type Columns,
  entry,
  makeLinesCell,
  tableChapter,
} from "../blocks/document";
import { findMeaning } from "../finding-meanings";
import { findMonday, isCompleted, toMinute } from "./cadence";
import { rankFinding } from "./make-report";
import type { AuditReport, AuditRuns, AuditSeries, AuditZone } from "./report-data";

/** Returns the chapter on requirement 11.6.1: what watches the pages, how often, what it found, and who closed the alerts. */
export function monitoringChapter({ head, data: { zones, runs } }: AuditReport): Chapter {
  const noRuns = entry(
    { strong: "No results of scheduled checks were given." },
    " Without them this report cannot show that pages are checked at least weekly: keep the results of the nightly job and give their folder with --runs.",
  );
  const ofRuns =
    runs === null
      ? [{ title: "Cadence", what: "lines", entries: [noRuns] }]
      : chaptersOfRuns(runs, head.period.to);
  const watched = tableChapter({ title: "Monitored pages and settings", what: "zones" }, zones, zoneColumns);
  return {
    id: "requirement-1161",
    title: "Requirement 11.6.1: detection of changes",
    what: "lines",
    details: [watched, ...ofRuns],
  };
}

function chaptersOfRuns(runs: AuditRuns, to: string): Chapter[] {
  const { files, chain, series, failed, alerts } = runs;
  const cadence = `Read from ${pluralize(files.length, "file")}. A run counts as a check of a zone only if it read the whole zone while Page Guard was on, and saw scripts. ${chainTexts[chain]}`;
  const ofCadence = { title: "Cadence and missed runs", what: "zones", entries: [entry(cadence)] };
  const ofFindings = { title: "Found in the period", what: "findings" };
  const ofFailures = { title: "Checks that failed", what: "checks" };
  const ofWeeks = { title: "Results by week", what: "weeks" };
  const ofAlerts = { title: "Alerts", what: "alerts" };
  return [
    tableChapter(ofCadence, series, seriesColumns),
    tableChapter(ofFindings, sortFindings(runs), findingColumns, findingLooks),
    ...(failed.length > 0 ? [tableChapter(ofFailures, failed, failedColumns)] : []),
    tableChapter(ofWeeks, listWeeks(runs, to), weekColumns, weekLooks),
    alerts.length === 0
      ? { ...ofAlerts, entries: [entry("No alert was recorded.")] }
      : tableChapter(ofAlerts, alerts, alertColumns, alertLooks),
  ];
}

const zoneColumns: Columns<AuditZone> = {
  zone: ({ id, name }) => [{ code: name }, ...(name === id ? [] : [" ", { tag: id }])],
  "Page Guard": ({ settings }) =>
    settings === null ? "not read" : settings.enabled ? "on" : { strong: "off" },
  "settings changed": ({ settings }) => settings?.updatedAt?.slice(0, 10) ?? null,
  connections: ({ connections: found }) =>
    found && (found.malicious > 0 ? `${found.all}, ${found.malicious} malicious` : found.all),
  "pages on which scripts were seen": ({ pages }) =>
    pages.length === 0 ? "none" : { names: pages, isCode: true },
};

export const chainTexts: Readonly<Record<AuditRuns["chain"], string>> = {
  keyed:
    "Each line that a job wrote is sealed with the key and names the lines before it, and none of those lines is missing. If the last lines were removed, this would go unnoticed. Lines that a person wrote have no seal.",
  "not keyed":
    "The lines of the files are chained without a key (--key-env): whoever can write to the files can forge lines.",
  "not checked":
    "The lines of the files are chained with a key that was not given (--key-env), so the chain was not checked.",
  broken: "The chain of the lines is broken: a line was changed, added or removed.",
  none: "No line was written by a job.",
};

const seriesColumns: Columns<AuditSeries> = {
  zone: ({ name }) => ({ code: name }),
  checks: ({ results }) => results.filter(isCompleted).length,
  "runs that do not count as a check": ({ results }) => results.filter((run) => !isCompleted(run)).length,
  "weeks with a check": ({ weeks }) =>
    `${weeks.filter(({ completed }) => completed > 0).length} of ${weeks.length}`,
  "more than seven days without a check": ({ gaps }) =>
    gaps.length === 0
      ? "none"
      : makeLinesCell(
          gaps.map(({ from, to, days }) => `${from.slice(0, 10)} to ${to.slice(0, 10)} (${days} days)`),
        ),
  "last check": ({ results }) => {
    const last = results.findLast(isCompleted);
    return last ? [toMinute(last.when), ...(last.link ? [" ", { link: last.link }] : [])] : "none";
  },
};

type PeriodFinding = ReturnType<typeof sortFindings>[number];

/** Returns the findings of the checks, the worst first, then in chronological order. */
function sortFindings({ series }: AuditRuns) {
  const all = series.flatMap(({ name, findings }) =>
    findings.map((one) => ({ ...one, name, severity: findMeaning(one.code).severity ?? "error" })),
  );
  return all.sort(
    (left, right) => rankFinding(left) - rankFinding(right) || compareTexts(left.from, right.from),
  );
}

const toWords = (code: string): string => code.replace(/^(?:inventory|report)-/, "").replaceAll("-", " ");

const findingLooks = { narrow: ["from", "to", "zone", "checks"] };
const findingColumns: Columns<PeriodFinding> = {
  from: ({ from }) => toMinute(from),
  to: ({ to, until }) => (until === null ? [{ strong: "still there" }, ` on ${toMinute(to)}`] : toMinute(to)),
  zone: ({ name }) => ({ code: name }),
  what: ({ code }) => toWords(code),
  which: ({ code, subject }) => (code.startsWith("inventory-") ? { code: subject, isWhole: true } : subject),
  checks: ({ checks }) => checks,
};

const failedColumns: Columns<AuditRuns["failed"][number]> = {
  when: ({ when }) => toMinute(when),
  by: ({ what }) => ({ code: what }),
  reason: ({ reason }) => reason ?? "not recorded",
  run: ({ link }) => (link === null ? null : { link }),
};

type Week = ReturnType<typeof listWeeks>[number];

/** Returns one row per zone and week. `sample`, for an assessor: the last check of the week, or else the last run. */
function listWeeks({ series }: AuditRuns, to: string) {
  return series.flatMap(({ name, weeks, results }) =>
    weeks.map((week) => {
      const runs = results.filter(({ when }) => findMonday(when) === week.monday);
      const isOver = Date.parse(week.monday) + 7 * dayMs <= Date.parse(to);
      return { ...week, name, isOver, sample: runs.findLast(isCompleted) ?? runs.at(-1) };
    }),
  );
}

const weekLooks = { narrow: ["week of", "zone"] };
const weekColumns: Columns<Week> = {
  "week of": ({ monday }) => monday,
  zone: ({ name }) => ({ code: name }),
  result: describeResult,
  scripts: ({ sample }) => sample?.scripts ?? null,
  run: ({ sample }) => [
    ...(sample?.link === undefined ? [] : [{ link: sample.link }, " "]),
    ...(sample?.digest === undefined ? [] : [{ code: sample.digest.slice(0, 16) }]),
  ],
};

function describeResult({ completed, found, sample, isOver }: Week): Cell {
  // A finding that needs no action is not a result.
  const asking = Object.entries(found).filter(([code]) => findMeaning(code).severity !== "info");
  const counts = asking.map(([code, count]) =>
    code.startsWith("inventory-") ? `${pluralize(count, "script")}: ${toWords(code)}` : toWords(code),
  );
  if (completed > 0)
    return counts.length === 0 ? `nothing found in ${pluralize(completed, "check")}` : makeLinesCell(counts);
  if (sample === undefined) return isOver ? { strong: "missed: no run" } : "none yet";
  const why =
    sample.monitoring === false
      ? "Page Guard was off"
      : sample.isWhole && sample.scripts === 0
        ? "no script was seen"
        : "not everything could be read";
  return [{ strong: `missed: ${why}` }, ...(counts.length === 0 ? [] : ["; ", makeLinesCell(counts)])];
}

const alertLooks = { narrow: ["opened", "by", "closed by", "closed on"] };
const alertColumns: Columns<AuditRuns["alerts"][number]> = {
  opened: ({ opened }) => toMinute(opened),
  by: ({ what, openedByHand }) => [{ code: what }, openedByHand ? " (by hand)" : ""],
  alert: ({ reference }) => ({ link: reference }),
  "closed by": ({ closedBy: who, closedOn: when, closedByHand }) => {
    if (who === null && when === null) return { strong: "not closed" };
    const closer = who ?? "not recorded";
    return closedByHand ? `${closer} (by hand)` : closer;
  },
  "closed on": ({ closedOn }) => closedOn,
  note: ({ note }) => note,
};
