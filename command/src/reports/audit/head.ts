import { enumerate } from "pulumi-page-guard/tools";
import type { AuditReport } from "./report-data";

export function makeTitle({ data: { zones } }: AuditReport): string {
  const names = zones.map(({ name }) => name);
  return `Page security report: ${enumerate(names, { most: 3, separator: ", " })}`;
}

/** Returns the facts at the top of every format, by name. */
export function listFacts({ head, data: { zones } }: AuditReport): readonly (readonly [string, string])[] {
  const { period, madeBy, counts, since } = head;
  const to = dayAndTime(period.to);
  const { system, person, run, repository, commit } = madeBy ?? {};
  const of = [repository, commit && `commit ${commit}`, run].filter((one) => one).join(", ");
  const maker = madeBy
    ? `${person ?? "a job"} in ${system}${of && ` (${of})`}`
    : "hand, or in a CI other than GitHub Actions and GitLab CI";
  // The part on monitored pages lists all zones.
  const names = zones.map(({ id, name }) => (id === name ? id : `${name} (${id})`));
  // `zonesNotWhollyRead` becomes `zones not wholly read`.
  const counted = Object.entries(counts).map(
    ([name, value]) => `${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${value}`,
  );
  return [
    ["Zones", enumerate(names, { most: 6, separator: ", " })],
    [
      "Period",
      period.from ? `${dayAndTime(period.from)} to ${to}` : `as of ${to}; no earlier data was given`,
    ],
    ["Made", `${dayAndTime(head.madeAt)} by ${maker}`],
    ["Tool", `page-guard report ${head.version}, which only reads zones`],
    [`Counts on ${head.madeAt.slice(0, 10)}`, counted.join(", ")],
    [
      "Malicious",
      `items that the service reports as malicious, or whose integrity score is below ${head.threshold}`,
    ],
    ["SHA-256 of the other data", head.digest],
    ...(since
      ? [["Compared with", `the report of ${dayAndTime(since.madeAt)}, ${since.digest}`] as const]
      : []),
  ];
}

/** Returns a time to the minute: `2026-11-23 06:21`. */
export function toMinute(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}

/** Returns a time with its time zone: `2026-11-23 06:21 UTC`. */
export function dayAndTime(time: string): string {
  return `${toMinute(time)} UTC`;
}
