import { listed } from "pulumi-page-guard/tools";
import { type Column, type Entry, entry } from "../blocks/document";
import type { AuditReport, AuditZone } from "./report-data";

export function titleOf({ data: { zones } }: AuditReport): string {
  return `Page security report: ${namesOf(zones, 3)}`;
}

function namesOf(zones: readonly AuditZone[], most: number): string {
  const names = zones.map(({ name }) => name);
  return listed(names, { most, separator: ", " });
}

/** What the head of every format says, by name. */
export function factsOf({ head, data }: AuditReport): readonly (readonly [name: string, value: string])[] {
  const { period, madeBy, counts, since } = head;
  const to = dayAndTime(period.to);
  const from = period.from === null ? undefined : dayAndTime(period.from);
  // As in `zonesNotWhollyRead`.
  const counted = Object.entries(counts).map(
    ([name, value]) => `${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${value}`,
  );
  const titles = head.notCovered.map(({ title }) => title).join("; ");
  return [
    ["Zones", zonesText(data.zones)],
    ["Period", from === undefined ? `as of ${to}; no earlier data was given` : `${from} to ${to}`],
    ["Made", `${dayAndTime(head.madeAt)} by ${makerOf(madeBy)}`],
    ["Tool", `pulumi-page-guard ${head.version}, which only reads zones`],
    ["Counts", counted.join(", ")],
    ["SHA-256 of the data", head.digest],
    ["Not covered", `${titles}; see "Not covered by this report"`],
    ...(since
      ? [["Compared with", `the report of ${dayAndTime(since.madeAt)}, ${since.digest}`] as const]
      : []),
  ];
}

/** All of them, with their ids, are in the part on monitored pages. */
function zonesText(zones: readonly AuditZone[]): string {
  if (zones.length <= mostZones)
    return zones.map(({ id, name }) => (id === name ? id : `${name} (${id})`)).join(", ");
  return `${zones.length}: ${namesOf(zones, mostZones)}; all are in "Monitored pages and settings"`;
}

const mostZones = 6;

function makerOf(madeBy: AuditReport["head"]["madeBy"]): string {
  if (madeBy === null) return "hand, outside of a CI";
  const { system, person, run, repository, commit } = madeBy;
  const facts = [repository, commit === null ? null : `commit ${commit}`, run].filter((one) => one !== null);
  return `${person ?? "a job"} in ${system}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
}

/** `2026-11-23 06:21` */
export function minuteOf(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}

/** `2026-11-23 06:21 UTC` */
export function dayAndTime(time: string): string {
  return `${minuteOf(time)} UTC`;
}

/** What of some zones could not be read; nothing where all could. */
export function unreadEntry(
  zones: readonly AuditZone[],
  part: "scripts" | "policies",
  called: string,
): Entry[] {
  const names = zones.filter((zone) => zone[part] === null).map(({ name }) => name);
  if (names.length === 0) return [];
  return [entry({ strong: "Could not be read:" }, ` the ${called} of `, { names }, ".")];
}

/** Something of a zone. */
export type OfZone<T> = T & { readonly zone: AuditZone };

/** A report on one zone does not repeat its name. */
export function withZoneColumn<T>(
  zones: readonly AuditZone[],
  columns: readonly Column<OfZone<T>>[],
): readonly Column<OfZone<T>>[] {
  return zones.length > 1
    ? [{ name: "zone", cell: ({ zone }) => ({ code: zone.name }) }, ...columns]
    : columns;
}
