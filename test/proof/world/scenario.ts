import fc from "fast-check";
import type { WafSeed } from "../../../simulator/src";
import { episodesOf, up } from "./episodes";
import { unreadable } from "./migration-book";
import { actsOn, attackOn } from "./random-attack";
import {
  everything,
  maybe,
  often,
  one,
  policy,
  programsOf,
  rules,
  type Subject,
  single,
} from "./random-program";
import { calm, type Found, type Scenario, type Step } from "./story";

/** Numbers of declarations; in most cases none. */
const places = fc.oneof(
  often(4, fc.constant([])),
  often(1, fc.array(fc.nat(5), { minLength: 1, maxLength: 2 })),
);

function stepsOf(subject: Subject): fc.Arbitrary<Step> {
  const { edit } = programsOf(subject);
  const edits = (maxLength: number) => fc.array(edit, { maxLength });
  const attack = attackOn(subject);
  return fc.oneof(
    often(
      9,
      fc.record({
        act: one("up" as const),
        edits: edits(3),
        isTakenBack: one(false, false, false, true),
        refresh: one(false, false, false, true),
        parallel: fc.boolean(),
        replace: places,
        replaceOnChanges: places,
        isDeletedFirst: fc.boolean(),
        attack,
      }),
    ),
    often(1, fc.record({ act: one("refresh" as const), attack })),
    often(1, fc.record({ act: one("destroy" as const), attack })),
    often(1, fc.record({ act: one("preview" as const), edits: edits(3) })),
    often(1, fc.constant({ act: "lose state" as const })),
    often(1, fc.record({ act: one("restore backup" as const), age: fc.integer({ min: 1, max: 3 }) })),
    often(1, fc.record({ act: one("wait" as const), ms: one(500, 61_000, 3_600_000) })),
    often(5, actsOn(subject)),
    often(
      subject.kinds.migration ? 1 : 0,
      fc.record({
        act: one("finish migration" as const, "become ineligible" as const),
        zone: one("m" as const),
      }),
    ),
  );
}

const found: fc.Arbitrary<Found> = fc.record({
  policies: fc.array(policy, { maxLength: 1 }),
  rules: maybe(rules, 4),
  switches: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
});

/** Migration of zone `m`: its durations, and how much the service reports about it. */
const waf: fc.Arbitrary<WafSeed> = fc.record({
  finishMs: one(0, 60_000, 300_000),
  validationMs: one(0, 0, 1000, 120_000),
  lagMs: one(0, 0, 20_000),
  lagsEverywhere: fc.boolean(),
  afterFinish: one("404", "410", "incompatible"),
  answer: one("ruleset", "null"),
  repeats: one("refuse", "accept"),
  oldEnabled: one(true, true, true, false),
  owasp: fc.boolean(),
  stateNames: one(
    { old: "start", validation: "validation", finishing: "pending", new: "done" },
    { old: "start", validation: "2", finishing: "1", new: "completed" },
    // These names do not tell the stage: all are equal, or none has a meaning.
    { old: "start", validation: "start", finishing: "start", new: "start" },
    { old: "x0", validation: "x1", finishing: "x2", new: "x3" },
  ),
  statusValues: one<NonNullable<WafSeed["statusValues"]>>(
    { on: "enabled", off: "disabled" },
    { on: true, off: false },
    unreadable,
  ),
});

interface Shape {
  readonly mostDeclared: number;
  /** Maximum number of steps or episodes. */
  readonly mostSteps: number;
  /** Weight of episodes; single steps have the weight 5. */
  readonly episodes: number;
  /** Whether the first update works in most cases. */
  readonly isQuiet: boolean;
}

/** Returns scenarios: initial zones, a program with edits, and faults. */
function scenarioOf(
  subject: Subject,
  { mostDeclared, mostSteps, episodes, isQuiet }: Shape,
): fc.Arbitrary<Scenario> {
  const { declaration } = programsOf(subject);
  const attack = attackOn(subject);
  const steps: fc.Arbitrary<readonly Step[]> = fc.oneof(
    often(
      5,
      stepsOf(subject).map((step) => [step]),
    ),
    often(episodes, episodesOf(subject)),
  );
  return fc
    .record({
      found: fc.tuple(found, found, found),
      waf,
      gateway: one<Scenario["gateway"]>("plain", "plain", "repeats deletes"),
      isPatient: fc.boolean(),
      first: fc.array(declaration, { minLength: 1, maxLength: mostDeclared }),
      start: isQuiet ? fc.oneof(often(2, fc.constant(calm)), often(1, attack)) : attack,
      steps: fc.array(steps, { minLength: isQuiet ? 1 : 0, maxLength: mostSteps }),
    })
    .map(({ first, start, steps: more, ...rest }): Scenario => {
      const begin: Step = { ...up, parallel: true, edits: first, attack: start };
      // Use plain objects without undefined fields, so that a trace can be read.
      return JSON.parse(JSON.stringify({ ...rest, steps: [begin, ...more.flat()] }));
    });
}

/** Scenarios with all kinds. */
export const wholeScenario = scenarioOf(everything, {
  mostDeclared: 5,
  mostSteps: 4,
  episodes: 1,
  isQuiet: false,
});

/** Form of stories about one kind in one zone, in which later events do not hide a fault. */
const shape: Shape = { mostDeclared: 3, mostSteps: 3, episodes: 10, isQuiet: true };
export const scenario: fc.Arbitrary<Scenario> = fc.oneof(
  often(9, wholeScenario),
  ...single.map(({ weight, subject }) => ({ weight, arbitrary: scenarioOf(subject, shape) })),
);

/** Returns scenarios about one kind, by its name; about all kinds without a name. */
export function scenarioAbout(kind: string | undefined): fc.Arbitrary<Scenario> {
  if (!kind) return scenario;
  const chosen = single.find(({ subject }) => Object.keys(subject.kinds)[0] === kind);
  if (!chosen) throw new Error(`There are no stories about "${kind}" alone.`);
  return scenarioOf(chosen.subject, shape);
}
