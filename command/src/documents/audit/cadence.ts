import { groupBy } from "pulumi-page-guard/tools";
import { dayMs } from "../../shared/values";
import { mostFindings } from "./make-report";
import type { AuditChange, AuditReport, AuditRuns, AuditSeries, RunLine } from "./report-data";

/** Maximum number of days between two checks (PCI DSS 11.6.1). Only whole days count, because schedulers can be hours late. */
const longestDays = 7;

/** Period of a report. If `from` is null, the period begins with the first run. */
type Period = AuditReport["head"]["period"];

type Zones = readonly { readonly id: string; readonly name: string }[];
type Result = AuditSeries["results"][number];

/** Whether a run counts as a check of a zone: it read the whole zone, and monitoring was on and saw at least one script. */
export function isCompleted({ isWhole, monitoring, scripts }: Result): boolean {
  return isWhole && monitoring === true && scripts !== null && scripts > 0;
}

/** Returns the parts of a report that come from the recorded runs of its period. */
export function summariseRuns(
  lines: readonly RunLine[],
  period: Period,
  zones: Zones,
): Pick<AuditRuns, "series" | "alerts" | "failed" | "left"> {
  const reads = listReads(lines, period);
  const last = new Map(reads.map(({ when, id, name }) => [id, { zone: id, name, last: when }]));
  const failed = linesOfPeriod(lines, period).filter(
    ({ exit = 0, zones: read }) => read === undefined && ![0, 2].includes(exit),
  );
  return {
    series: zones.map(({ id, name }) => {
      const own = reads.filter((read) => read.id === id);
      const results = own.map(({ when, exit = 0, monitoring, scripts, isWhole, found, link, digest }) => {
        return { when, exit, monitoring, scripts, isWhole, found, link, digest };
      });
      const [weeks, gaps] = [countWeeks(results, period), findGaps(results, period)];
      return { zone: id, name, results, findings: mergeFindings(own), weeks, gaps };
    }),
    alerts: collectAlerts(lines, period),
    failed: failed.map(({ when, what, reason = null, link = null }) => ({ when, what, reason, link })),
    left: [...last.values()].filter(({ zone }) => zones.every(({ id }) => id !== zone)),
  };
}

/** Returns findings with their first and last time. A finding ends at the first complete check that no longer reports it. */
function mergeFindings(checks: ReturnType<typeof listReads>): AuditSeries["findings"] {
  const all: AuditSeries["findings"] = [];
  const open = new Map<string, AuditSeries["findings"][number]>();
  for (const { when, isWhole, findings } of checks) {
    if (findings === undefined) continue;
    // A script that several entries match has the same finding once per entry.
    const found = new Map(findings.map((one) => [JSON.stringify([one.code, one.subject]), one]));
    for (const [key, { code, subject }] of found) {
      const span = open.get(key) ?? { code, subject, from: when, to: when, until: null, checks: 0 };
      if (span.checks === 0) all.push(span);
      Object.assign(span, { to: when, checks: span.checks + 1 });
      open.set(key, span);
    }
    for (const [key, span] of open)
      if (!found.has(key) && isWhole && findings.length < mostFindings) {
        span.until = when;
        open.delete(key);
      }
  }
  return all;
}

/** Returns the changes that runs of the period found, oldest first; null if no run compared these zones with an earlier report. */
export function collectChanges(
  lines: readonly RunLine[],
  period: Period,
  zones: Zones,
): AuditChange[] | null {
  const all = new Map<string, AuditChange>();
  const names = new Map(zones.map(({ id, name }) => [id, name]));
  const reads = listReads(lines, period).filter(({ id, changes }) => names.has(id) && changes);
  for (const { when: on, since = on, id, name, changes } of reads)
    for (const change of changes ?? []) {
      // All nightly runs of a week compare with the same earlier report, so they find the same changes. Keep each change once.
      const key = JSON.stringify([id, since, change]);
      if (!all.has(key)) all.set(key, { zone: names.get(id) ?? name, on, ...change });
    }
  return reads.length === 0 ? null : [...all.values()];
}

/** Returns the zones that each run of a period has read, each with the facts of its run, in chronological order. */
function listReads(lines: readonly RunLine[], period: Period) {
  return linesOfPeriod(lines, period).flatMap(({ zones = [], ...line }) =>
    zones.map((zone) => ({ ...line, ...zone })),
  );
}

function linesOfPeriod(lines: readonly RunLine[], { from, to }: Period): readonly RunLine[] {
  return sortByTime(lines).filter(
    ({ when }) => Date.parse(when) <= Date.parse(to) && !(Date.parse(when) < Date.parse(from ?? "")),
  );
}

