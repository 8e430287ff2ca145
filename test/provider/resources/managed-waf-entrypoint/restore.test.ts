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

/** The list that was found, the ids of the rules that were adopted from it, our rules, and the list now. */
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

describe("Restoring the list of rules", () => {
  it("moves our rule to the place of the adopted rule that it equals, and not an equal unmanaged rule", () => {
    const ours = rule("x1");
    const theirs = rule("y1");
    assert.deepEqual(restoredOf({ found: [rule("r1")], taken: ["r1"], ours: [ours], live: [theirs, ours] }), [
      "x1 same",
      "y1 same",
    ]);
  });

  it("recreates an adopted rule that is gone, behind the unmanaged rule that it stood behind", () => {
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

  it("recreates no adopted rule that an undo program has recreated with the ref that the service had given it", () => {
    const found = [rule("r1"), rule("r2", { description: "other" })];
    const live = found.map((one) => ({ ...one, id: `new ${one.id}` }));
    assert.deepEqual(restoredOf({ found, taken: ["r1", "r2"], ours: [], live }), [
      "new r1 same",
      "new r2 other",
    ]);
  });

  it("restores the ref of an adopted rule, unless an unmanaged rule has it by now", () => {
    const named = rule("r1", { ref: "mine", description: "taken" });
    const of = (live: readonly Rule[]) =>
      restored({ rules: [recorded(named)], taken: ["r1"] }, new Map(), live).map(({ ref }) => ref);
    assert.deepEqual(of([]), ["mine"]);
    assert.deepEqual(of([rule("y", { ref: "mine", description: "theirs" })]), [undefined, "mine"]);
    assert.deepEqual(of([rule("y", { ref: "mine", description: "taken" })]), ["mine"]);
  });

  it("restores our rule that has the ref of an adopted rule, even if its other fields have changed", () => {
    const named = (id: string, description: string) => rule(id, { ref: "mine", description });
    const [found, ours] = [named("r1", "taken"), named("x1", "edited")];
    assert.deepEqual(restoredOf({ found: [found], taken: ["r1"], ours: [ours], live: [ours] }), ["x1 taken"]);
  });

  it("recreates a rule before the unmanaged rule that it stood before, but behind those that were added since", () => {
    const [other, later] = [rule("b", { description: "other" }), rule("l", { description: "later" })];
    const found = [rule("a", { description: "taken" }), other];
    assert.deepEqual(restoredOf({ found, taken: ["a"], ours: [], live: [later, other] }), [
      "l later",
      "new taken",
      "b other",
    ]);
  });

  it("does not mistake an unmanaged rule with a ref for an adopted rule without one", () => {
    const named = rule("x", { ref: "theirs", description: "taken" });
    const found = [rule("a", { description: "taken" })];
    assert.deepEqual(restoredOf({ found, taken: ["a"], ours: [], live: [named] }), ["new taken", "x taken"]);
  });

  it("removes from an adopted rule only the fields that we added", () => {
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

describe("The rules that a replaced resource leaves in the list", () => {
  it("become what they were when they were found, and those that are gone are not recreated", () => {
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
