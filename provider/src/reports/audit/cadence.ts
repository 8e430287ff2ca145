import { compareTexts, grouped } from "../../text/grouped";
import type { AuditRuns, AuditSeries, RunLine } from "./report-data";

export const dayMs = 24 * 60 * 60 * 1000;

/** PCI DSS 11.6.1: at least once every seven days. An hour more, because schedulers are late. */
const longestMs = 7 * dayMs + 60 * 60 * 1000;

/** A line about a run. */
type Run = RunLine & { readonly exit: number };

interface Period {
  /** Absent: from the first run on. */
  readonly from: string | null;
  readonly to: string;
}

/** A run that could not check everything is no check: only these exit codes are. */
export function isCompleted({ exit }: { readonly exit: number }): boolean {
  return exit === 0 || exit === 2;
}

/** The results of scheduled checks, one series for each of them, with the weeks and gaps of the period. */
export function seriesOf(lines: readonly RunLine[], period: Period): AuditSeries[] {
  const runs = lines.flatMap(({ exit, ...rest }): Run[] => (exit === undefined ? [] : [{ ...rest, exit }]));
  return [...grouped(runs, ({ what }) => what)]
    .sort(([left], [right]) => compareTexts(left, right))
    .map(([what, all]) => {
      const inPeriod = all
        .filter(({ when }) => isWithin(when, period))
        .sort((left, right) => Date.parse(left.when) - Date.parse(right.when) || left.exit - right.exit);
      return {
        what,
        results: inPeriod.map(({ what: _, alert: _alert, ...result }) => result),
        weeks: weeksOf(inPeriod, period),
        gaps: gapsOf(inPeriod, period),
      };
    });
}

/** Alerts in the order in which they were opened; later lines with the same reference say who closed them. */
export function alertsOf(lines: readonly RunLine[]): AuditRuns["alerts"] {
  const alerts = new Map<string, AuditRuns["alerts"][number]>();
  const sorted = [...lines].sort((left, right) => Date.parse(left.when) - Date.parse(right.when));
  for (const { when, what, alert } of sorted) {
    if (!alert) continue;
    const known = alerts.get(alert.reference);
    alerts.set(alert.reference, {
      reference: alert.reference,
      opened: known?.opened ?? when,
      what: known?.what ?? what,
      closedBy: alert.closedBy ?? known?.closedBy ?? null,
      closedOn: alert.closedOn ?? known?.closedOn ?? null,
      note: alert.note ?? known?.note ?? null,
    });
  }
  return [...alerts.values()];
}

/** Each week of the period that is over or has begun, by its Monday (UTC). */
function weeksOf(lines: readonly Run[], { from, to }: Period): AuditSeries["weeks"] {
  const begin = mondayOf(Date.parse(from ?? lines[0]?.when ?? to));
  const byWeek = grouped(lines, ({ when }) => mondayOf(Date.parse(when)));
  const weeks = Math.max(0, Math.floor((Date.parse(to) - begin) / (7 * dayMs)) + 1);
  return Array.from({ length: weeks }, (_, week) => {
    const monday = begin + week * 7 * dayMs;
    const runs = byWeek.get(monday) ?? [];
    const completed = runs.filter(isCompleted);
    return {
      monday: new Date(monday).toISOString().slice(0, 10),
      completed: completed.length,
      found: completed.filter(({ exit }) => exit === 2).length,
      failed: runs.length - completed.length,
    };
  });
}

/** Also before the first run and after the last one. */
function gapsOf(lines: readonly Run[], { from, to }: Period): AuditSeries["gaps"] {
  const ends = [...lines.filter(isCompleted).map(({ when }) => when), to].map(Date.parse);
  const begins = [from === null ? ends[0] : Date.parse(from), ...ends];
  return ends.flatMap((end, index) => {
    const begin = begins[index] ?? end;
    if (end - begin <= longestMs) return [];
    const iso = (time: number): string => new Date(time).toISOString();
    return [{ from: iso(begin), to: iso(end), days: Math.round((end - begin) / dayMs) }];
  });
}

function isWithin(when: string, { from, to }: Period): boolean {
  return Date.parse(when) <= Date.parse(to) && (from === null || Date.parse(when) >= Date.parse(from));
}

function mondayOf(time: number): number {
  const day = Math.floor(time / dayMs);
  // 1970-01-01 was a Thursday.
  return (day - ((day + 3) % 7)) * dayMs;
}
