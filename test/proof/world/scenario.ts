import fc from "fast-check";
import type { FaultSpec } from "../../../provider/src/simulator";
import { act, attack } from "./random-attack";
import { changedDeclaration, declaration, edit, maybe, one, policy, removal, rules } from "./random-program";
import { calm, type Found, type Scenario, type Step } from "./story";

const pace = fc.array(fc.nat(6), { minLength: 1, maxLength: 5 });
const edits = (maxLength: number) => fc.array(edit, { maxLength });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      act: one("up" as const),
      edits: edits(3),
      isTakenBack: one(false, false, false, true),
      refresh: one(false, false, false, true),
      parallel: fc.boolean(),
      replace: fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(fc.nat(5), { minLength: 1, maxLength: 2 }) },
      ),
      attack,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: one("two ups" as const),
      edits: edits(2),
      first: attack,
      second: attack,
      keeps: one("first" as const, "second" as const),
      paces: fc.tuple(pace, pace),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: one("refresh" as const), attack }) },
  { weight: 1, arbitrary: fc.record({ act: one("destroy" as const), attack }) },
  { weight: 1, arbitrary: fc.record({ act: one("preview" as const), edits: edits(3) }) },
  { weight: 1, arbitrary: fc.constant({ act: "lose state" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: one("restore backup" as const), age: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ act: one("wait" as const), ms: one(500, 61_000, 3_600_000) }),
  },
  { weight: 5, arbitrary: act },
);

/** A change that fails for good, done or not, and mostly a program that takes it back. */
const failedChange: fc.Arbitrary<readonly Step[]> = fc
  .record({
    edits: fc.array(
      fc.oneof(
        { weight: 1, arbitrary: edit },
        { weight: 4, arbitrary: changedDeclaration },
        { weight: 1, arbitrary: removal },
      ),
      { minLength: 1, maxLength: 2 },
    ),
    where: one<Pick<FaultSpec, "method" | "path">>(
      { method: "PUT" },
      { method: "POST" },
      { method: "DELETE" },
      { path: "/entrypoint" },
      { path: "/policies" },
    ),
    how: one<Pick<FaultSpec, "kind"> & Record<string, unknown>>(
      { kind: "reset-after" },
      { kind: "reset-after" },
      { kind: "truncate" },
      { kind: "status", status: 403 },
    ),
    skip: one(0, 0, 0, 1, 2),
    isTakenBack: one(true, true, true, false),
    refresh: one(false, false, true),
  })
  .map(({ edits: changes, where, how, skip, isTakenBack, refresh }) => {
    const fault = { ...where, ...how, skip, count: 9 } as FaultSpec;
    const up = { act: "up" as const, parallel: false, replace: [], refresh: false };
    const failed: Step = { ...up, edits: changes, isTakenBack: false, attack: { faults: [fault] } };
    const next: Step = { ...up, edits: [], isTakenBack, attack: calm };
    return refresh ? [failed, { act: "refresh", attack: calm }, next] : [failed, next];
  });
const steps: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 5, arbitrary: step.map((single) => [single]) },
  { weight: 1, arbitrary: failedChange },
);

const found: fc.Arbitrary<Found> = fc.record({
  policies: fc.array(policy, { maxLength: 1 }),
  rules: maybe(rules, 4),
  switches: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
});

/** Zones as they are found, a program that is edited now and then, and what goes wrong meanwhile. */
export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    found: fc.tuple(found, found, found),
    waf: fc.record({
      finishMs: one(0, 60_000),
      lagMs: one(0, 0, 20_000),
      answer: one<"ruleset" | "null">("ruleset", "null"),
    }),
    gateway: one<Scenario["gateway"]>("plain", "plain", "repeats deletes"),
    first: fc.array(declaration, { minLength: 1, maxLength: 5 }),
    start: attack,
    steps: fc.array(steps, { maxLength: 4 }),
  })
  .map(({ first, start, steps: more, ...rest }): Scenario => {
    const begin: Step = {
      act: "up",
      edits: first,
      isTakenBack: false,
      refresh: false,
      parallel: true,
      replace: [],
      attack: start,
    };
    // Plain objects, without what is undefined: so a trace reads as it is.
    return JSON.parse(JSON.stringify({ ...rest, steps: [begin, ...more.flat()] }));
  });
