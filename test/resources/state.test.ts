import assert from "node:assert/strict";
import { schemaVersion, upgradeState, withoutUndefined } from "../../provider/src/lifecycle/state";

describe("the state of an older or newer version", () => {
  it("is brought to the version of today, and keeps what it holds", () => {
    assert.deepEqual(upgradeState({ zoneId: "z", unknown: 1 }), { zoneId: "z", unknown: 1, schemaVersion });
    assert.deepEqual(upgradeState({ zoneId: "z", schemaVersion }), { zoneId: "z", schemaVersion });
  });

  it("is refused when a newer version has written it: reading would lose what that one added", () => {
    assert.throws(() => upgradeState({ schemaVersion: schemaVersion + 1 }), {
      message:
        /written by a newer pulumi-page-guard \(schema \d+, this one knows \d+\)\. Install the version/,
    });
  });

  it("holds no undefined at any depth, because the engine refuses that", () => {
    const state = { a: undefined, b: [{ c: undefined, d: null }], e: { f: { g: undefined } }, h: false };
    assert.deepEqual(withoutUndefined(state), { b: [{ d: null }], e: { f: {} }, h: false });
    assert.ok(!("a" in Object(withoutUndefined(state))));
  });
});
