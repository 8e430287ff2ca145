import assert from "node:assert/strict";
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
  const { kept, missing, dropped } = planFor(state, { policies: entries });
  return [
    kept.map(({ key, record: { key: before }, isChanged }) => `${key}<${before}${isChanged ? "*" : ""}`),
    missing.map(({ key }) => key),
    dropped.map(({ key }) => key),
  ];
}

describe("A policy of a set under another key", () => {
  it("continues where it says the same, or differs by a description that is the key; each only once, an equal one first", () => {
    for (const [recorded, declared, ...expected] of [
      [{ a: { description: "D" } }, { b: { description: "D" } }, ["b<a"], [], []],
      [{ a: {} }, { b: { description: "a" } }, ["b<a"], [], []],
      [{ a: {} }, { b: {} }, ["b<a*"], [], []],
      [{ a: { description: "D" } }, { b: {} }, [], ["b"], ["a"]],
      [{ a: {} }, { b: { description: "E" } }, [], ["b"], ["a"]],
      [{ z: {}, y: { description: "x" } }, { x: {} }, ["x<y"], [], ["z"]],
      [{ z: {}, y: {} }, { x: {} }, ["x<z*"], [], ["y"]],
      [{ z: {} }, { x: {}, w: {} }, ["x<z*"], ["w"], []],
    ] as const)
      assert.deepEqual(planned(recorded, declared), expected);
  });
});
