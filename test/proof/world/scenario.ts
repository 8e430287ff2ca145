import fc from "fast-check";
import type { FaultSpec } from "../../../provider/src/simulator";
import type { Death } from "../../small-engine/mortal";
import type {
  Declaration,
  Edit,
  EntryDeclaration,
  MigrationDeclaration,
  PolicyContent,
  PolicyDeclaration,
  RuleContent,
  SetDeclaration,
  SettingsDeclaration,
  Zone,
} from "./program";

/** What goes wrong in an operation. */
export interface Attack {
  readonly faults: readonly FaultSpec[];
  readonly death?: Death | undefined;
  /** What somebody does in the dashboard right when the first write was carried out. */
  readonly meanwhile?: Act | undefined;
}

/** Somebody at work in the dashboard. */
export type Act =
  | { readonly act: "add policy"; readonly zone: Zone; readonly like?: PolicyContent | undefined }
  | { readonly act: "delete policy" | "edit policy"; readonly zone: Zone; readonly place: number }
  | {
      readonly act: "add rule";
      readonly zone: "a" | "b";
      readonly place: number;
      readonly like?: RuleContent | undefined;
    }
  | {
      readonly act: "twin rule" | "delete rule" | "edit rule";
      readonly zone: "a" | "b";
      readonly place: number;
    }
  | { readonly act: "move rule"; readonly zone: "a" | "b"; readonly place: number; readonly to: number }
  | { readonly act: "switch"; readonly zone: Zone; readonly which: number };

export type Step =
  | {
      readonly act: "up";
      readonly edits: readonly Edit[];
      /** First the program goes back to what it was before the last one. */
      readonly isTakenBack: boolean;
      readonly refresh: boolean;
      readonly parallel: boolean;
      /** `--target-replace`. */
      readonly replace: readonly string[];
      readonly attack: Attack;
    }
  | {
      readonly act: "two ups";
      readonly edits: readonly Edit[];
      readonly first: Attack;
      readonly second: Attack;
      readonly keeps: "first" | "second";
      readonly paces: readonly [readonly number[], readonly number[]];
    }
  | { readonly act: "refresh"; readonly attack: Attack }
  | { readonly act: "destroy"; readonly attack: Attack }
  | { readonly act: "preview"; readonly edits: readonly Edit[] }
  | { readonly act: "lose state" }
  | { readonly act: "restore backup"; readonly age: number }
  | { readonly act: "wait"; readonly ms: number }
  | Act;

/** A zone as it is found. */
export interface Found {
  readonly policies: readonly PolicyContent[];
  /** Undefined: the entry point was never configured. */
  readonly rules: readonly RuleContent[] | undefined;
  readonly switches: readonly [boolean, boolean, boolean];
}

export interface Scenario {
  readonly found: readonly [Found, Found, Found];
  readonly waf: { readonly finishMs: number; readonly lagMs: number; readonly answer: "ruleset" | "null" };
  readonly steps: readonly Step[];
}

const one = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 1) => fc.option(arbitrary, { nil: undefined, freq });

const policy: fc.Arbitrary<PolicyContent> = fc.record({
  description: one("one", "two"),
  text: one(0, 0, 1, 2),
  action: one("log", "log", "log", "allow"),
  enabled: one(true, true, true, false),
});
const rule: fc.Arbitrary<RuleContent> = fc.record({
  name: one("a", "b", "c", "run"),
  edition: one(1, 1, 2),
  ref: maybe(one("r1", "r2")),
});

/** No ref twice: the service and the program's own check see to it. */
const rules: fc.Arbitrary<readonly RuleContent[]> = fc.array(rule, { maxLength: 3 }).map((list) => {
  const seen = new Set<string>();
  return list.map((content) => {
    if (content.ref === undefined || seen.has(content.ref)) return { ...content, ref: undefined };
    seen.add(content.ref);
    return content;
  });
});

const zone = one<Zone>("a", "a", "a", "b", "m");
const wafZone = one<"a" | "b">("a", "a", "b");

const settingsDeclaration: fc.Arbitrary<SettingsDeclaration> = fc.record({
  kind: one("settings"),
  name: one("s1", "s1", "s2"),
  zone,
  switches: fc.record({
    enabled: fc.boolean(),
    useVendorReportingEndpoint: maybe(fc.boolean()),
    useConnectionUrlPath: maybe(fc.boolean()),
  }),
  onDestroy: maybe(one("restore", "disable", "keep")),
});
const policyDeclaration: fc.Arbitrary<PolicyDeclaration> = fc.record({
  kind: one("policy"),
  name: one("p1", "p2", "p3"),
  zone,
  content: policy,
  onDestroy: maybe(one("delete", "keep")),
});
const setDeclaration: fc.Arbitrary<SetDeclaration> = fc.record({
  kind: one("set"),
  name: one("t1", "t1", "t2"),
  zone,
  policies: fc.dictionary(one("k1", "k2", "k3"), policy, { noNullPrototype: true }),
  others: one("keep", "keep", "keep", "refuse", "delete"),
  onDestroy: maybe(one("delete", "keep")),
});
const entryDeclaration: fc.Arbitrary<EntryDeclaration> = fc.record({
  kind: one("entry"),
  name: one("e1", "e1", "e2"),
  zone: wafZone,
  rules,
  foreignRules: one("keep", "keep", "refuse", "overwrite"),
  listName: maybe(one("ours"), 4),
  onDestroy: maybe(one("restore", "restore", "remove", "keep")),
});
const migrationDeclaration: fc.Arbitrary<MigrationDeclaration> = fc.record({
  kind: one("migration"),
  name: one("m1"),
  zone: one("m"),
  stage: one("validation", "finished"),
});

