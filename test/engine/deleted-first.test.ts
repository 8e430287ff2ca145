import assert from "node:assert/strict";
import type { Simulator } from "../../simulator/src";
import { type Declaration, type Options, policySet } from "./real-engine/declaration";
import { useStories, zoneA, zoneB } from "./real-engine/story";
import { inOrder, runManaged, sharedZone, threeResources } from "./real-engine/three-resources";

/** The four kinds of resources that can be recreated. */
const names = ["watch", "csp", "set", "waf"] as const;

const forced = [
  "--replace",
  "**PageGuardSettings::watch",
  "--replace",
  "**CspPolicy::csp",
  "--replace",
  "**CspPolicySet::set",
  "--replace",
  "**ManagedWafEntrypoint::waf",
];

/**
 * One of each kind in one zone, all to be deleted before they are recreated; one after the other, so it is known what is
 * under way when all dies.
 */
function quartet(zoneId: string, edition = "", options: Options = {}): Declaration {
  const firstDeleted = { deleteBeforeReplace: true, ...options };
  const described = (name: string) => ({ description: `${name}${edition}` });
  const policies = { a: described("a"), b: { ...described("b"), value: "script-src 'self'" } };
  const three = threeResources(
    zoneId,
    {
      settings: edition === "" ? {} : { useConnectionUrlPath: true },
      policy: described("checkout"),
      entrypoint: { rules: [{ ...runManaged, ...described("managed") }] },
    },
    firstDeleted,
  );
  const set = policySet({ zoneId, policies }, { ...firstDeleted, dependsOn: ["csp"] });
  return { ...inOrder(three), set };
}

function expectQuartet(sim: Pick<Simulator, "zone">, zoneId: string, edition = ""): void {
  const { settings, policies, entrypoint } = sim.zone(zoneId);
  assert.deepEqual([settings.enabled, settings.use_connection_url_path], [true, edition !== ""]);
  assert.deepEqual(policies.map(({ description }) => description).sort(), [
    `a${edition}`,
    `b${edition}`,
    `checkout${edition}`,
    "unmanaged",
  ]);
  assert.deepEqual(
    entrypoint?.rules.map(({ description }) => description),
    ["unmanaged rule", `managed${edition}`],
  );
}

describe("On the engine: deleteBeforeReplace", function () {
  const begin = useStories(this);

  it("given resources that move to another zone, by --replace and by replaceOnChanges, when all dies after what was to be deleted first, then the next run ends it, and nothing is double, lost or left behind", async () => {
    const { sim, stack, unmanaged } = await begin({ [zoneA]: sharedZone, [zoneB]: sharedZone });

    const found = { zoneA: sim.zone(zoneA), zoneB: sim.zone(zoneB) };
    /** Without what the service counts and dates. */
    const expectAsFound = (zone: keyof typeof found) => {
      const { settings, policies, entrypoint } = sim.zone(zone === "zoneA" ? zoneA : zoneB);
      assert.deepEqual({ ...settings, updated_at: "" }, { ...found[zone].settings, updated_at: "" });
      assert.deepEqual(policies, found[zone].policies);
      assert.deepEqual(entrypoint?.rules, found[zone].entrypoint?.rules);
    };

    // 1. Another zone: cut off where the policy is gone from the old one, and not made in the new one yet.
    stack.declare(quartet(zoneA));
    await stack.up();
    stack.declare(quartet(zoneB));
    stack.killAllAt({ at: "arrival", method: "POST", path: "/policies", zoneId: zoneB });
    assert.equal((await stack.run("up", "--yes", "--skip-preview")).code, null);
    stack.unlock();
    await stack.up();
    expectAsFound("zoneA");
    expectQuartet(sim, zoneB);
    assert.equal(stack.resources().length, 4);
    await stack.expectEmptyPreview();

    // 2. Recreated where they are, and the providers get no state: what was found comes back in between.
    const initial = () => names.map((name) => stack.state()[name]?.outputs["initial"]);
    const recorded = initial();
    await stack.up(...forced);
    expectQuartet(sim, zoneB);
    assert.deepEqual(initial(), recorded);
    await stack.expectEmptyPreview();

    // 3. By an edit: cut off where the rules are as they were found, and not written again yet.
    const replaceOnChanges = ["*"];
    stack.declare(quartet(zoneB, ", second edition", { replaceOnChanges }));
    stack.killAllAt({ at: "arrival", method: "PUT", path: "entrypoint", skip: 1 });
    assert.equal((await stack.run("up", "--yes", "--skip-preview")).code, null);
    stack.unlock();
    await stack.up();
    expectQuartet(sim, zoneB, ", second edition");
    assert.deepEqual(initial(), recorded);
    await stack.expectEmptyPreview();

    // 4. By another one: cut off where the settings are as they were found, and destroyed as it is then.
    stack.declare(quartet(zoneB, "", { replaceOnChanges }));
    stack.killAllAt({ at: "arrival", method: "PUT", path: "page_guard", skip: 1 });
    assert.equal((await stack.run("up", "--yes", "--skip-preview")).code, null);
    stack.unlock();
    await stack.destroy();
    expectAsFound("zoneA");
    expectAsFound("zoneB");
    assert.deepEqual(stack.resources(), []);
    unmanaged.expectUntouched();
  });
});
