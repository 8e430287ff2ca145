import { calm, calmLines, code } from "./calm";
import { fitted, type Section } from "./fitted";
import {
  type BlockedHost,
  hasNotes,
  headline,
  isUrgent,
  type Place,
  type Review,
  type ReviewChange,
  type ReviewNote,
  type ReviewPart,
  type ReviewZone,
  sidesOf,
  subjectsByKind,
} from "./review";

/** GitHub takes 65,536 characters in a comment. */
const longest = 60_000;

/** Names in one line; the rest is counted. */
const mostNames = 6;

/**
 * The comment of a pull request, at most 60,000 characters; what is cut is counted. It names nobody, and nothing that
 * somebody else wrote is markup in it.
 */
export function markdown(review: Review): string {
  const { stack, version, undone, zones, parts, isUnchanged } = review;
  const marker = `<!-- page-guard:review ${markerName(stack)} -->`;
  const title = `of stack ${code(stack ?? "(not known)")}`;
  if (isUnchanged && parts.length === 0) {
    return `${marker}\n**page-guard review** ${title}: nothing changes.\n`;
  }
  const head = `${marker}\n## Review ${title}\n\n**${headline(review)}**\n`;
  const sections: Section[] = [
    ...(undone.length > 0 ? [box(undone)] : []),
    ...parts.filter(isUrgent).map(sectionOf),
    ...(zones.length > 0 ? [zoneTable(zones)] : []),
    ...parts.filter((part) => !isUrgent(part)).map(sectionOf),
  ];
  const foot = `\n<sub>pulumi-page-guard ${calm(version, 30)}. The codes in brackets are explained in its docs/findings.md.</sub>\n`;
  return fitted(head, sections, foot, longest);
}

/** What a comment is found by: nothing that could end the HTML comment. */
export function markerName(stack: string | undefined): string {
  return (stack ?? "").replace(/[^\w./]+/g, "-").slice(0, 100) || "unknown";
}

/** A box on GitHub and GitLab, a quotation elsewhere. */
function box(notes: readonly ReviewNote[]): Section {
  return {
    before: "\n> [!CAUTION]\n> **This cannot be undone.**\n",
    items: notes.map((note) => `>\n${quoted(noteText(note))}\n`),
    after: "",
    what: "warnings of what cannot be undone",
  };
}

function quoted(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function sectionOf(part: ReviewPart): Section {
  const items = hasNotes(part)
    ? part.notes.map((note) => `\n- ${noteText(note).replace(/\n(?=.)/g, "\n  ")}`)
    : part.changes.map((change) => `\n- ${changeText(change).replace(/\n(?=.)/g, "\n  ")}`);
  const count = hasNotes(part) ? part.notes.length : total(part.changes);
  return part.isFolded
    ? {
        before: `\n<details><summary>${part.title} (${count})</summary>\n`,
        items,
        after: "\n\n</details>\n",
        what: part.title,
      }
    : { before: `\n### ${part.title} (${count})\n`, items, after: "\n", what: part.title };
}

function total(changes: readonly ReviewChange[]): number {
  return changes.reduce((sum, { names }) => sum + names.length, 0);
}

function noteText(note: ReviewNote): string {
  const { subjects, code: name, text, hosts, moreHosts } = note;
  const of = subjects.length > 0 ? `**${names(subjects)}**${place(note)}: ` : "";
  const end = name === undefined ? "" : ` [${calm(name, 80)}]`;
  const [first = "", ...rest] = text.split("\n");
  if (hosts.length === 0) return `${of}${calmLines(text, 40)}${end}\n`;
  const last = rest.filter((line) => !/^\s/.test(line)).join("\n");
  return `${of}${calm(first, 400)}\n\n${hostTable(hosts, moreHosts)}\n\n${calmLines(last, 3)}${end}\n`;
}

function hostTable(hosts: readonly BlockedHost[], more: number): string {
  const rows = hosts.map(({ host, scripts, connections, isMalicious, firstPage, lastSeen }) =>
    [
      `${code(host, 100)}${isMalicious ? " **malicious**" : ""}`,
      String(scripts),
      String(connections),
      firstPage === undefined ? "" : code(firstPage, 120),
      lastSeen === undefined ? "" : code(lastSeen, 20),
    ].join(" | "),
  );
  if (more > 0) rows.push(`and ${more} more hosts | | | | `);
  return [
    "| Would be blocked | scripts | connections | first seen on | last seen |",
    "|---|--:|--:|---|---|",
    ...rows.map((row) => `| ${row} |`),
  ].join("\n");
}

function changeText(change: ReviewChange): string {
  const { kind, names: all, zones, differences, isProtected } = change;
  const where =
    zones.length === 0
      ? ""
      : `, ${zones.length === 1 ? "zone" : "zones"} ${listed(zones.map((zone) => code(zone)))}`;
  const guard = isProtected ? ", protected" : "";
  const head = `**${calm(kind)} ${listed(all.map((name) => calm(name, 80)))}**${place(change)}${where}${guard}`;
  if (differences.length === 0) return `${head}\n`;
  const side = (text: string | undefined): string => (text === undefined ? "" : code(text, 400));
  const heads = sidesOf(differences);
  const rows = differences.map(({ path, before, after }) => {
    const sides = { value: after, was: before, is: before, becomes: after };
    return [code(path, 120), ...heads.map((name) => side(sides[name]))];
  });
  const table = [["property", ...heads], ["property", ...heads].map(() => "---"), ...rows];
  return `${head}\n\n${table.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`;
}

function place({ file, line }: Place): string {
  return file === undefined ? "" : ` (${code(line === undefined ? file : `${file}:${line}`, 120)})`;
}

function names(subjects: readonly string[]): string {
  return listed(subjectsByKind(subjects).map((subject) => calm(subject, 100)));
}

function listed(texts: readonly string[]): string {
  if (texts.length <= mostNames) return texts.join(", ");
  return `${texts.slice(0, mostNames).join(", ")} and ${texts.length - mostNames} more`;
}

/** Zones of which the same is to be said share a row; the page has a row for each. */
function zoneTable(zones: readonly ReviewZone[]): Section {
  const rows = new Map<string, string[]>();
  for (const { zone, creates, updates, replaces, deletes, codes } of zones) {
    const counts = [creates, updates, replaces, deletes].map((number) =>
      number === 0 ? "" : String(number),
    );
    const row = `${counts.join(" | ")} | ${listed(codes.map((one) => calm(one, 60)))}`;
    rows.set(row, [...(rows.get(row) ?? []), code(zone)]);
  }
  return {
    before: `\n### Zones (${zones.length})\n\n| zone | create | update | replace | delete | said of each |\n|---|--:|--:|--:|--:|---|\n`,
    items: [...rows].map(([row, alike]) => `| ${listed(alike)} | ${row} |\n`),
    after: "",
    what: "rows of zones",
  };
}
