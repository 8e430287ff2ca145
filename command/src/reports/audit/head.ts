import { listed } from "pulumi-page-guard/tools";
import type { AuditReport, AuditZone } from "./report-data";

export function titleOf({ data: { zones } }: AuditReport): string {
  return `Page security report: ${namesOf(zones, 3)}`;
}

function namesOf(zones: readonly AuditZone[], most: number): string {
  const names = zones.map(({ name }) => name);
  return listed(names, { most, separator: ", " });
}

/** What the head of every format says, by name. */
export function factsOf({ head, data: { zones } }: AuditReport): readonly (readonly [string, string])[] {
  const { period, madeBy, counts, since } = head;
  const to = dayAndTime(period.to);
  const { system, person, run, repository, commit } = madeBy ?? {};
  const of = [repository, commit && `commit ${commit}`, run].filter((one) => one).join(", ");
  const maker = madeBy ? `${person ?? "a job"} in ${system}${of && ` (${of})`}` : "hand, outside of a CI";
  // All of them, with their ids, are in the part on monitored pages.
  const few = zones.map(({ id, name }) => (id === name ? id : `${name} (${id})`)).join(", ");
  const many = `${zones.length}: ${namesOf(zones, mostZones)}; all are in "Monitored pages and settings"`;
  // As in `zonesNotWhollyRead`.
  const counted = Object.entries(counts).map(
    ([name, value]) => `${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${value}`,
  );
  return [
    ["Zones", zones.length <= mostZones ? few : many],
    [
      "Period",
      period.from ? `${dayAndTime(period.from)} to ${to}` : `as of ${to}; no earlier data was given`,
    ],
    ["Made", `${dayAndTime(head.madeAt)} by ${maker}`],
    ["Tool", `pulumi-page-guard ${head.version}, which only reads zones`],
    ["Counts", counted.join(", ")],
    ["Malicious", `what the service reports as such, or with an integrity score below ${head.threshold}`],
    ["SHA-256 of the data", head.digest],
    ...(since
      ? [["Compared with", `the report of ${dayAndTime(since.madeAt)}, ${since.digest}`] as const]
      : []),
  ];
}

const mostZones = 6;

/** `2026-11-23 06:21` */
export function minuteOf(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}

/** `2026-11-23 06:21 UTC` */
export function dayAndTime(time: string): string {
  return `${minuteOf(time)} UTC`;
}
