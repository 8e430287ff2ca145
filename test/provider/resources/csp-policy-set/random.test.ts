import assert from "node:assert/strict";
import fc from "fast-check";
import { cspPolicySet } from "../../../../provider/src/resources/csp-policy-set/lifecycle";
import { ourPolicies, policy, quietZone, useStories, zoneA } from "../../small-engine/zones";

const keys = ["a", "b", "c", "d"] as const;
const texts = ["img-src 'self'", "font-src 'self'", "script-src 'self'; object-src 'none'"];

const policies = fc.dictionary(
  fc.constantFrom(...keys),
  fc.record({
    value: fc.constantFrom(...texts),
    enabled: fc.boolean(),
    description: fc.constantFrom("one", "two", "three"),
  }),
  { noNullPrototype: true },
);

/** One run, and what goes wrong in it: nothing, a machine that dies, or answers that are lost or refused. */
const step = fc.record({
  policies,
  trouble: fc.oneof(
    fc.constant(undefined),
    fc.record({ request: fc.nat(8), side: fc.constantFrom("before" as const, "after" as const) }),
    fc.record({
      method: fc.constantFrom("POST", "PUT", "DELETE"),
      kind: fc.constantFrom("reset-after" as const, "refused" as const),
      skip: fc.nat(2),
    }),
  ),
});

describe("CspPolicySet: random programs, deaths and faults", () => {
  const begin = useStories(cspPolicySet);

  it("given any programs one after the other, each cut off somewhere, when the last is run in peace, then the zone has just what it declares, and a stranger's policy", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        const { sim, engine } = await begin({ [zoneA]: quietZone });
        const programOf = (declared: (typeof steps)[number]["policies"]) => {
          const { action, expression } = policy();
          const entries = Object.entries(declared).map(([key, entry]) => [
            key,
            { action, expression, ...entry },
          ]);
          return { set: { zoneId: zoneA, policies: Object.fromEntries(entries) } };
        };
        for (const { policies: declared, trouble } of steps) {
          sim.faults.clear();
          if (trouble && "method" in trouble) {
            const { method, kind, skip } = trouble;
            if (kind === "refused") sim.faults.add({ method, kind: "status", status: 400, skip });
            else sim.faults.add({ method, kind, skip, count: 1 });
          }
          const death = trouble && "request" in trouble ? trouble : undefined;
          await engine.up(programOf(declared), { death }).catch(() => undefined);
          // What a dead machine made and recorded nowhere is found by who declares it again, and by nobody else.
          if (death) await engine.up(programOf(declared));
        }
        sim.faults.clear();
        const last = steps.at(-1)?.policies ?? {};
        await engine.up(programOf(last));
        const wanted = Object.values(last)
          .map(({ description }) => description)
          .sort();
        assert.deepEqual(ourPolicies(sim), wanted);
        assert.deepEqual(await engine.preview(programOf(last)), []);
        const ids = Object.values(Object(engine.outputs("set")["policyIds"]));
        assert.equal(new Set(ids).size, wanted.length);
        await engine.destroy();
        assert.deepEqual(
          sim.zone(zoneA).policies.map(({ description }) => description),
          ["somebody's"],
        );
        await sim.stop();
      }),
      { numRuns: Number(process.env["SET_RUNS"] ?? 40) },
    );
  });
});
