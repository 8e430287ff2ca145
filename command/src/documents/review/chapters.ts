import { groupBy, pluralize } from "pulumi-page-guard/tools";
import { sumUp } from "../../shared/values";
import {
  type Chapter,
  type Entry,
  type Inline,
  line,
  makeLinesCell,
  makeTable,
  splitLines,
} from "../blocks/document";
import type { Place, Review, ReviewDifference, ReviewEntry, ReviewLoss, ReviewMigration } from "./review";

type NameOf = (zone: string | undefined) => string;

/** Returns the chapters in the order of reading: irreversible changes, losses, urgent parts, zones, other parts. */
export function makeChapters(review: Review): readonly Chapter[] {
  const { undone, losses, zones, parts, names = {}, isFleet } = review;
  const nameZone: NameOf = (zone = "?") => names[zone] ?? zone;
  const makePartChapters = (wanted: boolean): Chapter[] =>
    parts
      .filter(({ isUrgent = false }) => isUrgent === wanted)
      .map(({ title, isFolded, entries }) => ({
        title,
        what: title,
        look: isFolded ? "folded" : undefined,
        count: sumUp(entries, ({ op, subjects, zones: { length } }) => {
          // In a fleet, a subject stands for resources of the same name in several stacks, and each stack has one zone.
          const stacks = isFleet ? Math.max(1, length) : 1;
          return op === undefined ? 1 : subjects.length * stacks;
        }),
        entries: entries.map((one) => makeEntry(one, nameZone, isFleet)),
        // A hostile program can invent findings. They must leave room for the rest.
        ...(entries.some(({ op }) => op === undefined) && { share: 6000 }),
      }));
  const byZone: Chapter = {
    title: "By zone",
    what: "rows of zones",
    count: sumUp(zones, (row) => row.zones.length),
    table: makeTable(zones, {
      zone: (row) => ({ names: row.zones.map(nameZone), isCode: true, isWhole: row.grave.length > 0 }),
      "what nobody should miss": ({ grave }) => makeLinesCell(grave),
      changes: ({ changes }) => changes || null,
    }),
  };
  // For a single zone without grave facts, the rest of the review is enough.
  const isEnough =
    !isFleet && zones.length === 1 && zones[0]?.zones.length === 1 && zones[0].grave.length === 0;
  return [
    ...(undone.length > 0 ? [undoneChapter(undone, nameZone)] : []),
    ...(losses.length > 0 ? [lossChapter(losses, nameZone)] : []),
    ...makePartChapters(true),
    ...(zones.length > 0 && !isEnough ? [byZone] : []),
    ...makePartChapters(false),
  ];
}

/** Returns the chapter on migrations. If several migrations send the same rules, the chapter shows these rules once. */
function undoneChapter(migrations: readonly ReviewMigration[], nameOf: NameOf): Chapter {
  const withRemarks = migrations.filter(({ remarks }) => remarks.length > 0);
  const alike = groupBy(withRemarks, ({ remarks }) => JSON.stringify(remarks));
  return {
    title: "This cannot be undone",
    look: "alarm",
    what: "migrations",
    entries: migrations.map((one) => {
      const { name, zone, stage, facts } = one;
      const where: Inline[] =
        zone === undefined ? [", in a zone that is not known yet"] : [", zone ", { code: nameOf(zone) }];
      const what: Inline[] = [...where, ", stage ", { code: stage }];
      const all = facts.length === 0 ? [] : [`: ${facts.join(" ")}`];
      return { lines: [line({ strong: name }, ...what, ...place(one), ...all)] };
    }),
    ...(withRemarks.length > 0 && {
      details: [
        {
          title: "Configuration to send",
          look: "folded",
          what: "lines of the configuration to send",
          count: withRemarks.length,
          entries: [...alike.values()].map((group) => ({
            lines: [
              line({ names: group.map(({ name }) => name), isStrong: true }),
              ...group[0].remarks.flatMap(splitLines),
            ],
          })),
        },
      ],
    }),
  };
}

