import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import * as settings from "@pulumi/pulumi/runtime/settings";
import {
  isConfigSecret,
  isUnderMocks,
  takesHooks,
} from "../../../../provider/src/declaration/internals/monitor";
import { sdkVersion } from "../../../../provider/src/declaration/internals/provider-library";
import { readType, referTo, walkParents } from "../../../../provider/src/declaration/internals/resource";
import { runInline } from "../support/fake-engine";
import { keepConsole } from "../support/kept-console";

describe("The internals of the SDK", () => {
  it("show whether the program runs under mocks, which may not support hooks", async () => {
    await pulumi.runtime.setMocks({ newResource: () => ({ id: "id", state: {} }), call: () => ({}) });
    assert.equal(isUnderMocks(), true);
    const monitor: object = pulumi.runtime.getMonitor() ?? assert.fail("there are no mocks");
    assert.equal(takesHooks(), "registerResourceHook" in monitor);
    settings.setMockOptions(undefined);
    assert.deepEqual([isUnderMocks(), takesHooks()], [false, true]);
  });

  it("show which config values are secret", () => {
    const config = { "page-guard:apiToken": "t", "page-guard:baseUrl": "u" };
    pulumi.runtime.setAllConfig(config, ["page-guard:apiToken"]);
    assert.equal(isConfigSecret("page-guard:apiToken"), true);
    assert.equal(isConfigSecret("page-guard:baseUrl"), false);
    pulumi.runtime.setAllConfig({});
  });

  it("show the version of the SDK", () => {
    const { version } = JSON.parse(readFileSync(require.resolve("@pulumi/pulumi/package.json"), "utf8"));
    assert.equal(sdkVersion, version);
  });
});

describe("The internals of a resource", () => {
  keepConsole();

  it("show its type and its ancestors", async () => {
    let line: unknown;
    let ofProvider: unknown;
    await runInline(async () => {
      const shop = new pulumi.ComponentResource("test:index:Shop", "shop");
      const part = new pulumi.ComponentResource("test:index:Part", "part", {}, { parent: shop });
      line = [...walkParents(part)].map(readType);
      class Provider extends pulumi.ProviderResource {}
      ofProvider = readType(new Provider("test", "provider"));
    });
    assert.deepEqual(line, ["test:index:Part", "test:index:Shop", "pulumi:pulumi:Stack"]);
    assert.equal(ofProvider, "pulumi:providers:test");
  });

  it("show nothing in an SDK that keeps them elsewhere", () => {
    assert.deepEqual([...walkParents(undefined)], []);
    for (const value of [undefined, null, "text", {}, { __pulumiType: 5 }])
      assert.equal(readType(value), undefined);
  });

  it("are not needed for a message, which needs only a URN", async () => {
    const urn = "urn:pulumi:dev::shop::test:index:Shop::later";
    const { warnings, urns } = await runInline(async () => void pulumi.log.warn("look", referTo(urn)));
    assert.deepEqual([warnings, urns], [["look"], [urn]]);
  });
});
