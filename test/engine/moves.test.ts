import assert from "node:assert/strict";
import { each } from "../support/each";
import { type Declaration, type Declared, policy, policySet, settings } from "./real-engine/declaration";
import type { KillPoint } from "./real-engine/stack";
import { useStories, zoneA, zoneWithPolicy } from "./real-engine/story";

const single = policy({ zoneId: zoneA, description: "a" });
const set = (keys: readonly string[], more: object = {}): Declared =>
  policySet({ zoneId: zoneA, policies: Object.fromEntries(keys.map((key) => [key, {}])), ...more });
const released = set(["b"], { release: ["a"] });
/** Declared between the two others: it sends a request, and they send none. */
const watch = settings({ zoneId: zoneA, enabled: true });
const between: KillPoint = { at: "processed", method: "PUT" };

/** Makes each resource depend on the one before. */
function chain(resources: Readonly<Record<string, Declared>>): Declaration {
  const names = Object.keys(resources);
  const chained = Object.entries(resources).map(([name, one], at) => {
    return [name, { ...one, options: { dependsOn: names.slice(Math.max(0, at - 1), at) } }] as const;
  });
  return Object.fromEntries(chained);
}

interface Move {
  readonly from: Declaration;
  /** Each update, where all processes die in it, and the requests that it sends nevertheless. */
  readonly updates: readonly (readonly [to: Declaration, at: KillPoint, sends: readonly string[]])[];
}

const moves: Readonly<Record<string, Move>> = {
  "a CspPolicy becomes a key of a set, and all processes die before it leaves the state": {
    from: { single },
    updates: [[chain({ set: set(["a"]), watch }), between, ["PUT"]]],
  },
  "a CspPolicy becomes a key of a new set, and all processes die while the other key is created": {
    from: { single },
    updates: [[{ set: set(["a", "b"]) }, { at: "processed", method: "POST" }, ["POST"]]],
  },
  "a set releases a key for a CspPolicy that comes before it, and all processes die between the two": {
    from: { set: set(["a", "b"]) },
    updates: [[chain({ single, watch, set: released }), between, ["PUT"]]],
  },
  "a set releases a key, a CspPolicy adopts it later, and all processes die in both updates": {
    from: { set: set(["a", "b"]) },
    updates: [
      [chain({ set: released, watch }), between, ["PUT"]],
      [{ set: released, watch, single }, { at: "processed", method: "GET" }, []],
    ],
  },
};

describe("On the engine: policies that move to another resource in an update that is cut off", function () {
  const begin = useStories(this);

  for (const [what, { from, updates }] of Object.entries(moves))
    it(`given that ${what}, when the update runs again, then no policy is recreated, and each is in the state once`, async () => {
      const { sim, stack, unmanaged } = await begin({ [zoneA]: zoneWithPolicy });
      stack.declare(from);
      await stack.up();
      const before = sim.zone(zoneA).policies;
      for (const [to, at, sends] of updates) {
        sim.journal.clear();
        stack.declare(to);
        stack.killAt("all", at);
        const killed = await stack.run("up", "--yes", "--skip-preview");
        assert.notEqual(killed.code, 0, "nothing was killed");
        stack.unlock();
        await stack.up();
        assert.deepEqual(each(sim.changing(), "method"), sends);
      }
      const { policies } = sim.zone(zoneA);
      assert.deepEqual(policies.slice(0, before.length), before);
      const held = stack.resources().flatMap(({ outputs }) => {
        const { policyId, policyIds = {} } = Object(outputs);
        return policyId === undefined ? Object.values(policyIds) : [policyId];
      });
      const ids = policies.flatMap(({ id, description }) => (description === "unmanaged" ? [] : [id]));
      assert.deepEqual(held.sort(), ids.sort());
      await stack.expectEmptyPreview();
      await stack.destroy();
      assert.equal(sim.zone(zoneA).policies.length, 1);
      unmanaged.expectUntouched();
    });
});
