import assert from "node:assert/strict";
import type { Rule } from "../../../../provider/src/api/client-types";
import { toRecorded } from "../../../../provider/src/resources/managed-waf-entrypoint/recorded-rule";
import { makeRestoredList } from "../../../../provider/src/resources/managed-waf-entrypoint/restore";
import { listed } from "../support/rules";

/**
 * Columns: title, the list that was found, with `*` at adopted rules, the list now, with `!` at our rules, and the list that a
 * destroy leaves. A rule is its id, with its description and its `ref` if it has one: `a:shop@mine`. A recreated rule is `new`.
 */
const cases = `
  moves our rule to the place of the adopted rule that it equals, and not an equal unmanaged rule | r1* | y1 x1! | x1 y1
  recreates an adopted rule that is gone, behind the unmanaged rule that it stood behind | a r:taken* z | a z | a new:taken z
  recreates it as the first rule if that one is gone | a r:taken* z | z | new:taken z
  recreates it as the last rule if those behind it are gone | a r:taken* z | a | a new:taken
  recreates no rule that was not adopted | a r:taken z | z | z
  recreates no adopted rule that an undo program has recreated with the ref that the service had given it | r1* r2:other* | n1@r1 n2:other@r2 | n1@r1 n2:other@r2
  restores the ref of an adopted rule | r:taken@mine* | | new:taken@mine
  does not restore a ref that an unmanaged rule has by now | r:taken@mine* | y:theirs@mine | new:taken y:theirs@mine
  takes an equal rule with the same ref for the adopted rule | r:taken@mine* | y:taken@mine | y:taken@mine
  restores our rule that has the ref of an adopted rule, even if its other fields have changed | r:taken@mine* | x:edited@mine! | x:taken@mine
  recreates a rule before the unmanaged rule that it stood before, but behind those that were added since | a:taken* b | later b | later new:taken b
  does not mistake an unmanaged rule with a ref for an adopted rule without one | a:taken* | x:taken@theirs | new:taken x:taken@theirs
  restores rules for a replaced resource, but recreates none, because its successor determines the list | 1:found* 2:gone* | 1:edited! 3:ours! | 1:found | successor
`;

interface Marked {
  readonly rule: Rule;
  readonly isMarked: boolean;
}

function parse(text: string): readonly Marked[] {
  return [...text.matchAll(/(\w+)(?::(\w+))?(?:@(\w+))?([*!]?)/g)].map(
    ([, id = "", description = "same", ref = id, mark]) => ({
      rule: listed(description, id, { ref }),
      isMarked: mark !== "",
    }),
  );
}

function show({ id = "new", description, ref = id }: Rule): string {
  return `${id}${description === "same" ? "" : `:${description}`}${ref === id ? "" : `@${ref}`}`;
}

describe("Restoring the list of rules", () => {
  for (const line of cases.trim().split("\n")) {
    const [what, before = "", now = "", left, successor] = line.split("|").map((part) => part.trim());
    it(String(what), () => {
      const [found, live] = [parse(before), parse(now)];
      const marked = (all: readonly Marked[]) =>
        all.filter(({ isMarked }) => isMarked).map(({ rule }) => rule);
      const taken = marked(found).map(({ id = "" }) => id);
      const initial = { rules: found.map(({ rule }) => toRecorded(rule)), taken };
      const own = new Map(marked(live).map((rule) => [rule, toRecorded(rule)]));
      const rules = live.map(({ rule }) => rule);
      const list = makeRestoredList({ initial }, own, { rules }, successor !== undefined)?.rules ?? rules;
      assert.equal(list.map(show).join(" "), left);
    });
  }

  it("removes from an adopted rule only the fields that we added", () => {
    const having = (...names: string[]) =>
      listed("same", "a", {
        actionParameters: { extra: Object.fromEntries(names.map((name) => [name, 1])) },
      });
    const initial = { rules: [toRecorded(having("first"))], taken: ["a"] };
    const live = having("first", "ours", "theirs");
    const own = new Map([[live, toRecorded(having("ours"))]]);
    const { rules = [] } = makeRestoredList({ initial }, own, { rules: [live] }, false) ?? {};
    assert.deepEqual(rules[0]?.actionParameters, { extra: { first: 1, theirs: 1 } });
  });
});
