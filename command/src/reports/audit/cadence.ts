import { dayMs, grouped } from "pulumi-page-guard/tools";
import type { AuditChange, AuditRuns, AuditSeries, RunLine } from "./report-data";

/** PCI DSS 11.6.1: at least once every seven days. An hour more, because schedulers are late. */
const longestMs = 7 * dayMs + 60 * 60 * 1000;

interface Period {
  /** Absent: from the first run on. */
  readonly from: string | null;
  readonly to: string;
}

type Result = AuditSeries["results"][number];

/** A run that read not all of a zone, or one in which nothing was detected, is no check of it. */
export function isCompleted({
  isWhole,
  monitoring,
  scripts,
}: Omit<Result, "when" | "exit" | "found">): boolean {
  return isWhole && monitoring === true && scripts !== null && scripts > 0;
}

/** What the recorded runs say of each zone of the report, with the weeks and gaps of the period. */
export function seriesOf(
  lines: readonly RunLine[],
  period: Period,
  zones: readonly { readonly id: string; readonly name: string }[],
): AuditSeries[] {
  return zones.map(({ id, name }) => {
    const results = lines
      .flatMap(({ when, exit = 0, link, digest, zones: read = [] }) =>
        read
          .filter((one) => one.id === id)
          .map(({ id: _, name: __, changes: ___, ...facts }) => ({
            ...{ when, exit, ...facts },
            ...(link !== undefined && { link }),
            ...(digest !== undefined && { digest }),
          })),
      )
      .filter(({ when }) => isWithin(when, period))
      .sort((left, right) => Date.parse(left.when) - Date.parse(right.when));
    return { zone: id, name, results, weeks: weeksOf(results, period), gaps: gapsOf(results, period) };
  });
}

/** Changes of these zones that the recorded runs have found in the period, in the order of time. */
export function changesOf(
  lines: readonly RunLine[],
  period: Period,
  zones: readonly { readonly id: string; readonly name: string }[],
): AuditChange[] {
  const names = new Map(zones.map(({ id, name }) => [id, name]));
  return lines
    .filter(({ when }) => isWithin(when, period))
    .flatMap(({ when: on, zones: read = [] }) =>
      read.flatMap(({ id, changes }) => {
        const zone = names.get(id);
        return zone === undefined ? [] : (changes ?? []).map((change) => ({ zone, on, ...change }));
      }),
    )
    .sort((left, right) => Date.parse(left.on) - Date.parse(right.on));
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

/** Each week of the period that is over or has begun, by its Monday (UTC), with what its runs have found. */
function weeksOf(results: readonly Result[], { from, to }: Period): AuditSeries["weeks"] {
  const begin = mondayOf(Date.parse(from ?? results[0]?.when ?? to));
  const byWeek = grouped(results, ({ when }) => mondayOf(Date.parse(when)));
  const weeks = Math.max(0, Math.floor((Date.parse(to) - begin) / (7 * dayMs)) + 1);
  return Array.from({ length: weeks }, (_, week) => {
    const monday = begin + week * 7 * dayMs;
    const runs = byWeek.get(monday) ?? [];
    const completed = runs.filter(isCompleted).length;
    const found: Record<string, number> = {};
    for (const [code, count] of runs.flatMap((run) => Object.entries(run.found)))
      found[code] = Math.max(found[code] ?? 0, count);
    const day = new Date(monday).toISOString().slice(0, 10);
    return { monday: day, completed, incomplete: runs.length - completed, found };
  });
}

/** Also before the first run and after the last one. */
function gapsOf(results: readonly Result[], { from, to }: Period): AuditSeries["gaps"] {
  const ends = [...results.filter(isCompleted).map(({ when }) => when), to].map(Date.parse);
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
