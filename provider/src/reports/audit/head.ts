import { listed } from "../../text/listed";
import { type Entry, entry } from "../blocks/document";
import type { AuditReport } from "./report-data";

export function titleOf({ data: { zones } }: AuditReport): string {
  const names = listed(
    zones.map(({ name }) => name),
    { most: 3, separator: ", " },
  );
  return `Page security report: ${names}`;
}

/** What the head of every format says. */
export function factsOf({
  head,
  data,
}: AuditReport): readonly { readonly name: string; readonly value: string }[] {
  const { period, madeBy, counts } = head;
  const to = dayAndTime(period.to);
  return [
    { name: "Zones", value: zonesText(data.zones) },
    {
      name: "Period",
      value:
        period.from === null
          ? `as of ${to}; no earlier data was given`
          : `${dayAndTime(period.from)} to ${to}`,
    },
    { name: "Made", value: `${dayAndTime(head.madeAt)} by ${makerOf(madeBy)}` },
    { name: "Tool", value: `pulumi-page-guard ${head.version}, which only reads zones` },
    {
      name: "Counts",
      value: Object.entries(counts)
        .map(([name, value]) => `${wordsOf(name)} ${value}`)
        .join(", "),
    },
    { name: "SHA-256 of the data", value: head.digest },
    {
      name: "Not covered",
      value: `${head.notCovered.map(({ title }) => title).join("; ")}; see "Not covered by this report"`,
    },
    ...(head.since === null
      ? []
      : [
          {
            name: "Compared with",
            value: `the report of ${dayAndTime(head.since.madeAt)}, ${head.since.digest}`,
          },
        ]),
  ];
}

/** All of them, with their ids, are in the part on monitored pages. */
function zonesText(zones: AuditReport["data"]["zones"]): string {
  if (zones.length > mostZones)
    return `${zones.length}: ${listed(
      zones.map(({ name }) => name),
      { most: mostZones, separator: ", " },
    )}; all are in "Monitored pages and settings"`;
  return zones.map(({ id, name }) => (id === name ? id : `${name} (${id})`)).join(", ");
}

const mostZones = 6;

function makerOf(madeBy: AuditReport["head"]["madeBy"]): string {
  if (madeBy === null) return "hand, outside of a CI";
  const { system, person, run, repository, commit } = madeBy;
  const facts = [
    ...(repository === null ? [] : [repository]),
    ...(commit === null ? [] : [`commit ${commit}`]),
    ...(run === null ? [] : [run]),
  ];
  return `${person === null ? "a job" : person} in ${system}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
}

/** `2026-11-23 06:21 UTC` */
export function dayAndTime(time: string): string {
  return `${time.slice(0, 16).replace("T", " ")} UTC`;
}

/** What of some zones could not be read; nothing where all could. */
export function unreadEntry(
  zones: AuditReport["data"]["zones"],
  part: "scripts" | "policies" | "waf",
  called: string,
): Entry[] {
  const names = zones.filter((zone) => zone[part] === null).map(({ name }) => name);
  if (names.length === 0) return [];
  return [entry({ strong: "Could not be read:" }, ` the ${called} of `, { names }, ".")];
}

/** `zonesNotWhollyRead` */
function wordsOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
