import assert from "node:assert/strict";
import {
  differingPlaces,
  pathKey,
  placeText,
} from "../../../provider/src/lifecycle/approval/differing-places";
import { steadyState } from "../../../provider/src/lifecycle/approval/step-compared";
import { unknownValue } from "../../../provider/src/lifecycle/unknown";

describe("The state of a resource, as it is compared", () => {
  it("is all but what the service sets by itself, whatever names a program uses", () => {
    const rule = { id: "r", version: "3", lastUpdated: "t", action: "skip" };
    const recorded = {
      __provider: "text",
      updatedAt: "t",
      version: "7",
      rules: [rule, [rule]],
      initial: { rules: [rule] },
      policyIds: { version: "p", updatedAt: "q" },
      value: "hush",
    };
    const { version: _, lastUpdated: __, ...steady } = rule;
    assert.deepEqual(steadyState(recorded, ["value"]), {
      rules: [steady, [steady]],
      initial: { rules: [steady] },
      policyIds: { version: "p", updatedAt: "q" },
    });
  });

  it("differs by paths; absent and null are equal, and what is still unknown differs", () => {
    const places = (approved: unknown, now: unknown, ...unknown: string[][]) =>
      differingPlaces(approved, now, new Set(unknown.map(pathKey))).map(placeText);
    assert.deepEqual(places({ a: { b: [1, 2] }, c: null }, { a: { b: [1, 3] } }), ["a.b[1]"]);
    assert.deepEqual(places({ a: [1] }, { a: [1, 2] }), ["a"]);
    assert.deepEqual(places({ a: [] }, { a: {} }), ["a"]);
    assert.deepEqual(places({ a: "1" }, { a: 1 }), ["a"]);
    assert.deepEqual(places({ a: "[not known yet]" }, { a: { b: 1 } }, ["a"]), []);
    assert.deepEqual(places({ a: "[not known yet]" }, { a: { b: unknownValue } }, ["a"]), ["a.b"]);
    assert.deepEqual(places({ a: unknownValue }, { a: unknownValue }), ["a"]);
    assert.deepEqual(places({}, JSON.parse('{"__proto__":{"a":1}}')), ["__proto__"]);
  });
});
