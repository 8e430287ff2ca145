import fc from "fast-check";
import type { FaultSpec } from "../../../simulator/src";
import type { Death } from "../../provider/small-engine/mortal";
import { maybe, often, one, policy, rule, type Subject } from "./random-program";
import { type Act, type Attack, calm, tokenMark } from "./story";

/** Answer to a write that lacks the written fields. */
export const shortAnswer = { kind: "missing-fields", fields: ["rules", "enabled", "value"] } as const;

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
  // There is no `when: "after"` here: no client could work with a service that refuses a request and carries it out.
  { kind: "success-false", message: tokenMark },
);
const routes: Readonly<
  Record<keyof Subject["kinds"], readonly Pick<FaultSpec, "method" | "path" | "query">[]>
> = {
  settings: [{ method: "PUT" }],
  policy: [{ method: "POST" }, { method: "PUT" }, { method: "DELETE" }],
  set: [{ method: "POST" }, { method: "PUT" }, { method: "DELETE" }],
  entry: [
    { method: "PUT", path: "/entrypoint" },
    { method: "PUT", path: "/entrypoint" },
    { method: "GET", path: "/entrypoint" },
    { path: "/entrypoint" },
  ],
  migration: [{ method: "PUT", query: "waf_migration" }],
};

function faultOn(subject: Subject): fc.Arbitrary<FaultSpec> {
  const own = Object.entries(routes).flatMap(([kind, some]) =>
    subject.kinds[kind as keyof Subject["kinds"]] ? some : [],
  );
  return fc
    .record({
      where: one<Pick<FaultSpec, "method" | "path" | "query">>(...own, { method: "GET" }, {}),
      breakage: fc.oneof(
        often(9, breakage),
        // Only writes get such answers, because the client then reads the object. It could not notice that a read lacks a field.
        often(1, one(shortAnswer)),
      ),
      skip: fc.nat(3),
      count: one(1, 1, 1, 5),
    })
    .map(({ where, breakage: how, skip, count }) => {
      const isShort = how.kind === "missing-fields";
      return { ...where, ...how, ...(isShort && { method: "PUT" }), skip, count } as FaultSpec;
    });
}

const death: fc.Arbitrary<Death> = fc.oneof(
  often(
    4,
    fc.record({
      request: fc.nat(9),
      side: one<"before" | "after" | "cli">("before", "after", "cli"),
    }),
  ),
  often(1, fc.record({ step: fc.integer({ min: 1, max: 4 }) })),
);

const place = fc.nat(5);

/** Acts in the dashboard on objects that a story is about. */
export function actsOn({ kinds, zone, ruleZone }: Subject): fc.Arbitrary<Act> {
  const policies = kinds.policy || kinds.set ? 1 : 0;
  const rules = kinds.entry || kinds.migration ? 1 : 0;
  return fc.oneof(
    often(2 * policies, fc.record({ act: one("add policy"), zone, like: maybe(policy) })),
    often(2 * policies, fc.record({ act: one("delete policy", "edit policy"), zone, place })),
    often(2 * rules, fc.record({ act: one("add rule"), zone: ruleZone, place, like: maybe(rule) })),
    often(3 * rules, fc.record({ act: one("twin rule", "delete rule", "edit rule"), zone: ruleZone, place })),
    often(rules, fc.record({ act: one("move rule"), zone: ruleZone, place, to: place })),
    often(kinds.settings ? 2 : 0, fc.record({ act: one("switch"), zone, which: fc.nat(2) })),
  ) as fc.Arbitrary<Act>;
}

export function attackOn(subject: Subject): fc.Arbitrary<Attack> {
  return fc.oneof(
    often(2, fc.constant(calm)),
    often(
      3,
      fc.record({
        faults: fc.array(faultOn(subject), { maxLength: 2 }),
        death: maybe(death),
        meanwhile: maybe(actsOn(subject), 3),
      }),
    ),
  );
}
