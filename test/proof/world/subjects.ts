import { one, type Subject } from "./random-program";

/** All kinds in three zones. */
export const everything: Subject = {
  kinds: { settings: 2, policy: 4, set: 3, entry: 4, migration: 1 },
  zone: one("a", "a", "a", "b", "m"),
  wafZone: one("a", "a", "b"),
  ruleZone: one("a", "a", "b", "m"),
};

const inOneZone = { zone: one("a" as const), wafZone: one("a" as const), ruleZone: one("a" as const) };

/** One kind, mostly in one zone, and how often. */
export const single: readonly { readonly weight: number; readonly subject: Subject }[] = [
  { weight: 2, subject: { ...inOneZone, kinds: { settings: 1 } } },
  { weight: 2, subject: { ...inOneZone, kinds: { policy: 1 }, zone: one("a", "a", "a", "b") } },
  { weight: 4, subject: { ...inOneZone, kinds: { set: 3, policy: 2 }, zone: one("a", "a", "a", "b") } },
  { weight: 8, subject: { ...inOneZone, kinds: { entry: 1 } } },
  { weight: 3, subject: { ...inOneZone, kinds: { migration: 1 }, zone: one("m"), ruleZone: one("m") } },
];
