import assert from "node:assert/strict";
import { fieldMeaning, isSameField } from "../../../provider/src/model/compare";

describe("The comparison of two fields of a zone", () => {
  it("compares their meaning if the field has one, and otherwise their text", () => {
    for (const [kind, name, left, right, isSame] of [
      ["policy", "expression", "a  eq 1", "a eq 1", true],
      ["rule", "expression", "a eq 1", "a eq 2", false],
      ["policy", "description", " shop\n", "shop", true],
      ["policy", "description", "a  b", "a b", false],
      ["policy", "value", "script-src a b", "script-src b a;", true],
      ["policy", "value", "script-src a", "script-src b", false],
      ["policy", "value", "script-src a", undefined, false],
      ["policy", "value", 1, "1", false],
      ["rule", "action", "BLOCK ", "block", true],
      ["policy", "action", "LOG", "log", false],
      ["rule", "ref", "A", "a", false],
      ["entrypoint", "order", ["a"], ["a"], true],
      ["entrypoint", "order", ["a", "b"], ["b", "a"], false],
    ] as const) {
      const text = JSON.stringify([kind, name, left, right]);
      assert.equal(isSameField(kind, name, left, right), isSame, text);
      assert.equal(isSameField(kind, name, right, left), isSame, text);
      const meanings = [left, right].map((value) => JSON.stringify(fieldMeaning(kind, name, value)));
      assert.equal(meanings[0] === meanings[1], isSame, text);
    }
  });
});
