import assert from "node:assert/strict";
import { recordedConnection, recordedResources } from "../../command/src/state/recorded";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const start = "urn:pulumi:dev::shop::";

function provider(pkg: string, name: string, inputs: object) {
  return { urn: `${start}pulumi:providers:${pkg}::${name}`, id: name, inputs: { ...inputs } };
}

function watch(type: string, of: ReturnType<typeof provider>) {
  const urn = `${start}${type}PageGuardSettings::watch`;
  return { urn, id: zoneId, provider: `${of.urn}::${of.id}`, inputs: {}, outputs: { schemaVersion: 1 } };
}

describe("The resources of this package in a state", () => {
  const dynamic = provider("pulumi-nodejs", "default", { "page-guard:apiToken": "of the stack" });
  const plugin = provider("page-guard", "default_0_1_0", { apiToken: "of the plugin", version: "0.1.0" });
  const other = provider("page-guard", "eu", { apiToken: "of another provider", service: "page_shield" });

  for (const [what, type, own, token, service] of [
    ["a dynamic resource", "pulumi-nodejs:dynamic/page-guard:", dynamic, "of the stack", undefined],
    ["a resource of the plugin", "page-guard:index:", plugin, "of the plugin", undefined],
    ["a resource of an explicit provider", "page-guard:index:", other, "of another provider", "page_shield"],
  ] as const) {
    it(`include ${what}, with the connection of its provider`, () => {
      const resources = [dynamic, plugin, other, watch(type, own)];
      const recorded = recordedResources(resources);
      const kinds = recorded.map(({ name, kind }) => [name, kind]);
      assert.deepEqual(kinds, [["watch", "PageGuardSettings"]]);
      const { config } = recordedConnection(zoneId, recorded, resources);
      assert.equal(config?.apiToken, token);
      assert.equal(config?.service, service);
    });
  }

  it("have the connection of the resource, of an explicit provider, or of the environment, in this order", () => {
    const baseUrl = "https://eu.example/v4";
    const argument = (name: string, connection?: object) => {
      const given = provider("page-guard", name, { baseUrl, service: "page_shield" });
      const watched = { ...watch("page-guard:index:", given), inputs: connection ? { connection } : {} };
      const resources = [given, watched];
      return recordedConnection(zoneId, recordedResources(resources), resources).argument;
    };
    assert.deepEqual(argument("eu"), { baseUrl, service: "page_shield" });
    assert.deepEqual(argument("default_eu"), { baseUrl, service: "page_shield" });
    assert.deepEqual(argument("eu", { service: "page_guard" }), { baseUrl, service: "page_guard" });
    assert.deepEqual(argument("default_0_1_0"), {});
  });

  it("include no components, no resources that are only read, and none that are about to be deleted", () => {
    const component = { urn: `${start}page-guard:index:WafMigration::waf`, inputs: {}, outputs: {} };
    const own = watch("pulumi-nodejs:dynamic/page-guard:", dynamic);
    const others = [component, { ...own, external: true }, { ...own, delete: true }];
    assert.deepEqual(recordedResources(others), []);
  });
});