function sortByTime(lines: readonly RunLine[]): readonly RunLine[] {
  return lines.toSorted((left, right) => Date.parse(left.when) - Date.parse(right.when));
}

/**
 * Returns alerts in the order in which they were opened. The first line with a reference opens an alert. Later lines with that
 * reference add to it, or close it and say who did. A line that a person added overrides nothing that a job recorded.
 */
function collectAlerts(lines: readonly RunLine[], { to }: Period): AuditRuns["alerts"] {
  const alerts = new Map<string, AuditRuns["alerts"][number]>();
  const sorted = sortByTime(lines);
  const byJobs = sorted.filter(({ chain }) => chain !== undefined);
  for (const line of [...byJobs, ...sorted.filter(({ chain }) => chain === undefined)]) {
    const { when, what, alert, chain } = line;
    if (!alert) continue;
    const { reference } = alert;
    const isByHand = chain === undefined;
    const known = alerts.get(reference) ?? {
      reference,
      opened: when,
      what,
      closedBy: null,
      closedOn: null,
      note: null,
      openedByHand: isByHand,
      closedByHand: false,
    };
    const isClosing = alert.closedBy !== undefined || alert.closedOn !== undefined;
    const day = alert.closedOn ?? (alert.closedBy === undefined ? null : when.slice(0, 10));
    const isPast = day !== null && day <= to.slice(0, 10);
    const closedBy = (isByHand && known.closedBy) || (alert.closedBy ?? known.closedBy);
    const closedOn = (isByHand && (known.closedOn || !isPast)) || day === null ? known.closedOn : day;
    const mark = isByHand && !isClosing ? " (by hand)" : "";
    const note = alert.note === undefined ? known.note : `${alert.note}${mark}`;
    // If a person wrote the name and a job added only the date later, the closing still counts as written by hand.
    const isWho = closedBy !== known.closedBy || (closedOn !== known.closedOn && closedBy === null);
    const closedByHand = isWho ? isByHand : known.closedByHand;
    alerts.set(reference, { ...known, closedBy, closedOn, note, closedByHand });
  }
  return [...alerts.values()].sort((left, right) => Date.parse(left.opened) - Date.parse(right.opened));
}

/** Returns the weeks of the period, with their Mondays (UTC). `found`: for each code, the highest count in one run. */
function countWeeks(results: readonly Result[], { from, to }: Period): AuditSeries["weeks"] {
  const begin = Date.parse(findMonday(from ?? results[0]?.when ?? to));
  const byWeek = groupBy(results, ({ when }) => findMonday(when));
  const weeks = Math.max(0, Math.floor((Date.parse(to) - begin) / (7 * dayMs)) + 1);
  return Array.from({ length: weeks }, (_, week) => {
    const monday = toDay(begin + week * 7 * dayMs);
    const runs = byWeek.get(monday) ?? [];
    const completed = runs.filter(isCompleted).length;
    const found: Record<string, number> = {};
    for (const [code, count] of runs.flatMap((run) => Object.entries(run.found)))
      found[code] = Math.max(found[code] ?? 0, count);
    return { monday, completed, incomplete: runs.length - completed, found };
  });
}

/** Returns the gaps of more than `longestDays` between completed runs, before the first such run, and after the last one. */
function findGaps(results: readonly Result[], { from, to }: Period): AuditSeries["gaps"] {
  const ends = [...results.filter(isCompleted).map(({ when }) => when), to].map(Date.parse);
  const begins = [from === null ? ends[0] : Date.parse(from), ...ends];
  return ends.flatMap((end, index) => {
    const begin = begins[index] ?? end;
    const days = Math.floor(end / dayMs) - Math.floor(begin / dayMs);
    if (days <= longestDays) return [];
    const iso = (time: number): string => new Date(time).toISOString();
    return [{ from: iso(begin), to: iso(end), days }];
  });
}

/** Returns the Monday (UTC) of the week of a time: `2026-11-23`. */
export function findMonday(when: string): string {
  const day = Math.floor(Date.parse(when) / dayMs);
  // 1970-01-01 was a Thursday.
  return toDay((day - ((day + 3) % 7)) * dayMs);
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns a time to the minute, in the time zone in which it is written: `2026-11-23 06:21`. */
export function toMinute(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}

/** Returns a UTC time to the minute, with the name of the zone: `2026-11-23 06:21 UTC`. */
export function dayAndTime(time: string): string {
  return `${toMinute(time)} UTC`;
}
