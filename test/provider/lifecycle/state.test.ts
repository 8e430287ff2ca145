import assert from "node:assert/strict";
import { withoutUndefined } from "../../../provider/src/lifecycle/state";

describe("A state", () => {
  it("loses what is undefined, at any depth, and nothing else", () => {
    assert.deepEqual(withoutUndefined({ a: undefined, b: null, c: [{ d: undefined, e: 0 }], f: "" }), {
      b: null,
      c: [{ e: 0 }],
      f: "",
    });
    assert.deepEqual(
      [withoutUndefined(undefined), withoutUndefined("x"), withoutUndefined(null)],
      [undefined, "x", null],
    );
  });
});
