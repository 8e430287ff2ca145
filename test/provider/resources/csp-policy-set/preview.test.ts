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

describe("CspPolicySet: what a preview knows", () => {
  const begin = useStories(cspPolicySet);

  it("given values that are not known yet, when it is exact, then undeclared policies are named all the same, and nothing leaves", async () => {
    for (const late of [
      { ...content, value: unknownValue },
      { ...bare, directives: unknownValue },
      unknownValue,
    ]) {
      const { sim, engine } = await begin(emptyZone);
      await engine.up({ set: set({ a: content, late: content }) });
      add(sim, "somebody's", { expression: "true" });
      const exact = (others: string) => ({ set: set({ a: content, late, new: late }, { others }) });
      // On the way to an update, and to a create.
      for (const [others, isNew] of [
        ["delete", false],
        ["refuse", false],
        ["delete", true],
      ] as const) {
        if (isNew) engine.state.clear();
        await engine.preview(exact(others));
        const told = engine.warnings.map(({ text }) => text).join("\n");
        assert.match(
          told,
          new RegExp(
            `the zone has .*"somebody's"\\. Some values of .*policies.new are not known.*others "${others}" will`,
          ),
        );
        assert.doesNotMatch(told, /leaves the set|nothing declares/);
      }
    }
  });

  it("given policies that are not known as a whole, when the set is exact, then it is reported that others may be deleted", async () => {
    const { sim, engine } = await begin(emptyZone);
    await engine.up({ set: set({ a: content }) });
    add(sim, "b");
    await engine.preview({ set: set(unknownValue, { others: "delete" }) });
    assert.match(
      engine.warnings.map(({ text }) => text).join("\n"),
      /the zone has .*"b"\. Some values of policies are not known before the update/,
    );
  });

  it("given one value that is not known yet, when others are new, then it is reported of these what the zone has already", async () => {
    const { sim, engine } = await begin(emptyZone);
    add(sim, "a");
    await engine.preview({ set: set({ a: content, late: { ...content, value: unknownValue } }) });
    assert.match(engine.progress[0]?.text ?? "", /exactly this policy already: a\./);
  });

  it("given that nothing was seen, when several policies are to block, then that is reported once, with their names", async () => {
    const { engine } = await begin(emptyZone);
    const block = { ...content, action: "allow", expression: "true", value: "connect-src *" };
    await engine.preview({ set: set({ a: block, b: { ...block, description: "b" }, log: content }) });
    const told = engine.warnings.map(({ text }) => text);
    assert.deepEqual(told.map(placeAndCode), ["policies [csp-impact-unknown]"]);
    assert.match(told.join(), / policies\.a, policies\.b\. /);
    assert.doesNotMatch(told.join(), /policies\.log/);
  });

  it("given what is not known before the update, when policies are to block, then those that no one has checked are named, once", async () => {
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
      const [text = "", ...others] = engine.warnings.map(({ text }) => text);
      assert.deepEqual([placeAndCode(text), others], ["[csp-impact-unknown]", []]);
      assert.ok(text.startsWith(`the impact of ${which} depends on values`), text);
    }
  });

  it("given a value that is not known yet, when the zone is checked, then over the declared connection", async () => {
    for (const kind of [cspPolicy, cspPolicySet]) {
      const { sim } = await begin(emptyZone);
      const engine = new SmallEngine(sim, kind as never, {
        env: { PAGE_GUARD_API_TOKEN: "another token", OURS: sim.token },
      });
      const late = { ...content, enabled: unknownValue, zoneId: zoneA, connection: { tokenEnv: "OURS" } };
      const { connection, zoneId, ...entry } = late;
      await engine.preview({
        it: kind === cspPolicy ? { ...late, description: "a" } : set({ a: entry }, { connection }),
      });
      assert.equal(sim.requests({ method: "GET" }).length, 1);
    }
  });
});

describe("CspPolicySet: an exact set and what becomes of its own", () => {
  const begin = useStories(cspPolicySet);

  it("given an exact set that is replaced in its zone, when it is previewed and applied, then what the old one has is not undeclared", async () => {
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

  it("given an exact set that gets another name and an edit, then the preview names what the old one has and the way in two updates", async () => {
    const { sim, engine } = await begin(emptyZone);
    await engine.up({ set: set({ a: content, b: content }, { others: "refuse" }) });
    const renamed = (others: string) => ({
      other: set({ a: content, b: { ...content, enabled: false } }, { others }),
    });
    assert.match(await engine.previewFails(renamed("refuse")), /"b".* in two updates: .* others "keep"/s);
    await engine.up(renamed("keep"));
    await engine.up(renamed("refuse"));
    assert.deepEqual(ourPolicies(sim), ["a", "b"]);
    assert.deepEqual(await engine.preview(renamed("refuse")), []);
  });
});
