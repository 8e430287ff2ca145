import assert from "node:assert/strict";
import {
  component,
  type Declaration,
  entrypoint,
  outputOf,
  policy,
  settings,
} from "./real-engine/declaration";
import { changesOf } from "./real-engine/preview";
import type { Recorded } from "./real-engine/stack";
import { useStories, zoneA, zoneWithPolicy } from "./real-engine/story";
import { runManaged } from "./real-engine/three-resources";

const loop = Array.from({ length: 20 }, (_, number) => `loop-${number}`);

/** A component in a component, whose resources use and depend on each other. */
const shop = (zoneA: string): Declaration => ({
  shop: component(),
  pages: component({ parent: "shop" }),
  watch: settings({ zoneId: zoneA, enabled: true }, { parent: "shop" }),
  after: policy({ zoneId: zoneA, description: "after" }, { parent: "shop", dependsOn: ["watch"] }),
  using: policy({ zoneId: outputOf("watch", "id"), description: "using" }, { parent: "pages" }),
  below: policy({ zoneId: zoneA, description: "below" }, { parent: "after" }),
  waf: entrypoint({ zoneId: zoneA, rules: [runManaged] }, { parent: "pages", dependsOn: ["after"] }),
  ...Object.fromEntries(
    loop.map((description) => [description, policy({ zoneId: zoneA, description }, { parent: "pages" })]),
  ),
  outside: policy({ zoneId: zoneA, description: "outside" }, { dependsOn: ["shop"] }),
});

/** The inputs that depend on another resource. */
function findDependent({ propertyDependencies = {} }: Recorded): object {
  return Object.fromEntries(
    Object.entries(propertyDependencies).filter(([, urns]) => urns !== null && urns.length > 0),
  );
}

describe("On the engine: components", function () {
  const begin = useStories(this);

  it("given a component in a component, when it is previewed, applied, refreshed and destroyed, then every step ends, and the state holds only the dependencies of the program", async () => {
    const { sim, stack } = await begin({ [zoneA]: zoneWithPolicy });
    stack.declare(shop(zoneA));
    assert.equal(changesOf(await stack.preview()).length, 26);
    await stack.up();
    assert.equal(sim.zone(zoneA).policies.length, 25);
    const state = stack.state();
    const urns = Object.fromEntries(Object.entries(state).map(([name, { urn }]) => [name, urn]));
    const ofShop = ["watch", "after", "using", "waf", ...loop];
    const expected: Readonly<Record<string, readonly string[]>> = {
      after: ["watch"],
      using: ["watch"],
      waf: ["after"],
      outside: ofShop,
    };
    for (const [name, recorded] of Object.entries(state)) {
      const wanted = (expected[name] ?? []).map((other) => urns[other]).sort();
      assert.deepEqual([...(recorded.dependencies ?? [])].sort(), wanted, name);
      assert.deepEqual(
        findDependent(recorded),
        name === "using" ? { zoneId: [urns["watch"]] } : {},
        `${name}: no input depends on more than the program says`,
      );
    }
    assert.match(urns["loop-3"] ?? "", /::story:index:Component\$story:index:Component\$pulumi-nodejs:/);
    await stack.expectEmptyPreview();
    await stack.expectNoDrift();
    await stack.destroy();
    assert.equal(sim.zone(zoneA).policies.length, 1);
  });
});
