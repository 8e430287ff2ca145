import assert from "node:assert/strict";
import type { Rule } from "../../../../provider/src/api/client-types";
import { recorded } from "../../../../provider/src/resources/managed-waf-entrypoint/recorded-rule";
import { undone } from "../../../../provider/src/resources/managed-waf-entrypoint/restore";
import type { Initial } from "../../../../provider/src/resources/managed-waf-entrypoint/state";
import { inList, listed } from "../support/rules";

const rule = (id: string, more: Partial<Rule> = {}): Rule => ({
  action: "skip",
  expression: "true",
  description: "same",
  id,
  ref: id,
  ...more,
});
const shown = (rules: readonly Rule[]) => rules.map(({ id = "new", description }) => `${id} ${description}`);

/** What was found, which of it was taken over, what is ours, and the list as it is now. */
interface Case {
  readonly found: readonly Rule[];
  readonly taken: readonly string[];
  readonly ours: readonly Rule[];
  readonly live: readonly Rule[];
}

/** The list that a destroy leaves. */
function restored(initial: Initial, own: Parameters<typeof undone>[1], live: readonly Rule[]) {
  return undone({ initial }, own, { rules: live }, false)?.rules ?? live;
}

function restoredOf({ found, taken, ours, live }: Case): string[] {
  const own = new Map(ours.map((one) => [one, recorded(one)]));
  return shown(restored({ rules: found.map(recorded), taken: [...taken] }, own, live));
}

describe("The list of rules as it was found", () => {
  it("a rule of ours that is what was found comes back as that, not an equal one of someone else", () => {
    const ours = rule("x1");
    const theirs = rule("y1");
    assert.deepEqual(restoredOf({ found: [rule("r1")], taken: ["r1"], ours: [ours], live: [theirs, ours] }), [
      "x1 same",
      "y1 same",
    ]);
  });

  it("what was adopted and is gone is recreated where it was, behind the rule of others that it stood behind", () => {
    const first = rule("a", { description: "first" });
    const last = rule("z", { description: "last" });
    const found = [first, rule("r1", { description: "taken" }), last];
    assert.deepEqual(restoredOf({ found, taken: ["r1"], ours: [], live: [first, last] }), [
      "a first",
      "new taken",
      "z last",
    ]);
    assert.deepEqual(restoredOf({ found, taken: ["r1"], ours: [], live: [last] }), ["new taken", "z last"]);
    assert.deepEqual(restoredOf({ found, taken: ["r1"], ours: [], live: [first] }), ["a first", "new taken"]);
    assert.deepEqual(restoredOf({ found, taken: [], ours: [], live: [last] }), ["z last"]);
  });

  it("a name is given back, unless someone else has it by now", () => {
    const named = rule("r1", { ref: "mine", description: "taken" });
    const of = (live: readonly Rule[]) =>
      restored({ rules: [recorded(named)], taken: ["r1"] }, new Map(), live).map(({ ref }) => ref);
    assert.deepEqual(of([]), ["mine"]);
    assert.deepEqual(of([rule("y", { ref: "mine", description: "theirs" })]), [undefined, "mine"]);
    assert.deepEqual(of([rule("y", { ref: "mine", description: "taken" })]), ["mine"]);
  });

  it("a rule of ours with the name of what was found is edited back, whatever it says by now", () => {
    const named = (id: string, description: string) => rule(id, { ref: "mine", description });
    const [found, ours] = [named("r1", "taken"), named("x1", "edited")];
    assert.deepEqual(restoredOf({ found: [found], taken: ["r1"], ours: [ours], live: [ours] }), ["x1 taken"]);
  });

  it("what stood before the first rule of others comes back there, behind what others have put first since", () => {
    const [other, later] = [rule("b", { description: "other" }), rule("l", { description: "later" })];
    const found = [rule("a", { description: "taken" }), other];
    assert.deepEqual(restoredOf({ found, taken: ["a"], ours: [], live: [later, other] }), [
      "l later",
      "new taken",
      "b other",
    ]);
  });

  it("a rule of others with a name is not the one without that we took away", () => {
    const named = rule("x", { ref: "theirs", description: "taken" });
    const found = [rule("a", { description: "taken" })];
    assert.deepEqual(restoredOf({ found, taken: ["a"], ours: [], live: [named] }), ["new taken", "x taken"]);
  });

  it("a rule that comes back loses what we put into it, and nothing else", () => {
    const parameters = (...names: string[]) => ({
      actionParameters: { extra: Object.fromEntries(names.map((name) => [name, 1])) },
    });
    const found = { rules: [recorded(rule("a", parameters("first")))], taken: ["a"] };
    const live = rule("a", parameters("first", "ours", "theirs"));
    const own = new Map([[live, recorded(rule("a", parameters("ours")))]]);
    assert.deepEqual(restored(found, own, [live])[0]?.actionParameters, {
      extra: { first: 1, theirs: 1 },
    });
  });
});

describe("What a replaced resource has left in the list", () => {
  it("goes back to how it was found, and what was found and is gone is not recreated", () => {
    const [found, gone, ours] = [listed("found", "1"), listed("gone", "2"), listed("ours", "3")];
    const edited = listed("edited", "1");
    const initial = { rules: [recorded(found), recorded(gone)], taken: ["1", "2"] };
    const rest = new Map([edited, ours].map((one) => [one, recorded(one)]));
    const { rules } = undone({ initial }, rest, inList(edited, ours), true) ?? assert.fail();
    assert.deepEqual(
      rules.map(({ id, description }) => [id, description]),
      [["1", "found"]],
    );
  });
});
