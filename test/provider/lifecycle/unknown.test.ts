import assert from "node:assert/strict";
import { containsUnknown, isUnknown, unknownValue } from "../../../provider/src/model/unknown";

describe("Values that are unknown", () => {
  it("are unknown at any depth, or not", () => {
    assert.deepEqual(
      [isUnknown(unknownValue), isUnknown("x"), isUnknown([unknownValue])],
      [true, false, false],
    );
    assert.deepEqual(
      [unknownValue, [unknownValue], { a: [{ b: unknownValue }] }, null, undefined, "x", { a: null }].map(
        containsUnknown,
      ),
      [true, true, true, false, false, false, false],
    );
  });
});
