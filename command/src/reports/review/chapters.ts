import { grouped } from "pulumi-page-guard/tools";
import {
  type Cell,
  type Chapter,
  type Column,
  type Entry,
  type Inline,
  line,
  linesCell,
  linesOf,
  openChapter,
  place,
  tableOf,
} from "../blocks/document";
import type {
  Review,
  ReviewChange,
  ReviewDifference,
  ReviewLoss,
  ReviewMigration,
  ReviewNote,
  ReviewPart,
} from "./review";

type NameOf = (zone: string) => string;

/** A review in the order of reading: what cannot be undone, what stops it, where, and then each change. Zones have their names. */
export function chaptersOf({ undone, losses, zones, parts, names = {} }: Review): readonly Chapter[] {
  const nameOf: NameOf = (zone) => names[zone] ?? zone;
  const of = (isUrgent: boolean): Chapter[] =>
    parts.filter((part) => (part.isUrgent === true) === isUrgent).map((part) => partChapter(part, nameOf));
  const rows = tableOf(zones, [
    {
      name: "zone",
      cell: (row) => ({ names: row.zones.map(nameOf), isCode: true, isWhole: row.grave.length > 0 }),
    },
    { name: "what nobody may miss", cell: ({ grave }) => linesCell(grave) },
    { name: "changes", cell: ({ changes }) => changes || null },
  ]);
  const count = zones.reduce((sum, { zones: ids }) => sum + ids.length, 0);
  return [
    ...(undone.length > 0 ? [undoneChapter(undone, nameOf)] : []),
    ...(losses.length > 0 ? [lossChapter(losses, nameOf)] : []),
    ...of(true),
    ...(zones.length > 0 ? [{ ...openChapter("By zone", "rows of zones"), count, table: rows }] : []),
    ...of(false),
  ];
}

/** Nothing changes, and nothing is reported. */
export function isQuiet({ isUnchanged }: Review, chapters: readonly Chapter[]): boolean {
  return isUnchanged && chapters.length === 0;
}

/** Each migration keeps its head, whatever else is left out; what is said alike of several is shown once. */
function undoneChapter(migrations: readonly ReviewMigration[], nameOf: NameOf): Chapter {
  const said = migrations.filter(({ remarks }) => remarks.length > 0);
  const alike = grouped(said, ({ remarks }) => JSON.stringify(remarks));
  return {
    ...{ title: "This cannot be undone", look: "alarm", what: "migrations" },
    entries: migrations.map((one) => {
      const { name, zone, stage, facts } = one;
      const where: Inline[] =
        zone === undefined ? [", in a zone that is not known yet"] : [", zone ", { code: nameOf(zone) }];
      const what: Inline[] = [...where, ", stage ", { code: stage }];
      const all = facts.length === 0 ? [] : [`: ${facts.join(" ")}`];
      return {
        lines: [line({ strong: name }, ...place(one), ...what, ...all)],
        brief: line({ strong: name }, ...what),
      };
    }),
    details: [...alike.values()].map((group) => ({
      title: `What is sent for ${group.map(({ name }) => name.replace(/^\S+ /, "")).join(", ")}`,
      ...{ look: "folded", what: "lines of what is sent" },
      entries: group[0].remarks.map((one) => ({ lines: linesOf(one) })),
    })),
  };
}

function lossChapter(losses: readonly ReviewLoss[], nameOf: NameOf): Chapter {
  return {
    ...openChapter("Deleted or overwritten, and not managed by this stack", "objects of others"),
    count: losses.reduce((sum, { places }) => sum + places.length, 0),
    share: 16_000,
    entries: losses.map(({ kind, fate, label, places, by, content }): Entry => {
      const [first] = places;
      const noun = kind === "rule" ? "WAF rule" : "policy";
      const zone: Inline[] = first?.zone === undefined ? [] : [", zone ", { code: nameOf(first.zone) }];
      const id: Inline[] = first?.id === undefined ? [] : [", id ", { code: first.id }];
      const all = places.map((one) => `${nameOf(one.zone ?? "?")}/${one.id ?? "?"}`);
      const where: Inline[] =
        places.length === 1
          ? [...zone, ...id]
          : [`, in ${places.length} zones: `, { names: all, isCode: true, isWhole: true }];
      const head = line(
        { strong: label === "" ? `${noun} without a description` : `${noun} "${label}"` },
        ` ${fate === "maybe deleted" ? "may be deleted" : fate} by `,
        { names: subjectsByKind(by) },
        ...where,
      );
      const table = tableOf(content, [
        { name: "property", cell: ([name]) => ({ code: name }) },
        { name: "is", cell: ([, text]) => ({ code: text, isWhole: true }) },
      ]);
      return { lines: [head], ...(content.length > 0 && { table }) };
    }),
  };
}

function partChapter(part: ReviewPart, nameOf: NameOf): Chapter {
  const { title, isFolded = false } = part;
  const frame = { title, what: title, look: isFolded ? ("folded" as const) : ("open" as const) };
  if ("notes" in part) {
    const entries = part.notes.map((note) => noteEntry(note, nameOf));
    return { ...frame, count: entries.length, share: 6000, entries };
  }
  const count = part.changes.reduce((sum, { names }) => sum + names.length, 0);
  return { ...frame, count, entries: part.changes.map((change) => changeEntry(change, nameOf)) };
}

function noteEntry(note: ReviewNote, nameOf: NameOf): Entry {
  const { subjects, zones, code, text } = note;
  const [first, ...rest] = linesOf(text);
  const of: Inline[] =
    subjects.length === 0 ? [] : [{ names: subjectsByKind(subjects), isStrong: true }, ...place(note), ": "];
  const where: Inline[] =
    zones.length < 2 ? [] : [" In zones ", { names: zones.map(nameOf), isCode: true }, "."];
  const end: Inline[] = code === undefined ? [] : [" ", { tag: code }];
  const lines = [line(...of, ...(first?.parts ?? [])), ...rest];
  const last = lines.pop() ?? line();
  return { lines: [...lines, { ...last, parts: [...last.parts, ...where, ...end] }] };
}

function changeEntry(change: ReviewChange, nameOf: NameOf): Entry {
  const { kind, names, zones, differences, isProtected } = change;
  const where = zones.length === 1 ? ", zone " : `, the same in ${zones.length} zones: `;
  const head = line(
    { names: subjectsByKind(names.map((name) => `${kind} ${name}`)), isStrong: true },
    ...place(change),
    ...(zones.length === 0 ? [] : [where, { names: zones.map(nameOf), isCode: true }]),
    ...(isProtected ? [", protected"] : []),
  );
  if (differences.length === 0) return { lines: [head] };
  const side = (name: string, of: "before" | "after"): Column<ReviewDifference> => ({
    ...{ name, cell: ({ [of]: text }): Cell => (text === undefined ? null : { code: text }) },
  });
  // Where all are added, or all removed, one column is enough.
  const sides = differences.every(({ before }) => before === undefined)
    ? [side("value", "after")]
    : differences.every(({ after }) => after === undefined)
      ? [side("was", "before")]
      : [side("is", "before"), side("becomes", "after")];
  const property: Column<ReviewDifference> = { name: "property", cell: ({ path }) => ({ code: path }) };
  return { lines: [head], table: tableOf(differences, [property, ...sides]) };
}

/** `CspPolicy a, b`: each kind once. */
function subjectsByKind(subjects: readonly string[]): readonly string[] {
  let last = "";
  return subjects.map((subject) => {
    const [kind = "", ...name] = subject.split(" ");
    const isSame = kind === last;
    last = kind;
    return isSame ? name.join(" ") : subject;
  });
}
