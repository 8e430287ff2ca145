import fc from "fast-check";
import type { FaultSpec } from "../../../provider/src/simulator";
import type { ChangedDeclaration, Edit } from "./edits";
import { shortAnswer } from "./random-attack";
import { one, programsOf, type Subject } from "./random-program";
import { type Act, calm, type Step } from "./story";

type Where = Pick<FaultSpec, "method" | "path" | "query"> & { readonly skip?: number };
type How = Pick<FaultSpec, "kind"> & Record<string, unknown>;

const up = { act: "up" as const, parallel: false, replace: [], refresh: false, isTakenBack: false };

/** A write that fails for good, done or not. */
const routes: Readonly<Record<keyof Subject["kinds"], readonly Where[]>> = {
  settings: [{ method: "PUT" }],
  // The one: its update or its deletion.
  policy: [{ path: "/policies/" }, { path: "/policies/" }, { method: "POST" }],
  set: [{ path: "/policies/" }, { path: "/policies/" }, { method: "POST" }, { path: "/policies", skip: 1 }],
  // After two looks the write, and the look after it.
  entry: [{ method: "PUT" }, { path: "/entrypoint", skip: 2 }, { path: "/entrypoint", skip: 2 }],
  // After three looks the update, and the looks after it.
  migration: [{ query: "waf_migration" }, { path: "/entrypoint", skip: 3 }],
};

function lastingFault({ kinds }: Subject, skip: fc.Arbitrary<number>): fc.Arbitrary<FaultSpec> {
  const own = Object.entries(routes).flatMap(([kind, some]) =>
    kinds[kind as keyof Subject["kinds"]] ? some : [],
  );
  return fc
    .record({
      where: one<Where>(...own),
      how: one<How>(
        { kind: "reset-after" },
        { kind: "reset-after" },
        { kind: "reset-after" },
        { kind: "truncate" },
        { kind: "reset-before" },
        { kind: "status", status: 403 },
      ),
      skip,
    })
    .map(({ where, how, skip: passed }) => ({ skip: passed, count: 30, ...where, ...how }) as FaultSpec);
}

/** What rarely comes about by single steps: a few steps in a row that belong together. */
export function episodesOf(subject: Subject): fc.Arbitrary<readonly Step[]> {
  const { edit, changedDeclaration, removal } = programsOf(subject);
  const edits: fc.Arbitrary<readonly Edit[]> = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(changedDeclaration) },
    { weight: 1, arbitrary: fc.tuple(removal) },
    { weight: 1, arbitrary: fc.tuple(edit, edit) },
  );

  /** A change that fails for good, and mostly a program that takes it back. */
  const failedChange: fc.Arbitrary<readonly Step[]> = fc
    .record({
      edits,
      fault: lastingFault(subject, one(0, 0, 0, 0, 1)),
      isTakenBack: one(true, true, true, false),
      refresh: one(false, false, true),
    })
    .map(({ edits: changes, fault, isTakenBack, refresh }) => {
      const failed: Step = { ...up, edits: changes, attack: { faults: [fault] } };
      const next: Step = { ...up, edits: [], isTakenBack, attack: calm };
      return refresh ? [failed, { act: "refresh", attack: calm }, next] : [failed, next];
    });

  /** A destroy that fails for good, done or not, and another one. */
  const failedDestroy: fc.Arbitrary<readonly Step[]> = lastingFault(subject, one(0, 1)).map((fault) => [
    { act: "destroy", attack: { faults: [{ ...fault, skip: Math.min(fault.skip ?? 0, 1) }] } },
    { act: "destroy", attack: calm },
  ]);

  /** Answers to writes that do not show what was written. */
  const shortAnswers: fc.Arbitrary<readonly Step[]> = edits.map((changes) => [
    { ...up, edits: changes, attack: { faults: [{ method: "PUT", count: 9, ...shortAnswer }] } },
  ]);

  /** Somebody copies a rule, the stack sees it, and one of the two goes: before the program changes, or right then. */
  const lookalike: fc.Arbitrary<readonly Step[]> = fc
    .record({
      zone: subject.ruleZone,
      copied: fc.nat(2),
      deleted: fc.nat(3),
      edits: fc.oneof(edits, one([{ swap: 0 }])),
      isMeanwhile: fc.boolean(),
      first: fc.oneof(fc.constant([]), changedDeclaration.map(withOneRule)),
    })
    .map(({ zone, copied, deleted, edits: changes, isMeanwhile, first }) => {
      const deletes: Act = { act: "delete rule", zone, place: deleted };
      const unclear: FaultSpec = { method: "PUT", path: "/entrypoint", kind: "reset-after", count: 1 };
      return [
        ...first,
        { act: "twin rule", zone, place: copied },
        { ...up, edits: [], refresh: true, attack: calm },
        ...(isMeanwhile ? [] : [deletes]),
        { ...up, edits: changes, attack: isMeanwhile ? { faults: [unclear], meanwhile: deletes } : calm },
      ];
    });

  const { entry = 0, settings = 0 } = subject.kinds;
  return fc.oneof(
    { weight: 6, arbitrary: failedChange },
    { weight: 2, arbitrary: failedDestroy },
    { weight: entry + settings > 0 ? 2 : 0, arbitrary: shortAnswers },
    { weight: entry > 0 ? 2 : 0, arbitrary: lookalike },
  );
}

/** An entry point that is nothing but this one rule of the stack, beside those of others. */
function withOneRule({ change, place }: ChangedDeclaration): readonly Step[] {
  if (change.kind !== "entry") return [];
  const alone = { ...change, rules: change.rules.slice(0, 1), foreignRules: "keep" as const };
  return [{ ...up, edits: [{ change: alone, place }], attack: calm }];
}
