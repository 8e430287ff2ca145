import assert from "node:assert/strict";
import { isSameZone } from "../../provider/src/lifecycle/changed-inputs";
import { zoneA } from "../small-engine/zones";

describe("Zone ids that are compared", () => {
  it("name the same zone in either case, and other values only when they are the same", () => {
    assert.ok(isSameZone(zoneA.toUpperCase(), zoneA));
    assert.ok(!isSameZone("aB", "ac"));
    assert.ok(isSameZone(undefined, undefined));
    assert.ok(!isSameZone(undefined, "a"));
    assert.ok(!isSameZone("a", undefined));
  });
});
