import assert from "node:assert/strict";
import { declaredText } from "../../provider/src/model/policies/declared-policy";
import { unknownValue } from "../../provider/src/model/unknown";

describe("The text of a declared policy", () => {
  it("is known where all of it is, and directives are such", () => {
    const of = (directives: unknown) => declaredText({ directives });
    assert.equal(of({ "script-src": ["'self'", "a.example"] }), "script-src 'self' a.example");
    assert.equal(declaredText({ value: "script-src 'self'" }), "script-src 'self'");
    for (const directives of [
      unknownValue,
      { "script-src": unknownValue },
      { "script-src": ["'self'", unknownValue] },
      { "script-src": 7 },
      7,
      undefined,
    ])
      assert.equal(of(directives), undefined);
  });
});
