import fc from "fast-check";
import type { FaultSpec } from "../../../simulator/src";
import type { Death } from "../../provider/small-engine/mortal";
import type { ChangedDeclaration, Edit } from "./edits";
import { shortAnswer } from "./random-attack";
import { often, one, policy, programsOf, type Subject } from "./random-program";
import { type Act, calm, type Step } from "./story";

type Where = Pick<FaultSpec, "method" | "path" | "query"> & { readonly skip?: number };
type How = Pick<FaultSpec, "kind"> & Record<string, unknown>;

export const up = {
  act: "up" as const,
  parallel: false,
  replace: [],
  replaceOnChanges: [],
  isDeletedFirst: false,
  refresh: false,
  isTakenBack: false,
};

/** Requests of each kind that a lasting fault can hit. */
const routes: Readonly<Record<keyof Subject["kinds"], readonly Where[]>> = {
  settings: [{ method: "PUT" }],
  // The first route is an update or a deletion.
  policy: [{ path: "/policies/" }, { path: "/policies/" }, { method: "POST" }],
  set: [{ path: "/policies/" }, { path: "/policies/" }, { method: "POST" }, { path: "/policies", skip: 1 }],
  // Two reads come first, then the write and the read after it.
  entry: [{ method: "PUT" }, { path: "/entrypoint", skip: 2 }, { path: "/entrypoint", skip: 2 }],
  // Three reads come first, then the update and the reads after it.
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

/** Returns episodes: a few related steps that rarely occur in this order by chance. */
export function episodesOf(subject: Subject): fc.Arbitrary<readonly Step[]> {
  const { edit, changedDeclaration, removal } = programsOf(subject);
  const edits: fc.Arbitrary<readonly Edit[]> = fc.oneof(
    often(5, fc.tuple(changedDeclaration)),
    often(1, fc.tuple(removal)),
    often(1, fc.tuple(edit, edit)),
  );

  /** A change that keeps failing, and in most cases a program that undoes it. */
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

  /** Another name, key, place or `onDestroy` for the same content, which sometimes replaces the resource. */
  const alteration: fc.Arbitrary<readonly Step[]> = fc
    .record({
      edit: fc.oneof(
        fc.record({ rename: fc.nat(5) }),
        fc.record({ turn: fc.nat(5) }),
        fc.record({ swap: fc.nat(5) }),
        often(subject.kinds.set ? 2 : 0, fc.record({ rekey: fc.nat(5) })),
      ),
      replaceOnChanges: one([], [], [0, 1, 2]),
      isDeletedFirst: fc.boolean(),
      refresh: one(false, false, true),
      parallel: fc.boolean(),
    })
    .map(({ edit: alone, ...options }) => [{ ...up, ...options, edits: [alone], attack: calm }]);

  /** A destroy that keeps failing, whether it was carried out or not, and then another destroy. */
  const failedDestroy: fc.Arbitrary<readonly Step[]> = lastingFault(subject, one(0, 1)).map((fault) => [
    { act: "destroy", attack: { faults: [{ ...fault, skip: Math.min(fault.skip ?? 0, 1) }] } },
    { act: "destroy", attack: calm },
  ]);

  /** Answers to writes that do not contain what was written. */
  const shortAnswers: fc.Arbitrary<readonly Step[]> = edits.map((changes) => [
    { ...up, edits: changes, attack: { faults: [{ method: "PUT", count: 9, ...shortAnswer }] } },
  ]);

  /** Somebody copies the stack's only rule, a refresh sees the copy, the stack's rule is deleted, and the program changes. */
  const lookalike: fc.Arbitrary<readonly Step[]> = fc
    .record({
      zone: subject.ruleZone,
      copied: one(0, 0, 1),
      deleted: one(0, 0, 0, 1, 2),
      edits,
      first: withRules(changedDeclaration, 1),
    })
    .map(({ zone, copied, deleted, edits: changes, first }) => [
      first,
      { act: "twin rule", zone, place: copied },
      { ...up, edits: [], refresh: true, attack: calm },
      { act: "delete rule", zone, place: deleted },
      { ...up, edits: changes, attack: calm },
    ]);

  /** Like `lookalike`, but the stack's rule is deleted during an update: after an unclear write and before the next read. */
  const lookalikeMeanwhile: fc.Arbitrary<readonly Step[]> = fc
    .record({
      zone: subject.ruleZone,
      deleted: one(0, 1, 1, 1),
      changes: fc.oneof(edits, one([{ swap: 0 }])),
      first: withRules(changedDeclaration, 2),
    })
    .map(({ zone, deleted, changes, first }) => {
      const meanwhile: Act = { act: "delete rule", zone, place: deleted };
      const unclear: FaultSpec = { method: "PUT", path: "/entrypoint", kind: "reset-after", count: 1 };
      return [
        first,
        { act: "twin rule", zone, place: 0 },
        { ...up, edits: [], refresh: true, attack: calm },
        { ...up, edits: changes, attack: { faults: [unclear], meanwhile } },
      ];
    });

  /** A finish without an answer, whether it was carried out or not. In most cases, the reads after it fail too. */
  const lostFinish: fc.Arbitrary<readonly Step[]> = fc
    .record({
      kind: one("reset-after" as const, "truncate" as const, "reset-before" as const),
      blind: one(true, true, false),
      first: one<readonly Step[]>([], [{ act: "lose state" }]),
      between: one<readonly Step[]>([], [{ act: "wait", ms: 500 }], [{ act: "refresh", attack: calm }]),
    })
    .map(({ kind, blind, first, between }) => {
      const lost: FaultSpec = { query: "waf_migration", kind, count: 30 };
      const unseen: FaultSpec = {
        method: "GET",
        path: "/entrypoint",
        skip: 3,
        kind: "reset-before",
        count: 30,
      };
      const finish: Edit = { kind: "migration", name: "m1", zone: "m", stage: "finished" };
      return [
        ...first,
        { ...up, edits: [finish], attack: { faults: blind ? [lost, unseen] : [lost] } },
        ...between,
        { ...up, edits: [], attack: calm },
      ];
    });

  /** The machine dies near the finishing request and starts again at once: the state lacks the attempt, and reads may lag. */
  const killedFinish: fc.Arbitrary<readonly Step[]> = fc
    .record({
      request: fc.integer({ min: 8, max: 20 }),
      first: one<readonly Step[]>([], [{ act: "wait", ms: 61_000 }]),
    })
    .map(({ request, first }) => {
      const finish: Edit = { kind: "migration", name: "m1", zone: "m", stage: "finished" };
      return [
        ...first,
        { ...up, edits: [finish], attack: { faults: [], death: { request, side: "after" as const } } },
        { ...up, edits: [], attack: calm },
      ];
    });

  /** Policies that differ only in their names move between resources, with or without an interruption, and in most cases back. */
  const moves: fc.Arbitrary<readonly Step[]> = fc
    .record({
      zone: subject.zone,
      content: policy,
      moved: fc.array(fc.record({ move: fc.nat(11) }), { minLength: 1, maxLength: 3 }),
      death: one<Death | undefined>(undefined, { step: 1 }, { step: 2 }, { step: 3 }),
      parallel: fc.boolean(),
      between: one<readonly Step[]>(
        [],
        [],
        [{ act: "refresh", attack: calm }],
        [{ act: "destroy", attack: calm }],
      ),
      isTakenBack: one(true, true, false),
      edits: fc.oneof(one<readonly Edit[]>([]), edits),
    })
    .map(({ zone, content, moved, death, parallel, between, isTakenBack, edits: changes }) => {
      const entry = { ...content, description: undefined };
      const sets = [
        ["t1", "k1", "k2"],
        ["t2", "k2", "k3"],
      ].map(([name = "", ...keys]): Edit => {
        const policies = Object.fromEntries(keys.map((key) => [key, entry]));
        return { kind: "set", name, zone, policies, others: "keep" };
      });
      return [
        { ...up, edits: sets, attack: calm },
        { ...up, parallel, edits: moved, attack: { faults: [], death } },
        ...between,
        { ...up, edits: changes, isTakenBack, attack: calm },
      ];
    });

  const { entry = 0, settings = 0, migration = 0, set = 0 } = subject.kinds;
  return fc.oneof(
    often(6, failedChange),
    often(2, failedDestroy),
    often(3, alteration),
    often(entry + settings > 0 ? 2 : 0, shortAnswers),
    often(set > 0 ? 4 : 0, moves),
    often(entry > 0 ? 2 : 0, lookalike),
    often(entry > 0 ? 2 : 0, lookalikeMeanwhile),
    often(migration > 0 ? 2 : 0, lostFinish),
    often(migration > 0 ? 2 : 0, killedFinish),
  );
}

/** Returns a step that gives an entry point `count` rules without a `ref`, beside unmanaged rules. */
function withRules(changed: fc.Arbitrary<ChangedDeclaration>, count: number): fc.Arbitrary<Step> {
  return changed.map(({ change, place }) => {
    const rules = ["a", "b"].slice(0, count).map((name) => ({ name, edition: 1 }));
    const edit = change.kind === "entry" ? { ...change, rules, foreignRules: "keep" as const } : change;
    return { ...up, edits: [{ change: edit, place }], attack: calm };
  });
}
