import assert from "node:assert/strict";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../provider/src/resources/csp-policy-set/lifecycle";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { pageGuardSettings } from "../../../provider/src/resources/page-guard-settings/lifecycle";
import { wafMigrationStep } from "../../../provider/src/resources/waf-migration/lifecycle";
import type { Simulator } from "../../../simulator/src";
import { managed, runManaged, skipHealth, unmanagedRule } from "../../engine/real-engine/three-resources";
import type { Death } from "../small-engine/mortal";
import type { Program } from "../small-engine/operation";
import type { SmallEngine } from "../small-engine/small-engine";
import { ourPolicies, policy, quickStory, quietZone, zoneA, zoneB } from "../small-engine/zones";

const kinds: Readonly<Record<string, unknown>> = {
  watch: pageGuardSettings,
  csp: cspPolicy,
  one: cspPolicy,
  set: cspPolicySet,
  other: cspPolicySet,
  waf: managedWafEntrypoint,
  once: wafMigrationStep,
};
const kindOf = (name: string) => kinds[name] as never;

const { zoneId: _zone, description: _named, ...content } = policy();
const set = (policies: object) => ({ zoneId: zoneA, policies });
const edited = { ...content, value: "script-src 'none'" };

const watch = { zoneId: zoneA, enabled: true };
const csp = policy({ description: "a" });
const waf = { zoneId: zoneA, rules: [runManaged], foreignRules: "keep" };
const once = { zoneId: zoneB, stage: "finished", confirm: zoneB };

const created: Program = { once, watch, csp, set: set({ b: content, c: content }), waf };
/** A program that edits each resource and moves a policy out of the set. */
const changed: Program = {
  once,
  watch: { ...watch, useConnectionUrlPath: true },
  csp: { ...csp, ...edited },
  set: set({ c: edited, d: content }),
  one: policy({ description: "b" }),
  waf: { ...waf, rules: [runManaged, skipHealth] },
};
/** A program that keeps the migration, because a destroy without `allowForget` stops at it. */
const removed: Program = { once };

interface Story {
  readonly sim: Simulator;
  readonly engine: SmallEngine<unknown, object>;
}

function begin(): Story {
  const foreign = { ...unmanagedRule, action_parameters: { id: managed } };
  const zones = {
    [zoneA]: { ...quietZone, entrypoint: { rules: [foreign] } },
    [zoneB]: { ...quietZone, waf: { firewallRules: 1 } },
  };
  return quickStory<unknown, object>(kindOf as never, zones, { isPlugin: true });
}

const listRules = (sim: Simulator) =>
  (sim.zone(zoneA).entrypoint?.rules ?? []).map(({ description }) => description);

/** Asserts that the zones are as declared, that unmanaged objects are unchanged, and that the next preview is empty. */
async function expectReached(
  { sim, engine }: Story,
  program: Program,
  policies: string[],
  rules: readonly string[],
): Promise<void> {
  assert.deepEqual(ourPolicies(sim), policies);
  assert.ok(sim.zone(zoneA).policies.some(({ description }) => description === "somebody's"));
  assert.deepEqual(listRules(sim).sort(), ["unmanaged rule", ...rules].sort());
  assert.equal(sim.zone(zoneB).waf.acceptedPending, 1, "the finishing request was sent once");
  const before = sim.journal.length;
  assert.deepEqual(await engine.preview(program), []);
  assert.equal(sim.journal.length, before, "a preview without changes makes no request");
}

/** Returns the number of requests in a phase. */
async function countRequests(phase: (story: Story, death?: Death) => Promise<void>): Promise<number> {
  const story = begin();
  const before = story.sim.journal.length;
  await phase(story);
  return story.sim.journal.length - before;
}

describe("A process of the plugin that is killed", function () {
  this.timeout(120_000);

  for (const side of ["before", "after"] as const) {
    for (const parallel of [false, true]) {
      it(`given all resources, ${parallel ? "all at once" : "one by one"}, when it is killed ${side} each request in turn, then one more update reaches the declared state, and no unmanaged object is lost`, async () => {
        const requests = await countRequests(({ engine }) => engine.up(created, { parallel }));
        assert.ok(requests > 15, `${requests} requests`);
        for (let request = 0; request < requests; request += 1) {
          const death = { request, side };
          const story = begin();
          const { sim, engine } = story;
          await engine.up(created, { parallel, death });
          await engine.up(created, { parallel });
          await expectReached(story, created, ["a", "b", "c"], ["managed"]);
          assert.equal(sim.zone(zoneA).settings.enabled, true);

          await engine.up(changed, { parallel, death });
          await engine.up(changed, { parallel });
          await expectReached(story, changed, ["a", "b", "c", "d"], ["health check", "managed"]);
          assert.equal(sim.zone(zoneA).settings.use_connection_url_path, true);

          await engine.up(removed, { death });
          await engine.up(removed);
          assert.deepEqual(ourPolicies(sim), []);
          assert.ok(listRules(sim).includes("unmanaged rule"));
          assert.equal(sim.zone(zoneB).waf.acceptedPending, 1);
        }
      });
    }
  }

  it("given two processes that do not know of each other, when both apply to one zone at once, then each reaches its declared state, and no unmanaged object is lost", async () => {
    const story = begin();
    const { sim, engine } = story;
    const other = engine.fork();
    const ours = { watch, csp, set: set({ b: content }), once };
    const theirs = { one: policy({ description: "c" }), other: set({ d: content }), waf };
    await Promise.all([engine.up(ours, { parallel: true }), other.up(theirs, { parallel: true })]);
    await expectReached(story, ours, ["a", "b", "c", "d"], ["managed"]);
    assert.deepEqual(await other.preview(theirs), []);
    await Promise.all([engine.up(removed), other.destroy()]);
    assert.deepEqual(ourPolicies(sim), []);
    assert.deepEqual(listRules(sim), ["unmanaged rule"]);
    assert.equal(sim.zone(zoneA).settings.enabled, false);
  });
});
