import assert from "node:assert/strict";
import { currentResource, onResource } from "../../../provider/src/lifecycle/on-resource";

describe("Work for a resource", () => {
  it("knows which resource it is for, however deep, and none outside", async () => {
    assert.equal(currentResource(), "");
    await onResource("urn:a", async () => {
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(currentResource(), "urn:a");
    });
    assert.equal(currentResource(), "");
  });
});
