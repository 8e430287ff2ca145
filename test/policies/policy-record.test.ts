import assert from "node:assert/strict";
import type { Policy } from "../../provider/src/api/client-types";
import { asDeclared } from "../../provider/src/policies/policy-record";

const live: Policy = {
  policyId: "p",
  description: "shop",
  action: "log",
  expression: 'http.host eq "shop.example.com"',
  enabled: true,
  value: "script-src 'self'; img-src 'self'",
};

describe("A live policy in the words of the record", () => {
  const recorded = { description: "shop", action: "log" as const, expression: live.expression };

  it("keeps a spelling that means the same, and shows what does not", () => {
    assert.deepEqual(asDeclared(recorded, "img-src 'self'; script-src 'self'", live), {
      ...recorded,
      enabled: undefined,
      value: "img-src 'self'; script-src 'self'",
    });
    const drifted = asDeclared({ ...recorded, expression: "true" }, "img-src 'none'", live);
    assert.deepEqual([drifted.expression, drifted.value], [live.expression, live.value]);
    assert.equal(asDeclared({ ...recorded, expression: undefined }, "", live).expression, live.expression);
    const named = (description: string | undefined) =>
      asDeclared({ ...recorded, description }, "", live).description;
    assert.deepEqual([named(" shop\n"), named("blog"), named(undefined)], [" shop\n", "shop", "shop"]);
  });

  it("shows whether it is switched on where the record speaks of it, or it is off", () => {
    const of = (enabled: boolean | undefined, now: boolean) =>
      asDeclared({ ...recorded, enabled }, live.value, { ...live, enabled: now }).enabled;
    assert.deepEqual(
      [of(undefined, true), of(undefined, false), of(true, true), of(false, true)],
      [undefined, false, true, true],
    );
  });

  it("speaks in directives where the record does, as far as they can say what is there", () => {
    const directives = { "script-src": ["'self'"], "img-src": ["'self'"] };
    const of = (value: string) => {
      const { value: text, directives: words } = asDeclared({ ...recorded, directives }, live.value, {
        ...live,
        value,
      });
      return { text, words };
    };
    assert.deepEqual(of(live.value), { text: undefined, words: directives });
    assert.deepEqual(of("img-src 'none'"), { text: undefined, words: { "img-src": ["'none'"] } });
    // The second of two is lost in directives.
    assert.deepEqual(of("img-src 'none'; img-src a"), {
      text: "img-src 'none'; img-src a",
      words: undefined,
    });
  });
});
