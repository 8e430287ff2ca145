import { grouped } from "../../text/grouped";
import {
  type Chapter,
  type Column,
  type Entry,
  type Inline,
  line,
  linesCell,
  linesOf,
  place,
  tableOf,
} from "../blocks/document";
import type { ReviewMigration, ReviewRule } from "./review";

/** Each migration keeps its head, whatever else is left out; the same plan of several is shown once. */
export function undoneChapter(migrations: readonly ReviewMigration[]): Chapter {
  const planned = migrations.filter(({ plan, remarks }) => plan.length + remarks.length > 0);
  const plans = grouped(planned, ({ plan, remarks }) => JSON.stringify([plan, remarks]));
  return {
    title: "This cannot be undone",
    look: "alarm",
    what: "migrations",
    entries: migrations.map(headOf),
    details: [...plans.values()].map(planChapter),
  };
}

function headOf(migration: ReviewMigration): Entry {
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
