import assert from "node:assert/strict";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../provider/src/resources/csp-policy-set/lifecycle";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { pageGuardSettings } from "../../../provider/src/resources/page-guard-settings/lifecycle";
import { policy, quickStory, quietZone, zoneA } from "../small-engine/zones";
import { made, rule } from "./support/skip-rules";

describe("A read with a made-up state", () => {
  it("does not make a rule ours: an entry point that is created in the same update is refused, and every rule stays", async () => {
    const { sim, engine } = quickStory(managedWafEntrypoint, {
      [zoneA]: { ...quietZone, entrypoint: { name: "n", rules: [made("a colleague's")] } },
    });
    const [theirs] = sim.zone(zoneA).entrypoint?.rules ?? [];
    const ofTheirs = { ...rule("a colleague's"), id: theirs?.id };
    const reads = { look: { id: zoneA, state: { zoneId: zoneA, rules: [ofTheirs] } } };
    const program = { waf: { zoneId: zoneA, rules: [rule("mine")] } };
    assert.match(await engine.upFails(program, { reads }), /"a colleague's".*\[waf-foreign-rules\]$/s);
    assert.deepEqual(sim.zone(zoneA).entrypoint?.rules, [theirs]);
  });

  it("does not set the first settings: no undeclared switch changes, and a destroy restores the real ones", async () => {
    const settings = { enabled: true, use_connection_url_path: true };
    const { sim, engine } = quickStory(pageGuardSettings, { [zoneA]: { ...quietZone, settings } });
    const before = sim.zone(zoneA).settings;
    const initial = { enabled: false, useConnectionUrlPath: false };
    const reads = { look: { id: zoneA, state: { zoneId: zoneA, ...initial, initial } } };
    await engine.up({ watch: { zoneId: zoneA, enabled: true } }, { reads });
    assert.deepEqual(sim.zone(zoneA).settings, before);
    await engine.destroy();
    assert.deepEqual(sim.zone(zoneA).settings, before);
  });

  it("gives a policy no logging time: that of an adopted policy starts at the adoption, alone and in a set", async () => {
    const declared = policy({ minimumLogDays: 7 });
    const { zoneId, minimumLogDays, description: _, ...checkout } = declared;
    const setOf = (entry: object) => ({ zoneId, minimumLogDays, policies: { checkout: entry } });
    const allow = { action: "allow" };
    const since = "2020-01-01T00:00:00.000Z";
    for (const isSet of [false, true]) {
      const kind = isSet ? cspPolicySet : cspPolicy;
      const policies = [{ ...Object(checkout), description: "checkout" }];
      const { engine, sim } = quickStory<unknown, object>(kind as never, {
        [zoneA]: { ...quietZone, policies },
      });
      const id = sim.zone(zoneA).policies[0]?.id ?? "";
      const ofSet = { policyIds: { checkout: id }, loggingSince: { checkout: since } };
      const look = isSet
        ? { id: zoneA, state: { ...setOf(checkout), ...ofSet } }
        : { id: `${zoneA}/${id}`, state: { ...declared, loggingSince: since } };
      await engine.up({ csp: isSet ? setOf(checkout) : declared }, { reads: { look } });
      const allowed = isSet ? setOf({ ...checkout, ...allow }) : { ...declared, ...allow };
      assert.match(await engine.previewFails({ csp: allowed }), /\[csp-too-early\]$/, kind.name);
    }
  });

  it("hides no policy from an exact set: the preview names the policies that the update would delete", async () => {
    const { engine, sim } = quickStory(cspPolicySet);
    const [theirs] = sim.zone(zoneA).policies;
    const { zoneId: _, description: _named, ...own } = policy();
    const program = { set: { zoneId: zoneA, policies: { own }, others: "delete" } };
    const state = { zoneId: zoneA, policies: { x: {} }, policyIds: { x: theirs?.id } };
    const reads = { look: { id: zoneA, state } };
    await engine.preview(program, { reads });
    assert.match(engine.warned.join("\n"), /"somebody's".*\[csp-undeclared-deleted\]/);
    const refusing = { set: { ...program.set, others: "refuse" } };
    await assert.rejects(engine.preview(refusing, { reads }), /\[csp-undeclared\]/);
  });
});
