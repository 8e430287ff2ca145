import { grouped } from "../../text/grouped";
import {
  type Cell,
  type Chapter,
  type Column,
  type Entry,
  entry,
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
  type ReviewHost,
  type ReviewLoss,
  type ReviewMigration,
  type ReviewNote,
  type ReviewPart,
  type ReviewRule,
  type ReviewZone,
  sidesOf,
  subjectsByKind,
  titleOfHosts,
} from "./review";

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

/** Each migration keeps its head, whatever else is left out; the same plan of several is shown once. */
function undoneChapter(migrations: readonly ReviewMigration[]): Chapter {
  const planned = migrations.filter(({ plan, remarks }) => plan.length + remarks.length > 0);
  const plans = grouped(planned, ({ plan, remarks }) => JSON.stringify([plan, remarks]));
  return {
    title: "This cannot be undone",
    look: "alarm",
    what: "migrations",
    entries: migrations.map(migrationEntry),
    details: [...plans.values()].map(planChapter),
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

function planChapter(migrations: readonly [ReviewMigration, ...ReviewMigration[]]): Chapter {
  const [{ plan, remarks }] = migrations;
  const names = migrations.map(({ name }) => name.replace(/^\S+ /, "")).join(", ");
  return {
    title: plan.length === 0 ? `What is said of ${names}` : `What is sent for ${names}`,
    ...(plan.length > 0 && { count: plan.length }),
    look: "folded",
    what: "rules that are sent",
    entries: remarks.length === 0 ? [] : [{ lines: remarks.flatMap(linesOf) }],
    ...(plan.length > 0 && { table: tableOf([...plan.entries()], ruleColumns) }),
  };
}

const ruleColumns: readonly Column<readonly [index: number, rule: ReviewRule]>[] = [
  { name: "rule", cell: ([index, { description }]) => `${index + 1}. ${description}` },
  {
    name: "does",
    cell: ([, { does, isEnabled }]) => [does, ...(isEnabled ? [] : [" ", { strong: "disabled" }])],
  },
  { name: "if", cell: ([, { condition }]) => ({ code: condition }) },
  { name: "overrides", cell: ([, { overrides }]) => linesCell(overrides) },
];

const fates = { deleted: "deleted", overwritten: "overwritten", "maybe deleted": "may be deleted" };

function lossChapter(losses: readonly ReviewLoss[]): Chapter {
  return {
    ...openChapter("Deleted or overwritten, and not managed by this stack", "objects of others"),
    count: losses.reduce((sum, { count }) => sum + count, 0),
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
          table: tableOf(content, [
            { name: "property", cell: ([name]) => ({ code: name }) },
            { name: "is", cell: ([, text]) => ({ code: text, isWhole: true }) },
          ]),
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

const zoneColumns: readonly Column<ReviewZone>[] = [
  { name: "zone", cell: (row) => ({ names: row.zones, isCode: true, isWhole: isGrave(row) }) },
  { name: "cannot be undone", cell: ({ undone }) => (undone === "" ? null : { strong: undone }) },
  { name: "of others", cell: ({ others }) => (others === "" ? null : { strong: others }) },
  { name: "weaker protection", cell: ({ weaker }) => (weaker.length === 0 ? null : { names: weaker }) },
  { name: "visitors lose", cell: ({ lost }) => lost || null },
  { name: "malicious let in", cell: ({ letIn }) => letIn || null },
  { name: "malicious kept out", cell: ({ malicious }) => malicious || null },
  { name: "changes", cell: ({ changes }) => changes || null },
];

function isGrave({ undone, others, weaker, lost, letIn, malicious }: ReviewZone): boolean {
  return [undone, others, lost, letIn, malicious].some((text) => text !== "") || weaker.length > 0;
}

function zoneChapter(zones: readonly ReviewZone[]): Chapter {
  const used = zoneColumns.filter(({ cell }) => zones.some((zone) => cell(zone) !== null));
  return {
    ...openChapter("By zone", "rows of zones"),
    count: zones.reduce((sum, { zones: ids }) => sum + ids.length, 0),
    table: tableOf(zones, used),
  };
}

const hostColumns: readonly Column<ReviewHost>[] = [
  { name: "would be blocked", cell: ({ host }) => ({ code: host }) },
  { name: "scripts", isNumber: true, cell: ({ scripts }) => scripts || null },
  { name: "connections", isNumber: true, cell: ({ connections }) => connections || null },
  { name: "malicious", isNumber: true, cell: ({ malicious }) => malicious || null },
  { name: "one URL, and why", cell: ({ url, reason }) => [{ code: url }, `: ${reason}`] },
  { name: "first seen on", cell: ({ firstPage }) => codeCell(firstPage) },
  { name: "last seen", cell: ({ lastSeen }) => codeCell(lastSeen) },
  { name: "by", cell: ({ by }) => ({ names: subjectsByKind(by) }) },
  { name: "in zones", cell: ({ zones }) => ({ names: zones, isCode: true }) },
];

function hostChapter(hosts: readonly ReviewHost[]): Chapter {
  const isMalicious = hosts.some(({ malicious }) => malicious > 0);
  const what = "Scripts and connections in use that policies would block.";
  const advice = 'Allow what is needed, or leave action at "log".';
  const malicious = isMalicious ? " What is malicious is counted apart: the policies are for that." : "";
  return {
    ...openChapter(titleOfHosts, "hosts that would be blocked", entry(`${what} ${advice}${malicious}`)),
    count: hosts.length,
    table: tableOf(
      hosts,
      hostColumns.filter(({ name }) => isMalicious || name !== "malicious"),
    ),
  };
}
