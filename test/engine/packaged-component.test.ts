import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Stack } from "./real-engine/stack";
import { useStories, zoneA } from "./real-engine/story";

/** The provider of a package with one component, `Shop`, which switches a zone's monitoring on and gives it a policy. */
const shopkit = `
const pulumi = require("@pulumi/pulumi");
const { CspPolicy, PageGuardSettings } = require("pulumi-page-guard");
const provider = {
  version: "1.0.0",
  async construct(name, type, { zoneId, action }, options) {
    const shop = new pulumi.ComponentResource(type, name, {}, options);
    new PageGuardSettings(name + "-watch", { zoneId, enabled: true }, { parent: shop });
    new CspPolicy(
      name + "-csp",
      { zoneId, description: name, action, expression: "true", value: "script-src 'self'" },
      { parent: shop },
    );
    return { urn: shop.urn, state: {} };
  },
};
pulumi.provider.main(provider, process.argv.slice(2));
`;

describe("On the engine: components of a package", function () {
  const begin = useStories(this);

  it("given an applied component, when it and two others are refused, then each reports its own finding, and nothing is deleted", async () => {
    const { sim, stack } = await begin({ [zoneA]: {} });
    install(stack);
    declare(stack, { first: "log" });
    await stack.up();
    assert.equal(Object.keys(stack.state()).length, 2);
    const requests = sim.changing().length;

    declare(stack, { first: "block", second: "deny", third: "stop" });
    for (const command of [["preview"], ["up", "--yes", "--skip-preview"]]) {
      const said = await stack.fails(...command);
      for (const [name, action] of Object.entries({ first: "block", second: "deny", third: "stop" })) {
        assert.match(said, new RegExp(`Failed to declare CspPolicy ${name}-csp: action: .*got "${action}"`));
      }
    }
    assert.equal(sim.changing().length, requests);
  });
});

function install({ place, env }: Stack): void {
  const bin = join(place.folder, "bin");
  mkdirSync(bin);
  const provider = join(place.project, "shopkit.js");
  writeFileSync(provider, shopkit);
  const start = `#!/bin/sh\nexec "${process.execPath}" "${provider}" "$@"\n`;
  writeFileSync(join(bin, "pulumi-resource-shopkit"), start, { mode: 0o755 });
  env["PATH"] = `${bin}${delimiter}${place.env["PATH"]}`;
}

/** Writes a program with one component per name; `actions` has the action of its policy. */
function declare({ place }: Stack, actions: Readonly<Record<string, string>>): void {
  const shops = Object.entries(actions).map(
    ([name, action]) =>
      `new pulumi.ComponentResource("shopkit:index:Shop", "${name}", { zoneId: "${zoneA}", action: "${action}" }, {}, true);\n`,
  );
  const text = `const pulumi = require("@pulumi/pulumi");\n${shops.join("")}`;
  writeFileSync(join(place.project, "index.js"), text);
}
