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
    pulumi.runtime.setAllConfig({ "page-guard:apiToken": "t", "page-guard:baseUrl": "u" }, [
      "page-guard:apiToken",
    ]);
    assert.equal(isConfigSecret("page-guard:apiToken"), true);
    assert.equal(isConfigSecret("page-guard:baseUrl"), false);
    pulumi.runtime.setAllConfig({});
  });

  it("show the version of the SDK", () => {
    const { version } = JSON.parse(readFileSync(require.resolve("@pulumi/pulumi/package.json"), "utf8"));
    assert.equal(sdkVersion, version);
  });
});