const declaration: fc.Arbitrary<Declaration> = fc.oneof(
  { weight: 2, arbitrary: settingsDeclaration },
  { weight: 4, arbitrary: policyDeclaration },
  { weight: 2, arbitrary: setDeclaration },
  { weight: 4, arbitrary: entryDeclaration },
  { weight: 1, arbitrary: migrationDeclaration },
);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 5, arbitrary: declaration },
  {
    weight: 1,
    arbitrary: one("s1", "s2", "p1", "p2", "p3", "t1", "t2", "e1", "e2").map((remove) => ({ remove })),
  },
);

/** The message with the token in it is made by the world, which alone knows the token. */
export const tokenMark = "TOKEN";

const breakage = one<Pick<FaultSpec, "kind"> & Record<string, unknown>>(
  { kind: "reset-before" },
  { kind: "reset-after" },
  { kind: "reset-after" },
  { kind: "503", when: "before" },
  { kind: "503", when: "after" },
  { kind: "500", when: "after" },
  { kind: "429", retryAfter: 2 },
  { kind: "status", status: 403, message: `no entry for ${tokenMark}` },
  { kind: "status", status: 400, message: `bad request by ${tokenMark}` },
  { kind: "truncate" },
  { kind: "hang" },
  { kind: "hang", when: "after" },
  { kind: "html", status: 502, when: "after" },
  // A service that refuses and acts all the same is nothing that a client could live with.
  { kind: "success-false", message: tokenMark },
);
const fault: fc.Arbitrary<FaultSpec> = fc
  .record({
    where: one(
      { method: "POST" },
      { method: "PUT" },
      { method: "PUT", path: "/entrypoint" },
      { method: "PUT", path: "/entrypoint" },
      { method: "DELETE" },
      { method: "GET" },
      { method: "GET", path: "/entrypoint" },
      { path: "/entrypoint" },
      {},
    ),
    breakage: fc.oneof(
      { weight: 9, arbitrary: breakage },
      // An answer that lacks what was asked for is read back. A read that lacks something could not be told from the truth.
      { weight: 1, arbitrary: one({ kind: "missing-fields", fields: ["rules", "enabled", "value"] }) },
    ),
    skip: fc.nat(3),
    count: one(1, 1, 1, 5),
  })
  .map(({ where, breakage: how, skip, count }) => {
    const isShort = how.kind === "missing-fields";
    return { ...where, ...how, ...(isShort && { method: "PUT" }), skip, count } as FaultSpec;
  });

const death: fc.Arbitrary<Death> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      request: fc.nat(9),
      side: one<"before" | "after" | "cli">("before", "after", "cli"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ step: fc.integer({ min: 1, max: 4 }) }) },
);

const place = fc.nat(5);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ act: one("add policy"), zone, like: maybe(policy) }) },
  { weight: 2, arbitrary: fc.record({ act: one("delete policy", "edit policy"), zone, place }) },
  { weight: 2, arbitrary: fc.record({ act: one("add rule"), zone: wafZone, place, like: maybe(rule) }) },
  {
    weight: 3,
    arbitrary: fc.record({ act: one("twin rule", "delete rule", "edit rule"), zone: wafZone, place }),
  },
  { weight: 1, arbitrary: fc.record({ act: one("move rule"), zone: wafZone, place, to: place }) },
  { weight: 2, arbitrary: fc.record({ act: one("switch"), zone, which: fc.nat(2) }) },
) as fc.Arbitrary<Act>;

const calm: Attack = { faults: [] };
const attack: fc.Arbitrary<Attack> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(calm) },
  {
    weight: 3,
    arbitrary: fc.record({
      faults: fc.array(fault, { maxLength: 2 }),
      death: maybe(death),
      meanwhile: maybe(act, 3),
    }),
  },
);
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
        { weight: 5, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(one("p1", "p2", "t1", "e1"), { maxLength: 2 }) },
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

/** A change whose answers are lost for good, and a program that takes it back. */
const takenBack: fc.Arbitrary<readonly Step[]> = fc
  .record({
    edits: fc.array(edit, { minLength: 1, maxLength: 2 }),
    where: one({ method: "PUT" }, { method: "POST" }, { path: "/entrypoint" }, { path: "/policies" }),
    kind: one("reset-after", "truncate"),
    skip: fc.nat(3),
    refresh: one(false, false, true),
  })
  .map(({ edits: changes, where, kind, skip, refresh }) => {
    const fault = { ...where, kind, skip, count: 9 } as FaultSpec;
    const up = { act: "up" as const, parallel: false, replace: [] };
    const lost: Step = {
      ...up,
      edits: changes,
      isTakenBack: false,
      refresh: false,
      attack: { faults: [fault] },
    };
    const back: Step = { ...up, edits: [], isTakenBack: true, refresh: false, attack: calm };
    return refresh ? [lost, { act: "refresh", attack: calm }, back] : [lost, back];
  });
const steps: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 5, arbitrary: step.map((single) => [single]) },
  { weight: 1, arbitrary: takenBack },
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
