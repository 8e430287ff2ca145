import type { AuditRuns, AuditSeries } from "./report-data";
import type { RunLine } from "./run-line";

const dayMs = 24 * 60 * 60 * 1000;

/** PCI DSS 11.6.1: at least once every seven days. An hour more, because schedulers are late. */
const longestMs = 7 * dayMs + 60 * 60 * 1000;

interface Period {
  /** Absent: from the first run on. */
  readonly from: string | null;
  readonly to: string;
}

/** A run that could not check everything is no check: only these exit codes are. */
export function isCompleted({ exit }: Pick<RunLine, "exit">): boolean {
  return exit === 0 || exit === 2;
}

/** The results of scheduled checks, one series for each of them, with the weeks and gaps of the period. */
export function seriesOf(lines: readonly RunLine[], period: Period): AuditSeries[] {
  const byWhat = new Map<string, RunLine[]>();
  for (const line of lines) {
    const same = byWhat.get(line.what);
    if (same) same.push(line);
    else byWhat.set(line.what, [line]);
  }
  return [...byWhat]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([what, all]) => {
      const inPeriod = all
        .filter(({ when }) => isWithin(when, period))
        .sort((left, right) => timeOf(left.when) - timeOf(right.when) || left.exit - right.exit);
      return {
        what,
        results: inPeriod.map(({ what: _, ...result }) => result),
        weeks: weeksOf(inPeriod, period),
        gaps: gapsOf(inPeriod, period),
      };
    });
}

/** Alerts in the order in which they were opened; later lines with the same reference say who closed them. */
export function alertsOf(lines: readonly RunLine[]): AuditRuns["alerts"] {
  const alerts = new Map<string, AuditRuns["alerts"][number]>();
  const sorted = [...lines].sort((left, right) => timeOf(left.when) - timeOf(right.when));
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
function weeksOf(lines: readonly RunLine[], { from, to }: Period): AuditSeries["weeks"] {
  const [first] = lines;
  const begin = mondayOf(from === null ? timeOf(first?.when ?? to) : timeOf(from));
  const weeks = new Map<number, AuditSeries["weeks"][number]>();
  for (let at = begin; at <= timeOf(to); at += 7 * dayMs) {
    weeks.set(at, { monday: dateOf(at), completed: 0, found: 0, failed: 0 });
  }
  for (const line of lines) {
    const monday = mondayOf(timeOf(line.when));
    const week = weeks.get(monday);
    if (!week) continue;
    weeks.set(monday, {
      ...week,
      completed: week.completed + Number(isCompleted(line)),
      found: week.found + Number(line.exit === 2),
      failed: week.failed + Number(!isCompleted(line)),
    });
  }
  return [...weeks.values()];
}

/** Also before the first run and after the last one. */
function gapsOf(lines: readonly RunLine[], { from, to }: Period): AuditSeries["gaps"] {
  const times = lines.filter(isCompleted).map(({ when }) => timeOf(when));
  const edges = [...(from === null ? [] : [timeOf(from)]), ...times, timeOf(to)];
  return edges.slice(1).flatMap((end, index) => {
    const begin = edges[index] ?? end;
    if (end - begin <= longestMs) return [];
    return [
      {
        from: new Date(begin).toISOString(),
        to: new Date(end).toISOString(),
        days: Math.round((end - begin) / dayMs),
      },
    ];
  });
}

function isWithin(when: string, { from, to }: Period): boolean {
  return timeOf(when) <= timeOf(to) && (from === null || timeOf(when) >= timeOf(from));
}

function mondayOf(time: number): number {
  const day = Math.floor(time / dayMs);
  // 1970-01-01 was a Thursday.
  return (day - ((day + 3) % 7)) * dayMs;
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function timeOf(when: string): number {
  return Date.parse(when);
}
