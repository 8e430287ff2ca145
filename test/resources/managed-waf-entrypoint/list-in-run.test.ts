import assert from "node:assert/strict";
import type { Rule } from "../../../provider/src/api/client-types";
import { ListInRun } from "../../../provider/src/resources/managed-waf-entrypoint/list-in-run";
import { leftOver } from "../../../provider/src/resources/managed-waf-entrypoint/ownership";
import { recorded } from "../../../provider/src/resources/managed-waf-entrypoint/recorded-rule";
import { undone } from "../../../provider/src/resources/managed-waf-entrypoint/restore";
import { inList, listed, rule } from "../support/rules";

describe("What a replaced resource has left in the list", () => {
  const nobody = new Set<string>();

  it("are rules with its recorded ids; what is merely like them may be anyone's", () => {
    const state = { rules: [recorded(listed("a", "1"))] };
    const left = (...live: Rule[]) => [...leftOver(state, nobody, inList(...live)).keys()];
    assert.deepEqual(left(listed("a", "1")), [listed("a", "1")]);
    assert.deepEqual(left(listed("a", "2")), []);
    assert.equal(leftOver({ rules: [recorded(rule("a"))] }, nobody, inList(rule("a"))).size, 0);
    assert.equal(leftOver(state, new Set(["1"]), inList(listed("a", "1"))).size, 0);
  });

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

  it("is not asked of a successor of which not all rules are known", () => {
    const list = new ListInRun();
    const held = (...rules: { id?: string; foreign?: boolean }[]) => {
      list.hold(rules.map((one) => ({ action: "skip", expression: "true", ...one })));
      return list.heldIds && [...list.heldIds];
    };
    assert.deepEqual(held({ id: "1" }, { id: "2", foreign: true }), ["1"]);
    assert.equal(held({ id: "1" }, {}), undefined);
    assert.deepEqual(held(), []);
    list.hold(undefined);
    assert.equal(list.heldIds, undefined);
  });
});
