import { type Chapter, type Entry, type Inline, line, linesOf, place, type Table } from "../blocks/document";
import {
  type Review,
  type ReviewChange,
  type ReviewHost,
  type ReviewLoss,
  type ReviewNote,
  type ReviewPart,
  type ReviewZone,
  sidesOf,
  subjectsByKind,
  titleOfHosts,
} from "./review";
import { undoneChapter } from "./undone";

/** A review in the order of reading: what cannot be undone, what stops it, where, and then each change. */
export function chaptersOf({ undone, losses, zones, hosts, parts }: Review): readonly Chapter[] {
  return [
    ...(undone.length > 0 ? [undoneChapter(undone)] : []),
    ...(losses.length > 0 ? [lossChapter(losses)] : []),
    ...parts.filter(({ isUrgent }) => isUrgent).map(partChapter),
    ...(zones.length > 0 ? [zoneChapter(zones)] : []),
    ...(hosts.length > 0 ? [hostChapter(hosts)] : []),
    ...parts.filter(({ isUrgent }) => !isUrgent).map(partChapter),
  ];
}

/** Nothing changes, and nothing is reported. */
export function isQuiet({ isUnchanged }: Review, chapters: readonly Chapter[]): boolean {
  return isUnchanged && chapters.length === 0;
}

const fates = { deleted: "deleted", overwritten: "overwritten", "maybe deleted": "may be deleted" };

function lossChapter(losses: readonly ReviewLoss[]): Chapter {
  return {
    title: "Deleted or overwritten, and not managed by this stack",
    count: losses.reduce((sum, { count }) => sum + count, 0),
    look: "open",
    what: "objects of others",
    share: 16_000,
    entries: losses.map(({ kind, fate, label, places, by, content, note }): Entry => {
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
          ...(note === undefined ? [] : linesOf(note)),
        ],
        ...(content.length > 0 && {
          table: {
            heads: [{ name: "property" }, { name: "is" }],
            rows: content.map(([name, text]) => [[{ code: name }], [{ code: text, isWhole: true }]]),
          },
        }),
      };
    }),
  };
}

function nameOf(kind: ReviewLoss["kind"], label: string | undefined): string {
  const noun = kind === "rule" ? "WAF rule" : "policy";
  if (label === undefined) return kind === "rule" ? "WAF rules" : "policies";
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
      : [zones.length === 1 ? ", zone " : ", zones ", { names: zones, isCode: true }]),
    ...(isProtected ? [", protected"] : []),
  );
  if (differences.length === 0) return { lines: [head] };
  const sides = sidesOf(differences);
  const rows = differences.map(({ path, before, after }): Table["rows"][number] => {
    const texts = { value: after, was: before, is: before, becomes: after };
    return [[{ code: path }], ...sides.map((side) => cellOf(texts[side]))];
  });
  return { lines: [head], table: { heads: ["property", ...sides].map((name) => ({ name })), rows } };
}

function cellOf(text: string | undefined): Inline[] {
  return text === undefined ? [] : [{ code: text }];
}

/** Columns in which no zone has anything are left out. */
function zoneChapter(zones: readonly ReviewZone[]): Chapter {
  const cells = zones.map(({ zones: ids, changes, undone, others, weaker, lost, letIn, malicious }) => {
    const isGrave = [undone, others, lost, letIn, malicious].some((text) => text !== "") || weaker.length > 0;
    return [
      ["zone", [{ names: ids, isCode: true, isWhole: isGrave }]],
      ["cannot be undone", undone === "" ? [] : [{ strong: undone }]],
      ["of others", others === "" ? [] : [{ strong: others }]],
      ["weaker protection", weaker.length === 0 ? [] : [{ names: weaker }]],
      ["visitors lose", lost === "" ? [] : [lost]],
      ["malicious let in", letIn === "" ? [] : [letIn]],
      ["malicious kept out", malicious === "" ? [] : [malicious]],
      ["changes", changes === "" ? [] : [changes]],
    ] as const;
  });
  const heads = (cells[0] ?? []).map(([name]) => name);
  const used = heads.filter((_, column) => cells.some((row) => (row[column]?.[1].length ?? 0) > 0));
  return {
    title: "By zone",
    count: zones.reduce((sum, { zones: ids }) => sum + ids.length, 0),
    look: "open",
    what: "rows of zones",
    entries: [],
    table: {
      heads: used.map((name) => ({ name })),
      rows: cells.map((row) => row.filter(([name]) => used.includes(name)).map(([, parts]) => [...parts])),
    },
  };
}

function hostChapter(hosts: readonly ReviewHost[]): Chapter {
  const isMalicious = hosts.some(({ malicious }) => malicious > 0);
  const number = (count: number): Inline[] => (count === 0 ? [] : [String(count)]);
  const rows = hosts.map(
    ({ host, scripts, connections, malicious, url, reason, firstPage, lastSeen, by, zones }): Inline[][] => [
      [{ code: host }],
      number(scripts),
      number(connections),
      ...(isMalicious ? [number(malicious)] : []),
      [{ code: url }, `: ${reason}`],
      firstPage === undefined ? [] : [{ code: firstPage }],
      lastSeen === undefined ? [] : [{ code: lastSeen }],
      [{ names: subjectsByKind(by) }],
      [{ names: zones, isCode: true }],
    ],
  );
  const advice = 'Allow what is needed, or leave action at "log".';
  const malicious = " What is malicious is counted apart: the policies are for that.";
  return {
    title: titleOfHosts,
    count: hosts.length,
    look: "open",
    what: "hosts that would be blocked",
    entries: [
      {
        lines: [
          line(
            `Scripts and connections in use that policies would block. ${advice}${isMalicious ? malicious : ""}`,
          ),
        ],
      },
    ],
    table: {
      heads: [
        { name: "would be blocked" },
        { name: "scripts", isNumber: true },
        { name: "connections", isNumber: true },
        ...(isMalicious ? [{ name: "malicious", isNumber: true }] : []),
        { name: "one URL, and why" },
        { name: "first seen on" },
        { name: "last seen" },
        { name: "by" },
        { name: "in zones" },
      ],
      rows,
    },
  };
}
