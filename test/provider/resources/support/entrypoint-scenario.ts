import fc from "fast-check";
import type { FaultSpec } from "../../../../simulator/src";
import type { Death } from "../../small-engine/mortal";
import { type ShortRule, shortRules } from "../../small-engine/short-rule";

/** What goes wrong in a step. */
export interface Attack {
  readonly faults: readonly FaultSpec[];
  readonly death?: Death | undefined;
  /** Somebody adds a rule in the middle: when a write was processed. */
  readonly meanwhile: boolean;
}

export interface Program {
  readonly rules: readonly ShortRule[];
  readonly foreignRules: "refuse" | "keep" | "overwrite";
  readonly name?: string | undefined;
}

export type Step =
  | {
      readonly act: "up";
      readonly program: Program;
      readonly how: "plain" | "refresh";
      readonly attack: Attack;
    }
  | { readonly act: "refresh"; readonly attack: Attack }
  | { readonly act: "destroy"; readonly attack: Attack }
  | { readonly act: "add"; readonly place: number; readonly content?: ShortRule | undefined }
  | { readonly act: "twin" | "delete" | "edit"; readonly place: number }
  | { readonly act: "move"; readonly from: number; readonly to: number };

export interface Scenario {
  /** Undefined: the zone was never configured. */
  readonly found: readonly ShortRule[] | undefined;
  readonly steps: readonly Step[];
}

const content: fc.Arbitrary<ShortRule> = fc.record({
  name: fc.constantFrom("a", "b", "c", "run"),
  edition: fc.constantFrom(1, 1, 2),
  ref: fc.option(fc.constantFrom("r1", "r2"), { nil: undefined, freq: 2 }),
});

const program: fc.Arbitrary<Program> = fc.record({
  rules: shortRules(content, 3),
  foreignRules: fc.constantFrom("refuse", "keep", "keep", "overwrite"),
  name: fc.option(fc.constant("ours"), { nil: undefined }),
});

const fault: fc.Arbitrary<FaultSpec> = fc
  .record({
    method: fc.constantFrom("PUT", "PUT", "GET"),
    path: fc.constant("entrypoint"),
    skip: fc.nat(2),
    count: fc.constantFrom(1, 1, 5),
    how: fc.constantFrom(
      { kind: "reset-before" },
      { kind: "reset-after" },
      { kind: "503", when: "before" },
      { kind: "503", when: "after" },
      { kind: "status", status: 403 },
      { kind: "missing-fields", fields: ["rules"] },
      { kind: "html", status: 502, when: "after" },
    ) as fc.Arbitrary<Pick<FaultSpec, "kind">>,
  })
  // A read without rules is one of an empty list: nobody could tell.
  .map(
    ({ how, ...route }) =>
      ({ ...route, ...how, ...(how.kind === "missing-fields" && { method: "PUT" }) }) as FaultSpec,
  );

const calm: Attack = { faults: [], meanwhile: false };
const attack: fc.Arbitrary<Attack> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(calm) },
  {
    weight: 3,
    arbitrary: fc.record({
      faults: fc.array(fault, { maxLength: 2 }),
      death: fc.option(
        fc.record({
          request: fc.nat(4),
          side: fc.constantFrom("before", "after") as fc.Arbitrary<"before" | "after">,
        }),
        { nil: undefined },
      ),
      meanwhile: fc.boolean(),
    }),
  },
);

const place = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant("up" as const),
      program,
      how: fc.constantFrom("plain", "plain", "plain", "refresh"),
      attack,
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("refresh" as const), attack }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("destroy" as const), attack }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant("add" as const),
      place,
      content: fc.option(content, { nil: undefined, freq: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constantFrom("twin" as const, "delete" as const, "edit" as const),
      place,
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("move" as const), from: place, to: place }) },
);

export const scenario: fc.Arbitrary<Scenario> = fc.record({
  found: fc.option(shortRules(content, 3), { nil: undefined, freq: 6 }),
  steps: fc.array(step, { minLength: 1, maxLength: 7 }),
});
