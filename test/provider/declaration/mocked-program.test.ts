import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { CspPolicy, ManagedWafEntrypoint, PageGuardSettings, WafMigration } from "../../../provider/src";
import { zoneA } from "../small-engine/zones";

/** Returns the value of an output, like a unit test of a stack. */
function resolved<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}

describe("Programs under pulumi.runtime.setMocks", () => {
  const registered: pulumi.runtime.MockResourceArgs[] = [];

  before(async () => {
    await pulumi.runtime.setMocks(
      {
        newResource(resource) {
          registered.push(resource);
          return { id: `${resource.name}-id`, state: { ...resource.inputs, policyId: "made" } };
        },
        call: () => ({}),
      },
      "project",
      "stack",
    );
  });

  it("get resources whose outputs have values, from inputs that are plain values or outputs", async () => {
    const watch = new PageGuardSettings("watch", { zoneId: zoneA, enabled: true });
    const csp = new CspPolicy("csp", {
      zoneId: watch.zoneId,
      description: pulumi.interpolate`for ${watch.id}`,
      action: "log",
      expression: "true",
      directives: { "script-src": ["'self'"] },
    });
    const rules = [{ action: "execute", expression: "true", actionParameters: { id: "m" } }];
    const waf = new ManagedWafEntrypoint("waf", { zoneId: zoneA, rules });
    assert.equal(await resolved(watch.enabled), true);
    assert.equal(await resolved(csp.zoneId), zoneA);
    assert.equal(await resolved(csp.description), "for watch-id");
    assert.equal(await resolved(csp.policyId), "made");
    assert.deepEqual(await resolved(csp.directives), { "script-src": ["'self'"] });
    assert.equal((await resolved(waf.rules))[0]?.action, "execute");
    assert.match(await resolved(csp.urn), /page-guard:CspPolicy::csp$/);
  });

  it("get a migration without its hook, because mocks do not support hooks", async () => {
    const args = { zoneId: zoneA, stage: "finished", confirm: zoneA, deleteHook: true } as const;
    const migration = new WafMigration("move", args);
    assert.match(await resolved(migration.urn), /::move$/);
    assert.equal(await resolved(migration.compatible), undefined);
    assert.ok(registered.some(({ name }) => name === "move-step"));
  });

  it("register the types and the constant provider text that old states contain", async () => {
    const watch = new PageGuardSettings("constant", { zoneId: zoneA, enabled: true });
    await resolved(watch.id);
    const found = registered.find(({ name }) => name === "constant");
    assert.equal(found?.type, "pulumi-nodejs:dynamic/page-guard:PageGuardSettings");
    const text = 'exports.handler=()=>require("pulumi-page-guard/runtime").PageGuardSettings';
    assert.equal(found?.inputs["__provider"], text);
  });
});
