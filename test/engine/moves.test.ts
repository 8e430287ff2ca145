import assert from "node:assert/strict";
import { each } from "../support/each";
import { type Declaration, type Declared, policy, policySet, settings } from "./real-engine/declaration";
import type { KillPoint } from "./real-engine/stack";
import { useStories, zoneA, zoneWithPolicy } from "./real-engine/story";

const single = policy({ zoneId: zoneA, description: "a" });
const set = (keys: readonly string[], more: object = {}): Declared =>
  policySet({ zoneId: zoneA, policies: Object.fromEntries(keys.map((key) => [key, {}])), ...more });
const released = set(["b"], { release: ["a"] });
/** Sends a request between the two others, which send none. */
const watch = settings({ zoneId: zoneA, enabled: true });
const between: KillPoint = { at: "processed", method: "PUT" };

/** One after the other. */
function inTurn(resources: Readonly<Record<string, Declared>>): Declaration {
  const names = Object.keys(resources);
  const chained = Object.entries(resources).map(([name, one], at) => {
    return [name, { ...one, options: { dependsOn: names.slice(Math.max(0, at - 1), at) } }] as const;
  });
  return Object.fromEntries(chained);
}

interface Move {
  readonly from: Declaration;
  /** Each update, where everything dies in it, and what it sends in spite of that. */
  readonly updates: readonly (readonly [to: Declaration, at: KillPoint, sends: readonly string[]])[];
}

const moves: Readonly<Record<string, Move>> = {
  "a CspPolicy becomes a key of a set, and all dies before it leaves the state": {
    from: { single },
    updates: [[inTurn({ set: set(["a"]), watch }), between, ["PUT"]]],
  },
  "a CspPolicy becomes a key of a set that is new, and all dies while its other key is created": {
    from: { single },
    updates: [[{ set: set(["a", "b"]) }, { at: "processed", method: "POST" }, ["POST"]]],
  },
  "a set releases a key for a CspPolicy that comes after it, and all dies between the two": {
    from: { set: set(["a", "b"]) },
    updates: [[inTurn({ set: released, watch, single }), between, ["PUT"]]],
  },
  "a set releases a key for a CspPolicy that comes before it, and all dies between the two": {
    from: { set: set(["a", "b"]) },
    updates: [[inTurn({ single, watch, set: released }), between, ["PUT"]]],
  },
  "a set releases a key, a CspPolicy takes it later, and all dies in both updates": {
    from: { set: set(["a", "b"]) },
    updates: [
      [inTurn({ set: released, watch }), between, ["PUT"]],
      [{ set: released, watch, single }, { at: "processed", method: "GET" }, []],
    ],
  },
};

describe("On the engine: policies that move to another resource, cut off", function () {
  const begin = useStories(this);

  for (const [what, { from, updates }] of Object.entries(moves))
    it(`given that ${what}, when it is run again, then each policy is the same one, in one state`, async () => {
      const { sim, stack, unmanaged } = await begin({ [zoneA]: zoneWithPolicy });
      stack.declare(from);
      await stack.up();
      const before = sim.zone(zoneA).policies;
      for (const [to, at, sends] of updates) {
        sim.journal.clear();
        stack.declare(to);
        stack.killAt("all", at);
        assert.notEqual(
          (await stack.run("up", "--yes", "--skip-preview")).code,
          0,
          "the kill has not struck",
        );
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
