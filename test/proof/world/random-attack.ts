import fc from "fast-check";
import type { FaultSpec } from "../../../provider/src/simulator";
import type { Death } from "../../small-engine/mortal";
import type { Zone } from "./declarations";
import { maybe, one, policy, rule, zone } from "./random-program";
import { type Act, type Attack, calm, tokenMark } from "./story";

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
      { method: "PUT", query: "waf_migration" },
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
/** Also the rules that a migration has made. */
const ruleZone = one<Zone>("a", "a", "b", "m");
export const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ act: one("add policy"), zone, like: maybe(policy) }) },
  { weight: 2, arbitrary: fc.record({ act: one("delete policy", "edit policy"), zone, place }) },
  { weight: 2, arbitrary: fc.record({ act: one("add rule"), zone: ruleZone, place, like: maybe(rule) }) },
  {
    weight: 3,
    arbitrary: fc.record({ act: one("twin rule", "delete rule", "edit rule"), zone: ruleZone, place }),
  },
  { weight: 1, arbitrary: fc.record({ act: one("move rule"), zone: ruleZone, place, to: place }) },
  { weight: 2, arbitrary: fc.record({ act: one("switch"), zone, which: fc.nat(2) }) },
) as fc.Arbitrary<Act>;

export const attack: fc.Arbitrary<Attack> = fc.oneof(
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
