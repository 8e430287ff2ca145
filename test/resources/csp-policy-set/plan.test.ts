import assert from "node:assert/strict";
import type { Policy } from "../../../provider/src/api/client-types";
import { createRun } from "../../../provider/src/lifecycle/process-run";
import { PolicyList } from "../../../provider/src/model/policies/policy-list";
import { unknownValue } from "../../../provider/src/model/unknown";
import { Ownership } from "../../../provider/src/policies/ownership";
import { zonePolicies } from "../../../provider/src/policies/zone-policies";
import {
  changedKeys,
  entriesOf,
  inRecordedWords,
  recordsOf,
} from "../../../provider/src/resources/csp-policy-set/entries";
import { mayBe, planFor } from "../../../provider/src/resources/csp-policy-set/plan";
import { missingFindings } from "../../../provider/src/resources/csp-policy-set/set-findings";
import { zoneA } from "../../small-engine/zones";

const content = { action: "log" as const, expression: "true", value: "script-src 'self'" };
const named = (description: string) => ({ ...content, description });
const none = { kept: [], missing: [], dropped: [], lost: [], partlyUnknownPolicies: [] };

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

describe("Policies of a set, whatever came for them", () => {
  it("are none where that is no object, and unknown where it is not known", () => {
    for (const policies of [undefined, null, 1, "x"]) assert.equal(entriesOf({ policies })?.size, 0);
    assert.equal(entriesOf({ policies: unknownValue }), undefined);
    assert.deepEqual([...changedKeys({}, { policies: unknownValue }).keys()], [""]);
    assert.deepEqual(
      [...changedKeys({ policies: { a: named("a"), c: content } }, { policies: { b: content, c: content } })],
      [
        ["a", []],
        ["b", []],
      ],
    );
  });

  it("are found by their own keys alone", () => {
    const records = recordsOf({ policies: { a: content }, policyIds: { a: "1", constructor: "2" } });
    assert.deepEqual(records.get("a")?.entry, content);
    assert.deepEqual(records.get("constructor")?.entry, {});
    assert.equal(records.get("toString"), undefined);
    assert.equal(recordsOf({}).size, 0);
  });

  it("stay as they are declared where nothing in the state is like them", () => {
    const words = (before: unknown, now: unknown) =>
      inRecordedWords({ policies: before }, { policies: now })["policies"];
    for (const now of [undefined, null, 1, unknownValue]) assert.equal(words({ a: content }, now), now);
    for (const entry of [null, 1, unknownValue])
      assert.deepEqual(words({ a: content }, { a: entry }), { a: entry });
    const whole = { ...content, enabled: true };
    for (const before of [undefined, null, { a: null }, { a: "x" }, {}])
      assert.deepEqual(words(before, { a: { ...whole, policyId: "1" } }), { a: whole });
    const spaced = { ...content, expression: " true " };
    assert.deepEqual(words({ a: spaced }, { a: content }), { a: spaced });
  });
});

describe("What is reported of policies that the zone has already", () => {
  const live = (policyId: string, description: string) => ({
    ...named(description),
    enabled: true,
    policyId,
  });

  it("is that they are adopted, and what a destroy makes of them then", () => {
    const zone = zonePolicies(createRun({ env: {} }), zoneA);
    const missing = [{ key: "a", wanted: { ...named("a"), enabled: true }, entry: content }];
    const told = (onDestroy?: string) =>
      missingFindings({ ...none, missing }, new PolicyList([live("1", "a")]), zone, { onDestroy })
        .map(({ message }) => message)
        .join();
    assert.match(told(), /exactly this policy already: a\..*, and deleted on destroy/);
    assert.doesNotMatch(told("keep"), /deleted on destroy/);
  });
});

const inZone: Policy = {
  policyId: "p",
  description: "shop",
  action: "log",
  expression: 'http.host eq "shop.example.com"',
  enabled: true,
  value: "script-src 'self'; img-src 'self'",
};

describe("Whether a policy of the zone may be one of which not all is known", () => {
  const rows: readonly [string, object, boolean][] = [
    ["all is unknown", { description: unknownValue, action: unknownValue, value: unknownValue }, true],
    ["what is known is so", { description: "shop", action: "log", value: unknownValue }, true],
    ["another name", { description: "blog", value: unknownValue }, false],
    ["another action", { action: "allow", value: unknownValue }, false],
    ["another expression", { expression: "true", value: unknownValue }, false],
    [
      "the same expression, spelled otherwise",
      { expression: 'http.host   eq  "shop.example.com"', value: unknownValue },
      true,
    ],
    ["switched off here", { enabled: false, value: unknownValue }, false],
    ["switched on by default", { value: unknownValue }, true],
    ["nobody knows whether it is switched on", { enabled: unknownValue }, true],
    ["another text", { description: unknownValue, value: "script-src 'none'" }, false],
    [
      "the same text in another order",
      { description: unknownValue, value: "img-src 'self'; script-src 'self'" },
      true,
    ],
    ["the same as directives", { directives: { "img-src": ["'self'"], "script-src": ["'self'"] } }, true],
    ["other directives", { directives: { "img-src": ["'none'"] } }, false],
  ];
  for (const [what, entry, expected] of rows) {
    it(`${what}: ${expected}`, () =>
      assert.equal(mayBe({ key: "a", entry: { ...entry } }, inZone), expected));
  }

  it("one that is switched off may be one that is declared so", () => {
    const off = { ...inZone, enabled: false };
    assert.equal(mayBe({ key: "a", entry: { enabled: false } }, off), true);
    assert.equal(mayBe({ key: "a", entry: {} }, off), false);
  });
});
