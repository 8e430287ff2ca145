import assert from "node:assert/strict";
import { createRun } from "../../../../provider/src/lifecycle/run";
import { PolicyList } from "../../../../provider/src/model/policies/policy-list";
import { cspPolicy } from "../../../../provider/src/resources/csp-policy/lifecycle";
import { missingFindings } from "../../../../provider/src/resources/csp-policy/zone-findings";
import { ZonePolicies } from "../../../../provider/src/resources/csp-policy/zone-policies";
import { each } from "../../../support/each";
import type { Properties } from "../../small-engine/checkpoint";
import { ourPolicies, policy, useStories, zoneA, zoneB } from "../../small-engine/zones";

describe("CspPolicy: ownership of the zone's policies", () => {
  const begin = useStories(cspPolicy);

  it("given an equal unmanaged policy, when one is declared, then the preview announces it, the update adopts it, and a destroy deletes it", async () => {
    const { sim, engine } = await begin();
    const respelled = { description: "checkout ", expression: 'http.host  eq "shop.example.com"' };
    const value = "object-src 'none'; script-src https://js.example.com 'self'";
    const { id } = sim.dashboard.putPolicy(zoneA, { action: "log", ...respelled, value });
    await engine.preview({ csp: policy() });
    assert.deepEqual([engine.warnings.length, engine.progress.length], [0, 1], "information, once");
    assert.match(engine.progress[0]?.text ?? "", new RegExp(`exactly this policy already: id ${id}\\.`));
    assert.equal(engine.progress[0]?.name, "csp");
    await engine.up({ csp: policy() });
    assert.equal(engine.outputs("csp")["policyId"], id);
    assert.deepEqual(await engine.preview({ csp: policy({ description: " checkout\n" }) }), []);
    assert.equal(sim.changing().length, 0);
    await engine.destroy();
    assert.deepEqual(ourPolicies(sim), []);
  });

  it("given a policy that differs in one field, when one is declared, then the preview names it and its different value, quotes no declared value, and the policy stays unchanged", async () => {
    for (const [other, told] of [
      [{ description: "other" }, 'description \\(in the zone: "other"\\)'],
      [{ action: "allow" }, 'action \\(in the zone: "allow"\\)'],
      [{ expression: "true" }, 'expression \\(in the zone: "true"\\)'],
      [{ enabled: false }, "enabled \\(in the zone: false\\)"],
      [{ value: "script-src 'self'" }, "value \\(in the zone: \"script-src 'self'\"\\)"],
    ] as const) {
      const { sim, engine } = await begin();
      const theirs = sim.dashboard.putPolicy(zoneA, { ...policy(), ...other, id: "theirs" });
      await engine.preview({ csp: policy() });
      const near = new RegExp(`a policy that closely matches: theirs differs only in ${told}`);
      assert.match(engine.warned.join(), near);
      assert.doesNotMatch(engine.warned.join(), /js\.example\.com/, "the declared text may be secret");
      await engine.up({ csp: policy() });
      await engine.preview({ csp: policy({ lint: "off" }) });
      assert.deepEqual(engine.warnings, [], "reported on the create, not later");
      await engine.destroy();
      assert.deepEqual(sim.zone(zoneA).policies.at(-1), theirs);
    }
    const { sim, engine } = await begin();
    sim.dashboard.putPolicy(zoneA, { ...policy(), description: "other", action: "allow", id: "theirs" });
    await engine.preview({ csp: policy() });
    assert.deepEqual(engine.warnings, [], "two differences are another policy");
  });

  it("given equal and similar policies, then the findings have their ids as data", () => {
    const content = { description: "shop", expression: "true", value: "img-src *", enabled: true };
    const wanted = { ...content, action: "log" };
    const other = { ...content, action: "allow", policyId: "2" };
    const list = new PolicyList([{ ...wanted, policyId: "1" }, other]);
    const zone = new ZonePolicies(createRun({ env: {} }), zoneA);
    const found = missingFindings([{ wanted }, { wanted }], list, zone, {});
    assert.deepEqual(each(found, "data"), [{ policyIds: ["1"] }, { policyIds: ["2"] }]);
  });

  it("given onDestroy keep, when the stack is destroyed, then the policy stays; a change to keep sends no request", async () => {
    const { sim, engine } = await begin();
    await engine.up({ csp: policy() });
    sim.journal.clear();
    assert.deepEqual(await engine.preview({ csp: policy({ onDestroy: "delete" }) }), [], "the default");
    assert.deepEqual(await engine.preview({ csp: policy({ onDestroy: "keep" }) }), ["update csp"]);
    await engine.up({ csp: policy({ onDestroy: "keep" }) });
    await engine.refresh();
    assert.deepEqual(await engine.preview({ csp: policy({ onDestroy: "keep" }) }), []);
    await engine.destroy();
    assert.deepEqual(ourPolicies(sim), ["checkout"]);
    assert.equal(sim.changing().length, 0);
  });

  it("given a policy, when its zone changes, then it is created in the other zone and deleted in the first", async () => {
    const { sim, engine } = await begin();
    await engine.up({ csp: policy() });
    assert.deepEqual(await engine.preview({ csp: policy({ zoneId: zoneB }) }), ["replace csp"]);
    await engine.up({ csp: policy({ zoneId: zoneB }) });
    assert.deepEqual([ourPolicies(sim, zoneA), ourPolicies(sim, zoneB)], [[], ["checkout"]]);
  });

  it("given a replacement by replaceOnChanges, when it is applied, then the old policy is deleted and the new one stays", async () => {
    const { sim, engine } = await begin();
    await engine.up({ csp: policy() });
    const old = engine.outputs("csp")["policyId"];
    await engine.up({ csp: policy({ value: "script-src 'self'" }) }, { replaceOnChanges: ["csp"] });
    assert.notEqual(engine.outputs("csp")["policyId"], old);
    assert.deepEqual(ourPolicies(sim), ["checkout"]);
  });

  it("given an edit after which a policy equals an unmanaged one, when it is applied, then both stay", async () => {
    const { sim, engine } = await begin();
    sim.dashboard.putPolicy(zoneA, { ...policy({ description: "second" }), id: "theirs" });
    await engine.up({ csp: policy() });
    await engine.up({ csp: policy({ description: "second" }) });
    assert.deepEqual(ourPolicies(sim), ["second", "second"]);
    await engine.destroy();
    assert.equal(sim.zone(zoneA).policies.at(-1)?.id, "theirs");
  });

  describe("given a state with two resources of one policy after a failed replacement,", () => {
    /** Creates such a state: p0 has adopted the policy of p2, and the creation of p2's new policy has failed. */
    async function shared(moved: Properties = {}, names: readonly string[] = ["p0", "p2"]) {
      const { sim, engine } = await begin();
      const [newcomer = "", owner = ""] = names;
      await engine.up({ [owner]: policy() });
      const id = engine.outputs(owner)["policyId"];
      const edited = policy({ description: "new", ...moved });
      const fault = sim.faults.add({ method: "POST", kind: "status", status: 400 });
      await engine.upFails({ [newcomer]: policy(), [owner]: edited });
      sim.faults.remove(fault);
      assert.equal(engine.outputs(newcomer)["policyId"], id);
      assert.equal(engine.outputs(owner)["policyId"], id);
      return { sim, engine, id, program: { [newcomer]: policy(), [owner]: edited } };
    }

    it("when it is previewed and applied, then a finding says that the second resource gets its own policy, and both are as declared", async () => {
      const { sim, engine, id, program } = await shared();
      assert.deepEqual(await engine.preview(program), ["replace p2"]);
      const told = engine.warnings.find(({ name }) => name === "p2")?.text ?? "";
      assert.ok(told.includes(`policy ${id} also belongs to p0, `), told);
      assert.match(told, /gets a policy of its own.*\[csp-one-policy-for-two\]$/);
      await engine.up(program);
      assert.deepEqual(ourPolicies(sim), ["checkout", "new"]);
      assert.equal(engine.outputs("p0")["policyId"], id);
      assert.notEqual(engine.outputs("p2")["policyId"], id);
      await engine.refresh();
      assert.deepEqual(await engine.preview(program), []);
      await engine.destroy();
      assert.deepEqual(ourPolicies(sim), []);
    });

    for (const order of ["as declared", "reversed"]) {
      it(`when the second moves to another zone (program ${order}), then the first keeps the live policy`, async () => {
        const { sim, engine, id, program } = await shared({ zoneId: zoneB });
        const next = order === "reversed" ? Object.fromEntries(Object.entries(program).reverse()) : program;
        await engine.up(next);
        assert.equal(sim.zone(zoneA).policies.at(-1)?.id, id);
        assert.deepEqual([ourPolicies(sim, zoneA), ourPolicies(sim, zoneB)], [["checkout"], ["new"]]);
        assert.deepEqual(await engine.preview(next), []);
      });
    }

    it("when one of the two is removed, then the other one keeps the policy; when both are removed, then it is deleted", async () => {
      for (const kept of ["p0", "p2"]) {
        const { sim, engine, id } = await shared();
        await engine.up({ [kept]: policy() });
        assert.equal(sim.zone(zoneA).policies.at(-1)?.id, id, kept);
        await engine.destroy();
        assert.deepEqual(ourPolicies(sim), []);
      }
    });
  });
});
