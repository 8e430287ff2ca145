import fc from "fast-check";
import type { FaultSpec, Plan, WafSeed } from "../../../../simulator/src";
import type { Death } from "./pipeline";

/** One operation, and what befalls it. */
export interface Attack {
  readonly faults: readonly FaultSpec[];
  readonly death?: Death | undefined;
}

export type Step =
  | ({ readonly act: "up" } & Attack)
  /** The CLI dies; its provider goes on and finishes, unsaved, while the next steps run. */
  | ({ readonly act: "orphan"; readonly aheadMs: number } & Attack)
  /** Both from the state that the stack has now, or the second one as a new stack. */
  | {
      readonly act: "two ups";
      readonly first: Attack;
      readonly second: Attack;
      readonly isOtherStack: boolean;
      /** How much later the second one starts. */
      readonly apartMs: number;
      readonly keeps: "first" | "second";
      readonly paces: readonly [readonly number[], readonly number[]];
    }
  | ({ readonly act: "refresh" } & Attack)
  | { readonly act: "next stage" | "lose state" | "finish in the dashboard" | "become ineligible" }
  /** Somebody works on the rules while both WAFs are at work. */
  | { readonly act: "edit"; readonly what: "change" | "delete" | "reorder" | "clear"; readonly rule: number }
  | { readonly act: "restore backup"; readonly age: number }
  | { readonly act: "wait"; readonly ms: number };

export interface Scenario {
  readonly plan: Plan;
  readonly waf: WafSeed;
  /** What the program declares, one after the other. */
  readonly stages: readonly Readonly<Record<string, unknown>>[];
  readonly timeoutMinutes: number;
  readonly steps: readonly Step[];
}

/** A rule of the managed ruleset that the program overrides. */
const override = {
  rulesetId: "efb7b8c949ac4650a09736fc376e9aee",
  ruleId: "0123456789abcdef0123456789abcdef",
  action: "log",
};

const route = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ method: "PUT" }) },
  fc.constantFrom(
    { method: "GET", path: "/waf_migration/check" },
    { method: "GET", path: "/waf_migration/status" },
    { method: "GET", path: "/waf_migration/config" },
    { method: "GET", path: "/entrypoint" },
    { method: "GET" },
    {},
  ),
);

type Breakage = Pick<FaultSpec, "kind"> & Record<string, unknown>;
const breakage = fc.constantFrom<Breakage>(
  { kind: "reset-after" },
  { kind: "reset-after" },
  { kind: "reset-before" },
  { kind: "hang" },
  { kind: "hang", when: "after" },
  { kind: "500", when: "after" },
  { kind: "502", when: "after" },
  { kind: "503" },
  { kind: "status", status: 504, when: "after" },
  { kind: "429", retryAfter: 2 },
  { kind: "429" },
  { kind: "truncate" },
  { kind: "html" },
  { kind: "html", when: "after" },
  { kind: "html", status: 502, when: "after" },
  { kind: "success-false" },
  { kind: "success-false", when: "after" },
  { kind: "status", status: 403 },
);

const fault = fc
  .record({ route, breakage, skip: fc.integer({ min: 0, max: 5 }), count: fc.integer({ min: 1, max: 5 }) })
  // On the one request that is never repeated the first hit is the one that counts.
  .map(({ route: where, breakage: how, skip, count }) => {
    const isPut = "method" in where && where.method === "PUT";
    return { ...where, ...how, skip: isPut ? 0 : skip, count: isPut ? 1 : count } as FaultSpec;
  });

const death = fc.option(
  fc.record({
    request: fc.integer({ min: 0, max: 14 }),
    side: fc.constantFrom("before" as const, "after" as const),
  }),
  { nil: undefined, freq: 2 },
);
const attack = fc.record({ faults: fc.array(fault, { maxLength: 3 }), death });
const pace = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 5 });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: attack.map((what) => ({ act: "up" as const, ...what })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(attack, fc.constantFrom(30, 100, 400, 3000))
      .map(([what, aheadMs]) => ({ act: "orphan" as const, aheadMs, ...what })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant("two ups" as const),
      first: attack,
      second: attack,
      isOtherStack: fc.boolean(),
      apartMs: fc.constantFrom(0, 10, 100, 2000, 20_000),
      keeps: fc.constantFrom("first" as const, "second" as const),
      paces: fc.tuple(pace, pace),
    }),
  },
  { weight: 3, arbitrary: attack.map((what) => ({ act: "refresh" as const, ...what })) },
  { weight: 3, arbitrary: fc.constant({ act: "next stage" as const }) },
  { weight: 2, arbitrary: fc.constant({ act: "lose state" as const }) },
  { weight: 1, arbitrary: fc.constant({ act: "finish in the dashboard" as const }) },
  { weight: 1, arbitrary: fc.constant({ act: "become ineligible" as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant("edit" as const),
      what: fc.constantFrom("change" as const, "delete" as const, "reorder" as const, "clear" as const),
      rule: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant("restore backup" as const),
      age: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant("wait" as const), ms: fc.constantFrom(500, 20_000, 600_000) }),
  },
);

const stateNames = fc.constantFrom(
  { old: "start", validation: "validation", finishing: "pending", new: "done" },
  { old: "start", validation: "validating", finishing: "in_progress", new: "finished" },
  { old: "start", validation: "2", finishing: "1", new: "completed" },
  // Names that tell nothing, or the same at all times.
  { old: "start", validation: "start", finishing: "start", new: "start" },
  { old: "start", validation: "phase-b", finishing: "phase-c", new: "phase-d" },
  { old: "x0", validation: "x1", finishing: "x2", new: "x3" },
);

const statusValues = fc.constantFrom<NonNullable<WafSeed["statusValues"]>>(
  { on: "enabled", off: "disabled" },
  { on: true, off: false },
  { on: "on", off: "off" },
  // Unreadable.
  { on: "A", off: "B" },
);

const waf = fc.record({
  finishMs: fc.constantFrom(0, 1000, 60_000, 900_000),
  validationMs: fc.constantFrom(0, 0, 1000, 120_000),
  lagMs: fc.constantFrom(0, 0, 1000, 20_000),
  afterFinish: fc.constantFrom("404" as const, "410" as const, "incompatible" as const),
  answer: fc.constantFrom("ruleset" as const, "null" as const),
  repeats: fc.constantFrom("refuse" as const, "accept" as const),
  oldEnabled: fc.constantFrom(true, true, true, false),
  firewallRules: fc.constantFrom(0, 3),
  owasp: fc.boolean(),
  stateNames,
  statusValues,
});

const straight = [{ stage: "finished" }];
const adjusted = [
  { stage: "validation" },
  { stage: "validation", ruleOverrides: [override] },
  { stage: "finished", ruleOverrides: [override] },
];

/** A zone, a program that is edited now and then, and what goes wrong meanwhile. */
export const scenario: fc.Arbitrary<Scenario> = fc
  .constantFrom<Plan>("enterprise", "enterprise", "pro")
  .chain((plan) =>
    fc.record({
      plan: fc.constant(plan),
      waf,
      stages: fc.constantFrom(
        ...(plan === "pro" ? [straight] : [straight, adjusted, [{ stage: "validation" }, ...straight]]),
      ),
      timeoutMinutes: fc.constantFrom(2, 1),
      steps: fc.array(step, { minLength: 1, maxLength: 7 }),
    }),
  );
