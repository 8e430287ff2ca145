import assert from "node:assert/strict";
import { type Declaration, entrypoint, policy, policySet, settings } from "./real-engine/declaration";
import { useStories, zoneA, zoneB } from "./real-engine/story";
import { sharedZone, skipHealth } from "./real-engine/three-resources";
import { Pipeline } from "./support/pipeline";

const set = (...keys: readonly string[]) =>
  policySet({ zoneId: zoneA, policies: Object.fromEntries(keys.map((key) => [key, {}])) });
const rules = (zoneId: string, foreignRules = "keep") =>
  entrypoint({ zoneId, rules: [skipHealth], foreignRules });
const monitored = settings({ zoneId: zoneA, enabled: true });

/**
 * Each case: a title, the earlier declaration, the present one, the resource that is targeted first, the resource that the
 * approved update targets, and the headline of the review.
 */
const cases: readonly (readonly [what: string, Declaration, Declaration, string, string, RegExp])[] = [
  [
    "a policy that a resource outside of the targets declares",
    { s: set("p", "q") },
    { s: set("q"), p: policy({ zoneId: zoneA, description: "p" }) },
    "CspPolicy::p",
    "CspPolicySet::s",
    /dev: 1 policy to delete\./,
  ],
  [
    "settings that a resource outside of the targets declares",
    { w: monitored },
    { w2: monitored },
    "PageGuardSettings::w2",
    "PageGuardSettings::w",
    /dev: The settings of 1 zone to restore\./,
  ],
  [
    "rules of others and of a resource outside of the targets",
    { e: rules(zoneA) },
    { e: rules(zoneB), e2: rules(zoneA, "overwrite") },
    "",
    "ManagedWafEntrypoint::e2",
    /1 unmanaged WAF rule will be deleted/,
  ],
];

describe("On the engine: an approved update of some of the resources", function () {
  const begin = useStories(this);

  for (const [what, before, now, first, target, says] of cases)
    it(`says in its review that it loses ${what}`, async () => {
      const { sim, stack, unmanaged } = await begin({ [zoneA]: sharedZone, [zoneB]: sharedZone });
      stack.declare(before);
      await stack.up();
      stack.declare(now);
      if (first !== "") await stack.up("--target", `**${first}`);
      const pipeline = new Pipeline(stack, ["--target", `**${target}`]);
      const review = await pipeline.approve();
      assert.match(review, says);
      assert.match(review, /Only some of the resources are selected/);
      assert.match((await new Pipeline(stack).apply()).out, /but this update covers all of them/);
      const changes = sim.changing().length;
      unmanaged.release(...(sim.zone(zoneA).entrypoint?.rules ?? []).map(({ id }) => id));
      await pipeline.applies();
      assert.equal(sim.changing().length, changes + 1);
    });
});
