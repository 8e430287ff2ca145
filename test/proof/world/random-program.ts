import fc from "fast-check";
import { type ShortRule, shortRules } from "../../provider/small-engine/short-rule";
import type {
  Declaration,
  EntryDeclaration,
  MigrationDeclaration,
  PolicyContent,
  PolicyDeclaration,
  SetDeclaration,
  SetEntry,
  SettingsDeclaration,
  Zone,
} from "./declarations";
import { type Change, type Edit, keys, names } from "./edits";

/** Returns a choice for `fc.oneof` with its weight. */
export const often = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
export const one = <T>(...values: readonly T[]) => fc.constantFrom(...values);
/** Returns a value or undefined: undefined once in `freq` times, by default every second time. */
export const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 2) =>
  fc.option(arbitrary, { nil: undefined, freq });

export const policy: fc.Arbitrary<PolicyContent> = fc.record({
  // `k1` and `k2` are also descriptions of policies in sets that have only a key.
  description: one("one", "one", "two", "two", "k1", "k2"),
  text: one(0, 0, 1, 2),
  action: one("log", "log", "log", "allow"),
  enabled: one(true, true, true, false),
});
const entry: fc.Arbitrary<SetEntry> = fc
  .tuple(policy, fc.boolean())
  .map(([content, isNamed]) => (isNamed ? content : { ...content, description: undefined }));
export const rule: fc.Arbitrary<ShortRule> = fc.record({
  name: one("a", "b", "c", "run"),
  edition: one(1, 1, 2),
  ref: maybe(one("r1", "r2")),
});

export const rules = shortRules(rule, 3);

/** Kinds and zones of a story. A story about one kind often has events that are rare in stories about all kinds. */
export interface Subject {
  /** Weight with which each kind is declared. */
  readonly kinds: Readonly<Partial<Record<Declaration["kind"], number>>>;
  readonly zone: fc.Arbitrary<Zone>;
  /** Zones of entry points. */
  readonly wafZone: fc.Arbitrary<"a" | "b">;
  /** Zones in which people edit rules, also rules of a migration. */
  readonly ruleZone: fc.Arbitrary<Zone>;
}

/** All kinds in three zones. */
export const everything: Subject = {
  kinds: { settings: 2, policy: 4, set: 3, entry: 4, migration: 1 },
  zone: one("a", "a", "a", "b", "m"),
  wafZone: one("a", "a", "b"),
  ruleZone: one("a", "a", "b", "m"),
};

const inOneZone = { zone: one("a" as const), wafZone: one("a" as const), ruleZone: one("a" as const) };

/** Subjects with one kind, most of them in one zone, each with its weight. */
export const single: readonly { readonly weight: number; readonly subject: Subject }[] = [
  { weight: 2, subject: { ...inOneZone, kinds: { settings: 1 } } },
  { weight: 2, subject: { ...inOneZone, kinds: { policy: 1 }, zone: one("a", "a", "a", "b") } },
  { weight: 4, subject: { ...inOneZone, kinds: { set: 3, policy: 2 }, zone: one("a", "a", "a", "b") } },
  { weight: 8, subject: { ...inOneZone, kinds: { entry: 1 } } },
  { weight: 10, subject: { ...inOneZone, kinds: { migration: 1 }, zone: one("m"), ruleZone: one("m") } },
];

const settingsIn = ({ zone }: Subject): fc.Arbitrary<SettingsDeclaration> =>
  fc.record({
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
const policyIn = ({ zone }: Subject): fc.Arbitrary<PolicyDeclaration> =>
  fc.record({
    kind: one("policy"),
    name: one("p1", "p2", "p3"),
    zone,
    content: policy,
    onDestroy: maybe(one("delete", "keep")),
  });
const setIn = ({ zone }: Subject): fc.Arbitrary<SetDeclaration> =>
  fc.record({
    kind: one("set"),
    name: one("t1", "t1", "t2"),
    zone,
    policies: fc.dictionary(one(...keys), entry, { noNullPrototype: true }),
    others: one("keep", "keep", "keep", "refuse", "delete"),
    onDestroy: maybe(one("delete", "keep")),
  });
const entryIn = ({ wafZone }: Subject): fc.Arbitrary<EntryDeclaration> =>
  fc.record({
    kind: one("entry"),
    name: one("e1", "e1", "e2"),
    zone: wafZone,
    rules,
    foreignRules: one("keep", "keep", "refuse", "overwrite"),
    listName: maybe(one("ours"), 4),
    onDestroy: maybe(one("restore", "restore", "remove", "keep")),
  });
const migrationIn = (): fc.Arbitrary<MigrationDeclaration> =>
  fc.record({
    kind: one("migration"),
    name: one("m1"),
    zone: one("m"),
    stage: one("validation", "finished"),
    isAdjusted: one(false, false, true),
    timeoutMinutes: one(90, 90, 2),
  });

const kinds = { settings: settingsIn, policy: policyIn, set: setIn, entry: entryIn, migration: migrationIn };

/** Returns declarations and edits of programs about a subject. */
export function programsOf(subject: Subject) {
  const wanted = (Object.keys(kinds) as (keyof typeof kinds)[]).filter((kind) => subject.kinds[kind]);
  const declaration = fc.oneof(
    ...wanted.map((kind) =>
      often(subject.kinds[kind] ?? 0, kinds[kind](subject) as fc.Arbitrary<Declaration>),
    ),
  );
  const changedDeclaration = fc.record({ change: declaration, place: fc.nat(3) });
  const change: fc.Arbitrary<Change> = fc.oneof(
    often(4, changedDeclaration),
    often(1, fc.record({ rename: fc.nat(5) })),
    often(1, fc.record({ swap: fc.nat(5) })),
    often(subject.kinds.set ? 1 : 0, fc.record({ rekey: fc.nat(5) })),
    often(subject.kinds.set ? 2 : 0, fc.record({ move: fc.nat(11) })),
    often(1, fc.record({ turn: fc.nat(5) })),
  );
  const removable = wanted.flatMap((kind) => names[kind]);
  const removal: fc.Arbitrary<Edit> =
    removable.length > 0 ? one(...removable).map((remove) => ({ remove })) : change;
  const edit: fc.Arbitrary<Edit> = fc.oneof(often(3, declaration), often(4, change), often(1, removal));
  return { declaration, changedDeclaration, removal, edit };
}
