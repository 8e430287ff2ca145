import fc from "fast-check";
import { type ShortRule, shortRules } from "../../small-engine/short-rule";
import type {
  Declaration,
  EntryDeclaration,
  MigrationDeclaration,
  PolicyContent,
  PolicyDeclaration,
  SetDeclaration,
  SettingsDeclaration,
  Zone,
} from "./declarations";
import type { Change, Edit } from "./edits";

export const one = <T>(...values: readonly T[]) => fc.constantFrom(...values);
/** It or nothing: half of the time each, or nothing just once in so many times. */
export const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 2) =>
  fc.option(arbitrary, { nil: undefined, freq });

export const policy: fc.Arbitrary<PolicyContent> = fc.record({
  description: one("one", "two"),
  text: one(0, 0, 1, 2),
  action: one("log", "log", "log", "allow"),
  enabled: one(true, true, true, false),
});
export const rule: fc.Arbitrary<ShortRule> = fc.record({
  name: one("a", "b", "c", "run"),
  edition: one(1, 1, 2),
  ref: maybe(one("r1", "r2")),
});

export const rules = shortRules(rule, 3);

export const zone = one<Zone>("a", "a", "a", "b", "m");
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

export const declaration: fc.Arbitrary<Declaration> = fc.oneof(
  { weight: 2, arbitrary: settingsDeclaration },
  { weight: 4, arbitrary: policyDeclaration },
  { weight: 2, arbitrary: setDeclaration },
  { weight: 4, arbitrary: entryDeclaration },
  { weight: 1, arbitrary: migrationDeclaration },
);
export const changedDeclaration: fc.Arbitrary<Change> = fc.record({
  change: fc.oneof(
    { weight: 2, arbitrary: settingsDeclaration },
    { weight: 3, arbitrary: policyDeclaration },
    { weight: 3, arbitrary: setDeclaration },
    { weight: 3, arbitrary: entryDeclaration },
    { weight: 1, arbitrary: migrationDeclaration },
  ),
  place: fc.nat(3),
});
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: changedDeclaration },
  { weight: 1, arbitrary: fc.record({ rename: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ swap: fc.nat(5) }) },
);
export const removal: fc.Arbitrary<Edit> = one("s1", "s2", "p1", "p2", "p3", "t1", "t2", "e1", "e2").map(
  (remove) => ({ remove }),
);
export const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 3, arbitrary: declaration },
  { weight: 4, arbitrary: change },
  { weight: 1, arbitrary: removal },
);
