import assert from "node:assert/strict";
import { cspPolicy } from "../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../provider/src/resources/csp-policy-set/lifecycle";
import { ourPolicies, policy, quickStory, quietZone, zoneA } from "../small-engine/zones";
import { placeAndCode } from "../support/place-and-code";

const kindOf = (name: string) => (name.startsWith("set") ? cspPolicySet : cspPolicy) as never;
const { zoneId: _zone, description: _named, ...content } = policy();

const set = (keys: string, args: object = {}) => ({
  zoneId: zoneA,
  policies: Object.fromEntries([...keys].map((key) => [key, content])),
  ...args,
});
const single = (description: string) => policy({ description });

function begin() {
  const zones = { [zoneA]: { ...quietZone, policies: [] } };
  return quickStory<unknown, object>(kindOf as never, zones, { isPlugin: true });
}

const textOf = ({ warnings }: { readonly warnings: readonly { readonly text: string }[] }) =>
  warnings.map(({ text }) => text).join("\n");

describe("A policy that moves, where the plugin learns of its new resource after the change of its set", () => {
  it("given one change at a time, then the preview says that it may be recreated, and each declared policy is there once", async () => {
    const { sim, engine } = begin();
    await engine.up({ set1: set("ae"), set2: set("dz") });
    const moved = { set1: set("ed"), set2: set("z"), single: single("a") };
    await engine.preview(moved);
    const told = engine.warnings.filter(({ text }) => / set1 /.test(text));
    assert.deepEqual(
      told.map(({ name, text }) => [name, placeAndCode(text)]),
      [["single", "[csp-hand-over-unclear]"]],
    );
    assert.match(told[0]?.text ?? "", / created again.* let set1 depend on /);
    await engine.up(moved);
    assert.deepEqual(ourPolicies(sim), ["a", "d", "e", "z"]);
    assert.deepEqual(await engine.preview(moved), []);
    await engine.destroy();
    assert.deepEqual(ourPolicies(sim), []);
  });

  it("given one change at a time and a set that depends on the new resource, then nothing is sent that changes the zone", async () => {
    const { sim, engine } = begin();
    await engine.up({ set1: set("ae") });
    const before = sim.changing().length;
    const moved = { single: single("a"), set1: set("e") };
    await engine.up(moved);
    assert.equal(sim.changing().length, before);
    assert.deepEqual(await engine.preview(moved), []);
  });

  it("given a record of what a set has released, when a preview compares the set first, then it says what the update does, and one update is enough", async () => {
    for (const next of ["taken back", "still declared"]) {
      const { sim, engine } = begin();
      await engine.up({ set1: set("kx") });
      const { k: id = "" } = Object(engine.outputs("set1")["policyIds"]) as Record<string, string>;
      // Both are under way when the machine dies: what the set has released is in its state, that which adopts it in none.
      await engine.up({ set1: set("x"), single: single("k") }, { parallel: true });
      const recorded = engine.state.get("set1");
      assert.ok(recorded);
      engine.state.set("set1", {
        ...recorded,
        outputs: { ...recorded.outputs, released: { [id]: { single: "" } } },
      });
      if (next === "taken back") engine.state.delete("single");
      const program = { set1: set("x"), ...(next === "still declared" && { single: single("k") }) };
      assert.deepEqual(await engine.preview(program), ["update set1"]);
      const [released = ""] = engine.warnings.map(({ text }) => text);
      assert.match(released, / released for single.*\[csp-left-behind\]$/);
      await engine.up(program);
      assert.deepEqual(ourPolicies(sim), next === "taken back" ? ["x"] : ["k", "x"]);
      assert.deepEqual(await engine.preview(program), []);
    }
  });

  it("given an exact set that is checked alone, then the preview names what it deletes, which another resource may declare", async () => {
    const { sim, engine } = begin();
    await engine.up({ single: single("theirs") });
    await engine.preview({ set: set("", { others: "delete" }) });
    assert.match(textOf(engine), /^others: .*"theirs".*\[csp-undeclared-deleted\]$/);
    assert.deepEqual(ourPolicies(sim), ["theirs"]);
  });
});
