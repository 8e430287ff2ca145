import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pageGuard } from "../cli/support/console";
import { entrypoint, migration, policy, policySet, settings } from "../real-engine/declaration";
import type { Stack } from "../real-engine/stack";
import { useStories, zoneA, zoneB } from "../real-engine/story";
import { managed, sharedZone } from "../real-engine/three-resources";
import * as yaml from "./support/yaml-program";

const watch = { zoneId: zoneA, enabled: true };
const csp = {
  zoneId: zoneA,
  description: "shop",
  action: "log",
  expression: "true",
  value: "img-src *",
} as const;
const blog = { action: "log", expression: "true", directives: { "script-src": ["'self'"] } } as const;
const set = { zoneId: zoneA, policies: { blog } };
const rule = { action: "execute", expression: "true", actionParameters: { id: managed } };
const waf = { zoneId: zoneA, rules: [rule], foreignRules: "keep" } as const;

describe("A stack that moves between a program in TypeScript and one in YAML", function () {
  const begin = useStories(this);

  it("given all resources, when its state is moved to the plugin and back, then each preview is empty, nothing of the record is lost, and no request changes a zone", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone, [zoneB]: { waf: {} } });
    const project = join(stack.place.project, "Pulumi.yaml");
    const javaScript = readFileSync(project, "utf8");
    stack.declare({
      watch: settings(watch),
      csp: policy(csp),
      set: policySet(set),
      waf: entrypoint(waf),
      once: migration({ zoneId: zoneB }),
    });
    await stack.up();
    await stack.expectEmptyPreview();
    const recorded = recordOf(stack);
    const changes = sim.changing().length;

    const declare = await yaml.useYaml(stack);
    await move(stack, "plugin");
    declare({
      resources: {
        watch: yaml.resource("PageGuardSettings", watch),
        csp: yaml.resource("CspPolicy", csp),
        set: yaml.resource("CspPolicySet", set),
        waf: yaml.resource("ManagedWafEntrypoint", waf),
        once: yaml.migration({ zoneId: zoneB }),
      },
    });
    await stack.expectEmptyPreview();
    await stack.up("--expect-no-changes");
    await stack.expectNoDrift();
    assert.deepEqual(recordOf(stack), recorded);
    const text = readFileSync(stack.checkpoint, "utf8");
    assert.ok(!text.includes("pulumi-nodejs") && !text.includes("__provider"));

    const env = { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token };
    const state = join(stack.place.project, "state.json");
    for (const command of ["drift", "coverage"]) {
      const { code, out, err } = await pageGuard([command, "--state", state, "--json"], { env });
      assert.equal(code, 2, `someone else's policy and rule are found, and no more: ${err}`);
      assert.ok(out.includes(zoneA) && out.includes(zoneB), `${command} knows resources of the plugin`);
    }

    await move(stack, "dynamic");
    writeFileSync(project, javaScript);
    await stack.expectEmptyPreview();
    await stack.up("--expect-no-changes");
    await stack.expectNoDrift();
    assert.deepEqual(recordOf(stack), recorded);
    assert.equal(sim.changing().length, changes);
  });
});

async function move(stack: Stack, to: string): Promise<void> {
  const file = join(stack.place.project, "state.json");
  assert.equal((await stack.run("stack", "export", "--file", file)).code, 0);
  const { code, out, err } = await pageGuard(["move-state", "--to", to, file]);
  assert.equal(code, 0, err);
  assert.match(err, /^Moved 5: .*once-step/);
  writeFileSync(file, out);
  const imported = await stack.run("stack", "import", "--file", file);
  assert.equal(imported.code, 0, imported.output);
}

/** What the state says of the zones, and who is protected. */
function recordOf(stack: Stack) {
  return Object.fromEntries(
    Object.entries(stack.state()).map(([name, { id, protect, outputs }]) => {
      const { __provider: _provider, __urn: _urn, ...rest } = outputs;
      return [name, { id, protect, outputs: rest }];
    }),
  );
}
