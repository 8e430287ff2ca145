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
import {
  type Review,
  type ReviewChange,
  type ReviewDifference,
  type ReviewLoss,
  type ReviewMigration,
  type ReviewNote,
  type ReviewPart,
  type ReviewZone,
  sidesOf,
  subjectsByKind,
} from "./review";

/** A review in the order of reading: what cannot be undone, what stops it, where, and then each change. */
export function chaptersOf({ undone, losses, zones, parts }: Review): readonly Chapter[] {
  return [
    ...(undone.length > 0 ? [undoneChapter(undone)] : []),
    ...(losses.length > 0 ? [lossChapter(losses)] : []),
    ...parts.filter(({ isUrgent }) => isUrgent).map(partChapter),
    ...(zones.length > 0 ? [zoneChapter(zones)] : []),
    ...parts.filter(({ isUrgent }) => !isUrgent).map(partChapter),
  ];
}

/** Nothing changes, and nothing is reported. */
export function isQuiet({ isUnchanged }: Review, chapters: readonly Chapter[]): boolean {
  return isUnchanged && chapters.length === 0;
}

/** Each migration keeps its head, whatever else is left out; what is said alike of several is shown once. */
function undoneChapter(migrations: readonly ReviewMigration[]): Chapter {
  const said = migrations.filter(({ remarks }) => remarks.length > 0);
  const alike = grouped(said, ({ remarks }) => JSON.stringify(remarks));
  return {
    title: "This cannot be undone",
    look: "alarm",
    what: "migrations",
    entries: migrations.map(migrationEntry),
    details: [...alike.values()].map((group) => ({
      title: `What is sent for ${group.map(({ name }) => name.replace(/^\S+ /, "")).join(", ")}`,
      look: "folded",
      what: "lines of what is sent",
      entries: group[0].remarks.map((one) => ({ lines: linesOf(one) })),
    })),
  };
}

function migrationEntry(migration: ReviewMigration): Entry {
  const { name, zone, stage, facts } = migration;
  const what: Inline[] = [
    ...(zone === undefined ? [", in a zone that is not known yet"] : [", zone ", { code: zone }]),
    ", stage ",
    { code: stage },
  ];
  const said = facts.length === 0 ? [] : [`: ${facts.join(" ")}`];
  return {
    lines: [line({ strong: name }, ...place(migration), ...what, ...said)],
    brief: line({ strong: name }, ...what),
  };
}

const fates = { deleted: "deleted", overwritten: "overwritten", "maybe deleted": "may be deleted" };

function lossChapter(losses: readonly ReviewLoss[]): Chapter {
  return {
    ...openChapter("Deleted or overwritten, and not managed by this stack", "objects of others"),
    count: losses.reduce((sum, { places }) => sum + places.length, 0),
    share: 16_000,
    entries: losses.map(({ kind, fate, label, places, by, content }): Entry => {
      const [first] = places;
      const where: Inline[] =
        places.length === 1
          ? [
              ...(first?.zone === undefined ? [] : [", zone ", { code: first.zone }]),
              ...(first?.id === undefined ? [] : [", id ", { code: first.id }]),
            ]
          : [
              `, in ${places.length} zones: `,
              {
                names: places.map(({ zone = "?", id = "?" }) => `${zone}/${id}`),
                isCode: true,
                isWhole: true,
              },
            ];
      return {
        lines: [
          line(
            { strong: nameOf(kind, label) },
            ` ${fates[fate]} by `,
            { names: subjectsByKind(by) },
            ...where,
          ),
        ],
        ...(content.length > 0 && {
          table: tableOf(content, [
            { name: "property", cell: ([name]) => ({ code: name }) },
            { name: "is", cell: ([, text]) => ({ code: text, isWhole: true }) },
          ]),
        }),
      };
    }),
  };
}

function nameOf(kind: ReviewLoss["kind"], label: string): string {
  const noun = kind === "rule" ? "WAF rule" : "policy";
  return label === "" ? `${noun} without a description` : `${noun} "${label}"`;
}

function partChapter(part: ReviewPart): Chapter {
  const { title, isFolded = false } = part;
  const look = isFolded ? "folded" : "open";
  if ("notes" in part) {
    const { notes } = part;
    return { title, count: notes.length, look, what: title, share: 6000, entries: notes.map(noteEntry) };
  }
  const { changes } = part;
  const count = changes.reduce((sum, { names }) => sum + names.length, 0);
  return { title, count, look, what: title, entries: changes.map(changeEntry) };
}

function noteEntry(note: ReviewNote): Entry {
  const { subjects, zones, code, text } = note;
  const [first, ...rest] = linesOf(text);
  const of: Inline[] =
    subjects.length === 0 ? [] : [{ names: subjectsByKind(subjects), isStrong: true }, ...place(note), ": "];
  const where: Inline[] = zones.length < 2 ? [] : [" In zones ", { names: zones, isCode: true }, "."];
  const end: Inline[] = code === undefined ? [] : [" ", { tag: code }];
  const lines = [line(...of, ...(first?.parts ?? [])), ...rest];
  const last = lines.pop() ?? line();
  return { lines: [...lines, { ...last, parts: [...last.parts, ...where, ...end] }] };
}

function changeEntry(change: ReviewChange): Entry {
  const { kind, names, zones, differences, isProtected } = change;
  const head = line(
    { names: subjectsByKind(names.map((name) => `${kind} ${name}`)), isStrong: true },
    ...place(change),
    ...(zones.length === 0
      ? []
      : [
          zones.length === 1 ? ", zone " : `, the same in ${zones.length} zones: `,
          { names: zones, isCode: true },
        ]),
    ...(isProtected ? [", protected"] : []),
  );
  if (differences.length === 0) return { lines: [head] };
  const columns: readonly Column<ReviewDifference>[] = [
    { name: "property", cell: ({ path }) => ({ code: path }) },
    ...sidesOf(differences).map((name) => ({
      name,
      cell: ({ before, after }: ReviewDifference) =>
        codeCell(name === "was" || name === "is" ? before : after),
    })),
  ];
  return { lines: [head], table: tableOf(differences, columns) };
}

function codeCell(text: string | undefined): Cell {
  return text === undefined ? null : { code: text };
}

function zoneChapter(zones: readonly ReviewZone[]): Chapter {
  return {
    ...openChapter("By zone", "rows of zones"),
    count: zones.reduce((sum, { zones: ids }) => sum + ids.length, 0),
    table: tableOf(zones, [
      { name: "zone", cell: (row) => ({ names: row.zones, isCode: true, isWhole: row.grave.length > 0 }) },
      { name: "what nobody may miss", cell: ({ grave }) => linesCell(grave) },
      { name: "changes", cell: ({ changes }) => changes || null },
    ]),
  };
}
