import { grouped } from "pulumi-page-guard/tools";
import { dayMs } from "../../values";
import type { AuditChange, AuditReport, AuditRuns, AuditSeries, RunLine } from "./report-data";

/** PCI DSS 11.6.1: at least once every seven days. An hour more, because schedulers are late. */
const longestMs = 7 * dayMs + 60 * 60 * 1000;

/** `from` is null: from the first run on. */
type Period = AuditReport["head"]["period"];

type Zones = readonly { readonly id: string; readonly name: string }[];
type Result = AuditSeries["results"][number];

/** A run that read not all of a zone, or one in which nothing was detected, is no check of it. */
export function isCompleted({ isWhole, monitoring, scripts }: Result): boolean {
  return isWhole && monitoring === true && scripts !== null && scripts > 0;
}

/** What the recorded runs say of each zone of the report, with the weeks and gaps of the period. */
export function seriesOf(lines: readonly RunLine[], period: Period, zones: Zones): AuditSeries[] {
  const all = readsOf(lines, period);
  return zones.map(({ id, name }) => {
    const results = all
      .filter(({ read }) => read.id === id)
      .map(({ when, exit = 0, link, digest, read: { id: _, name: __, changes: ___, ...facts } }) => ({
        ...{ when, exit, ...facts },
        ...(link !== undefined && { link }),
        ...(digest !== undefined && { digest }),
      }));
    return { zone: id, name, results, weeks: weeksOf(results, period), gaps: gapsOf(results, period) };
  });
}

/** Changes of these zones that the recorded runs have found in the period, in the order of time. */
export function changesOf(lines: readonly RunLine[], period: Period, zones: Zones): AuditChange[] {
  const names = new Map(zones.map(({ id, name }) => [id, name]));
  return readsOf(lines, period).flatMap(({ when: on, read: { id, changes } }) => {
    const zone = names.get(id);
    return zone === undefined ? [] : (changes ?? []).map((change) => ({ zone, on, ...change }));
  });
}

/** What the runs of a period have read of zones, in the order of time. */
function readsOf(lines: readonly RunLine[], { from, to }: Period) {
  return byTime(lines)
    .filter(({ when }) => Date.parse(when) <= Date.parse(to) && !(Date.parse(when) < Date.parse(from ?? "")))
    .flatMap(({ zones = [], ...line }) => zones.map((read) => ({ ...line, read })));
}

function byTime(lines: readonly RunLine[]): readonly RunLine[] {
  return lines.toSorted((left, right) => Date.parse(left.when) - Date.parse(right.when));
}

/** Alerts in the order in which they were opened; later lines with the same reference say who closed them. */
export function alertsOf(lines: readonly RunLine[]): AuditRuns["alerts"] {
  const alerts = new Map<string, AuditRuns["alerts"][number]>();
  for (const { when, what, alert } of byTime(lines)) {
    if (!alert) continue;
    const { reference } = alert;
    const opened = { reference, opened: when, what, closedBy: null, closedOn: null, note: null };
    const known = alerts.get(reference) ?? opened;
    const { closedBy = known.closedBy, closedOn = known.closedOn, note = known.note } = alert;
    alerts.set(reference, { ...known, closedBy, closedOn, note });
  }
  return [...alerts.values()];
}

/** Each week of the period that is over or has begun, by its Monday (UTC), with what its runs have found. */
function weeksOf(results: readonly Result[], { from, to }: Period): AuditSeries["weeks"] {
  const begin = Date.parse(mondayOf(from ?? results[0]?.when ?? to));
  const byWeek = grouped(results, ({ when }) => mondayOf(when));
  const weeks = Math.max(0, Math.floor((Date.parse(to) - begin) / (7 * dayMs)) + 1);
  return Array.from({ length: weeks }, (_, week) => {
    const monday = dayOf(begin + week * 7 * dayMs);
    const runs = byWeek.get(monday) ?? [];
    const completed = runs.filter(isCompleted).length;
    const found: Record<string, number> = {};
    for (const [code, count] of runs.flatMap((run) => Object.entries(run.found)))
      found[code] = Math.max(found[code] ?? 0, count);
    return { monday, completed, incomplete: runs.length - completed, found };
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

/** The Monday (UTC) of a week: `2026-11-23`. */
export function mondayOf(when: string): string {
  const day = Math.floor(Date.parse(when) / dayMs);
  // 1970-01-01 was a Thursday.
  return dayOf((day - ((day + 3) % 7)) * dayMs);
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
