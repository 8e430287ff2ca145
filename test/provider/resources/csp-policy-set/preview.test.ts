import assert from "node:assert/strict";
import { unknownValue } from "../../../../provider/src/model/unknown";
import { cspPolicy } from "../../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../../provider/src/resources/csp-policy-set/lifecycle";
import type { Simulator } from "../../../../simulator/src";
import { placeAndCode } from "../../../support/place-and-code";
import type { Properties } from "../../small-engine/checkpoint";
import { SmallEngine } from "../../small-engine/small-engine";
import { ourPolicies, policy, quietZone, useStories, zoneA } from "../../small-engine/zones";

const { zoneId: _zone, description: _named, ...content } = policy();
const { value: _value, ...bare } = content;
const emptyZone = { [zoneA]: { ...quietZone, policies: [] } };
const set = (policies: unknown, args: Properties = {}): Properties => ({ zoneId: zoneA, policies, ...args });

function add(sim: Simulator, description: string, other: Properties = {}): void {
  sim.dashboard.putPolicy(zoneA, { ...content, description, id: description, ...other });
}

describe("The preview of a CspPolicySet", () => {
  const begin = useStories(cspPolicySet);

  it("given an exact set with unknown values, then undeclared policies are named anyway, and no policy counts as removed", async () => {
    for (const late of [
      { ...content, value: unknownValue },
      { ...bare, directives: unknownValue },
      unknownValue,
    ]) {
      const { sim, engine } = await begin(emptyZone);
      await engine.up({ set: set({ a: content, late: content }) });
      add(sim, "somebody's", { expression: "true" });
      const exact = (others: string) => ({ set: set({ a: content, late, new: late }, { others }) });
      // Two updates, and a create.
      for (const [others, isNew] of [
        ["delete", false],
        ["refuse", false],
        ["delete", true],
      ] as const) {
        if (isNew) engine.state.clear();
        await engine.preview(exact(others));
        const told = engine.warned.join("\n");
        assert.match(
          told,
          new RegExp(
            `the zone has .*"somebody's"\\. Some values of .*policies.new are not known.*the update (fails if any|deletes each) of these .*others "${others}"`,
          ),
        );
        assert.doesNotMatch(told, /leaves the set|nothing declares/);
      }
    }
  });

  it("given an exact set whose policies are unknown as a whole, then the preview says that undeclared policies may be deleted", async () => {
    const { sim, engine } = await begin(emptyZone);
    await engine.up({ set: set({ a: content }) });
    add(sim, "b");
    await engine.preview({ set: set(unknownValue, { others: "delete" }) });
    const told = engine.warned.join("\n");
    assert.match(told, /the zone has .*"b"\. Some values of policies are not known before the update/);
  });

  it("given one policy with an unknown value, when other policies are new, then the preview says which of them the zone has already", async () => {
    const { sim, engine } = await begin(emptyZone);
    add(sim, "a");
    await engine.preview({ set: set({ a: content, late: { ...content, value: unknownValue } }) });
    assert.match(engine.progress[0]?.text ?? "", /exactly this policy already: a\./);
  });

  it("given a zone in which nothing was seen, when several policies start to enforce, then one finding names them", async () => {
    const { engine } = await begin(emptyZone);
    const block = { ...content, action: "allow", expression: "true", value: "connect-src *" };
    await engine.preview({ set: set({ a: block, b: { ...block, description: "b" }, log: content }) });
    const told = engine.warned;
    assert.deepEqual(told.map(placeAndCode), ["policies [csp-impact-unknown]"]);
    assert.match(told.join(), / policies\.a, policies\.b\. /);
    assert.doesNotMatch(told.join(), /policies\.log/);
  });

  it("given unknown values, when policies start to enforce, then one finding names those whose impact was not checked", async () => {
    const { engine } = await begin({
      [zoneA]: { ...emptyZone[zoneA], connections: 3, statuses: ["active"] },
    });
    const block = { ...content, action: "allow", expression: "true", value: "connect-src *" };
    const late = { ...block, expression: unknownValue };
    for (const [policies, args, which] of [
      [{ a: block, b: late, c: late, log: { ...late, action: "log" } }, {}, "b, c"],
      [{ a: block, log: content }, { zoneId: unknownValue }, "a"],
      [{ a: unknownValue, log: content }, {}, "a"],
      [unknownValue, {}, "this policy"],
    ] as const) {
      await engine.preview({ set: set(policies, args) });
      const [text = "", ...others] = engine.warned;
      assert.deepEqual([placeAndCode(text), others], ["[csp-impact-unknown]", []]);
      assert.ok(text.startsWith(`the impact of ${which} depends on values`), text);
    }
  });

  it("given an unknown value, when the preview reads the zone, then it uses the declared connection", async () => {
    for (const kind of [cspPolicy, cspPolicySet]) {
      const { sim } = await begin(emptyZone);
      const env = { PAGE_GUARD_API_TOKEN: "another token", OURS: sim.token };
      const engine = new SmallEngine(sim, kind as never, { env });
      const late = { ...content, enabled: unknownValue, zoneId: zoneA, connection: { tokenEnv: "OURS" } };
      const { connection, zoneId, ...entry } = late;
      const ofSet = set({ a: entry }, { connection });
      await engine.preview({ it: kind === cspPolicy ? { ...late, description: "a" } : ofSet });
      assert.equal(sim.requests({ method: "GET" }).length, 1);
    }
  });
});

describe("An exact CspPolicySet and its own policies", () => {
  const begin = useStories(cspPolicySet);

  it("given an exact set that is replaced in its zone, when it is previewed and applied, then the old set's policies do not count as undeclared", async () => {
    for (const others of ["refuse", "delete"]) {
      const { sim, engine } = await begin(emptyZone);
      await engine.up({ set: set({ a: content, b: content }, { others }) });
      const edited = { set: set({ a: content, b: { ...content, enabled: false } }, { others }) };
      assert.deepEqual(await engine.preview(edited, { replaceOnChanges: ["set"] }), ["replace set"]);
      assert.deepEqual(engine.warnings, []);
      await engine.up(edited, { replaceOnChanges: ["set"] });
      assert.deepEqual(ourPolicies(sim), ["a", "b"]);
      assert.deepEqual(await engine.preview(edited), []);
    }
  });

  it("given an exact set that is renamed and edited at once, then the preview names the old set's policies and describes a way in two updates", async () => {
    const { sim, engine } = await begin(emptyZone);
    await engine.up({ set: set({ a: content, b: content }, { others: "refuse" }) });
    const renamed = (others: string) => ({
      other: set({ a: content, b: { ...content, enabled: false } }, { others }),
    });
    assert.match(await engine.previewFails(renamed("refuse")), /"b".* use two updates: .* others to "keep"/s);
    await engine.up(renamed("keep"));
    await engine.up(renamed("refuse"));
    assert.deepEqual(ourPolicies(sim), ["a", "b"]);
    assert.deepEqual(await engine.preview(renamed("refuse")), []);
  });
});
