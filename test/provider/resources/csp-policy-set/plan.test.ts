import assert from "node:assert/strict";
import { Ownership } from "../../../../provider/src/policies/ownership";
import { planFor } from "../../../../provider/src/resources/csp-policy-set/plan";

const content = { action: "log" as const, expression: "true", value: "script-src 'self'" };

/** What becomes of each key: `new<old` for a new name, with `*` where something is to be sent. */
function planned(recorded: Readonly<Record<string, object>>, declared: Readonly<Record<string, object>>) {
  const policies = Object.fromEntries(
    Object.entries(recorded).map(([key, more]) => [key, { ...content, ...more }]),
  );
  const policyIds = Object.fromEntries(Object.keys(recorded).map((key) => [key, `id-${key}`]));
  const entries = Object.fromEntries(
    Object.entries(declared).map(([key, more]) => [key, { ...content, ...more }]),
  );
  const state = { policies, policyIds };
  const { kept, missing, dropped } = planFor(new Ownership(), "set", state, { policies: entries });
  return [
    kept.map(({ key, record: { key: before }, isChanged }) => `${key}<${before}${isChanged ? "*" : ""}`),
    missing.map(({ key }) => key),
    dropped.map(({ key }) => key),
  ];
}

describe("A policy of a set under another key", () => {
  it("continues as it is where it has a description of its own", () => {
    assert.deepEqual(planned({ a: { description: "D" } }, { b: { description: "D" } }), [["b<a"], [], []]);
    assert.deepEqual(planned({ a: {} }, { b: { description: "a" } }), [["b<a"], [], []]);
  });

  it("gets the new key for its description where that was the old one", () => {
    assert.deepEqual(planned({ a: {} }, { b: {} }), [["b<a*"], [], []]);
  });

  it("is another one where someone has said another description", () => {
    assert.deepEqual(planned({ a: { description: "D" } }, { b: {} }), [[], ["b"], ["a"]]);
    assert.deepEqual(planned({ a: {} }, { b: { description: "E" } }), [[], ["b"], ["a"]]);
  });

  it("continues an equal policy rather than a similar one, and each policy only once", () => {
    assert.deepEqual(planned({ z: {}, y: { description: "x" } }, { x: {} }), [["x<y"], [], ["z"]]);
    assert.deepEqual(planned({ z: {}, y: {} }, { x: {} }), [["x<z*"], [], ["y"]]);
    assert.deepEqual(planned({ z: {} }, { x: {}, w: {} }), [["x<z*"], ["w"], []]);
  });
});