function lossChapter(losses: readonly ReviewLoss[], nameOf: NameOf): Chapter {
  return {
    title: "Deleted or overwritten, and not managed by this stack",
    what: "unmanaged objects",
    count: sumUp(losses, ({ places }) => places.length),
    share: 16_000,
    entries: losses.map(({ kind, fate, label, places, by, content }): Entry => {
      const noun = kind === "rule" ? "WAF rule" : "policy";
      const [first] = places;
      const all = places.map(({ zone, id = "?" }) => `${nameOf(zone)}/${id}`);
      const inZones = pluralize(new Set(places.map(({ zone }) => zone)).size, "zone");
      const where: Inline[] =
        first && places.length === 1
          ? [", zone ", { code: nameOf(first.zone) }, ", id ", { code: first.id ?? "?" }]
          : [`, ${places.length} in ${inZones}: `, { names: all, isCode: true, isWhole: true }];
      const verb = fate === "maybe deleted" ? "may be deleted" : fate;
      const head = line(
        { strong: label === "" ? `${noun} without a description` : `${noun} "${label}"` },
        ` ${verb} by `,
        ...[{ names: subjectsByKind(by) }, ...where],
      );
      const table = makeTable(content, {
        property: ([name]) => ({ code: name }),
        is: ([, text]) => ({ code: text, isWhole: true }),
      });
      return { lines: [head], table };
    }),
  };
}

function makeEntry(one: ReviewEntry, nameOf: NameOf, isFleet = false): Entry {
  const { op, subjects, zones, code, text = "", differences = [] } = one;
  // Outside a fleet, the text of a finding about a single zone needs no list of zones.
  const isAlone = zones.length < (op === undefined && !isFleet ? 2 : 1);
  const where: Inline[] = isAlone
    ? []
    : [
        zones.length === 1 ? ", zone " : `, the same in ${zones.length} zones: `,
        { names: zones.map(nameOf), isCode: true },
      ];
  const head: Inline[] =
    subjects.length === 0
      ? []
      : [{ names: subjectsByKind(subjects), isStrong: true }, ...place(one), ...where];
  const [first, ...rest] = splitLines(text);
  const end: Inline[] = code === undefined ? [] : [" ", { tag: code }];
  const lines = [
    line(...head, ...(first && head.length > 0 ? [": "] : []), ...(first?.parts ?? [])),
    ...rest,
  ];
  const last = lines.pop() ?? line();
  return {
    lines: [...lines, { ...last, parts: [...last.parts, ...end] }],
    ...(differences.length > 0 && { table: differenceTable(differences, one.isPast) }),
  };
}

function differenceTable(differences: readonly ReviewDifference[], isPast = false) {
  const side =
    (of: "before" | "after") =>
    ({ [of]: text }: ReviewDifference) =>
      text === undefined ? null : { code: text };
  // If all properties are added, or all removed, one column is enough.
  const sides = differences.every(({ before }) => before === undefined)
    ? { value: side("after") }
    : differences.every(({ after }) => after === undefined)
      ? { was: side("before") }
      : isPast
        ? { was: side("before"), is: side("after") }
        : { is: side("before"), becomes: side("after") };
  return makeTable<ReviewDifference>(differences, { property: ({ path }) => ({ code: path }), ...sides });
}

/** Returns the position of a declaration in brackets, or nothing if it is not known. */
function place({ file, line: at }: Place): Inline[] {
  return file === undefined ? [] : [" (", { code: at === undefined ? file : `${file}:${at}` }, ")"];
}

/** Returns the subjects without repeating their kind: `CspPolicy a, b`. */
function subjectsByKind(subjects: readonly string[]): readonly string[] {
  const readKind = (subject = ""): string => subject.split(" ", 1)[0] ?? "";
  return subjects.map((subject, at) =>
    at > 0 && readKind(subjects[at - 1]) === readKind(subject)
      ? subject.slice(readKind(subject).length + 1)
      : subject,
  );
}
