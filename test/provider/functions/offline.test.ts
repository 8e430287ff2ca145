import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { getScripts, getScriptsOutput, type PageGuardError } from "../../../provider/src";
import { zoneA } from "../small-engine/zones";

describe("Functions under PAGE_GUARD_OFFLINE", () => {
  before(async () => {
    process.env["PAGE_GUARD_OFFLINE"] = "1";
    const isPreview = true;
    const mocks = { newResource: () => ({ id: "", state: {} }), call: () => ({}) };
    await pulumi.runtime.setMocks(mocks, "project", "stack", isPreview);
  });

  after(async () => {
    delete process.env["PAGE_GUARD_OFFLINE"];
    await pulumi.runtime.setMocks({ newResource: () => ({ id: "", state: {} }), call: () => ({}) });
  });

  it("reject and name the variable, before anything is sent", async () => {
    await assert.rejects(getScripts({ zoneId: zoneA }), (error: PageGuardError) => {
      assert.equal(error.code, "PG_OFFLINE");
      // This is a preview: the message says which functions it can call.
      assert.match(error.message, /PAGE_GUARD_OFFLINE is set.* such as getScriptsOutput/);
      return true;
    });
  });

  it("return an unknown output, so that the preview continues", async () => {
    const scripts = getScriptsOutput({ zoneId: zoneA });
    let isCalled = false;
    const applied = scripts.apply(() => {
      isCalled = true;
    });
    assert.equal(await Reflect.get(applied, "isKnown"), false);
    assert.equal(isCalled, false);
  });
});
