import assert from "node:assert/strict";
import { managedWafEntrypoint } from "../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { entrypointDeclaration } from "../../provider/src/resources/managed-waf-entrypoint/to-declaration";
import type { RuleSeed } from "../../provider/src/simulator";
import type { Properties } from "../small-engine/checkpoint";
import { quickStory, quietZone, zoneA } from "../small-engine/zones";

const managed = "1".repeat(32);
const ours = { action: "execute", expression: "true", actionParameters: { id: managed } };
const theirs: RuleSeed = {
  id: "a".repeat(32),
  ref: "a".repeat(32),
  action: "skip",
  expression: "ip.src eq 192.0.2.1",
  description: "theirs",
  action_parameters: { ruleset: "current" },
};
const asDeclared = {
  action: "skip",
  expression: "ip.src eq 192.0.2.1",
  description: "theirs",
  actionParameters: { extra: { ruleset: "current" } },
};
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const begin = (rules: readonly RuleSeed[] = [], name?: string) =>
  quickStory(managedWafEntrypoint, {
    [zoneA]: { ...quietZone, entrypoint: { ...(name !== undefined && { name }), rules } },
  });
const waf = (args: Properties = {}) => ({ waf: { zoneId: zoneA, rules: [ours], ...args } });

describe("What the preview of an entry point tells", () => {
  const told = async (story: ReturnType<typeof begin>, args: Properties) => {
    await story.engine.preview(waf(args));
    assert.deepEqual(story.sim.changing(), []);
    return story.engine.warnings.map(({ text }) => text);
  };
  const label = `"theirs", skip if ip.src eq 192.0.2.1, id ${theirs.id}`;

  it("is what is taken over, and what a destroy will do of it", async () => {
    const taken = { rules: [asDeclared, ours] };
    const is = `1 declared rule is in the zone already and will be taken over as it is: ${label}.`;
    const code = "[waf-rules-taken-over]";
    assert.deepEqual(await told(begin([theirs]), taken), [
      `${is} A destroy puts the list back as it was found before the first change (onDestroy "restore"): with this rule. ${code}`,
    ]);
    assert.deepEqual(await told(begin([theirs]), { ...taken, onDestroy: "keep" }), [
      `${is} A destroy leaves all rules in force (onDestroy "keep"). ${code}`,
    ]);
    assert.deepEqual(await told(begin([theirs]), { ...taken, onDestroy: "remove" }), [
      `${is} A destroy deletes what is declared then (onDestroy "remove"). ${code}`,
    ]);
    const other = { ...theirs, id: "b".repeat(32), ref: "b".repeat(32), expression: "ip.src eq 192.0.2.2" };
    const both = [asDeclared, { ...asDeclared, expression: other.expression }];
    const [all = ""] = await told(begin([theirs, other]), { rules: both });
    assert.match(
      all,
      /^2 declared rules are in the zone already and will be taken over as they are: .*; .*\. A destroy .*: with these rules\. If this is a resource of the stack under a new name, or made anew by --replace, .*: keep it with aliases/,
    );
    assert.deepEqual(await told(begin(), taken), []);
  });

  it("is which rules of others are overwritten: deleted, or changed because they have the name of a declared one", async () => {
    const named = { ...theirs, ref: "shop" };
    assert.deepEqual(await told(begin([theirs]), { foreignRules: "overwrite" }), [
      `foreignRules is "overwrite": 1 rule of somebody else will be deleted: ${label}. [waf-rules-overwritten]`,
    ]);
    const [changed = "", ...rest] = await told(begin([named]), {
      foreignRules: "overwrite",
      rules: [{ ...asDeclared, ref: "shop", expression: "ip.src eq 192.0.2.9" }],
    });
    assert.match(
      changed,
      /^foreignRules is "overwrite": the rule of somebody else with the ref of rules\[0\] will be changed: "theirs", .*: expression \(.*\)\. \[waf-rules-overwritten\]$/,
    );
    assert.deepEqual(rest, []);
    assert.deepEqual(await told(begin(), { foreignRules: "overwrite" }), []);
  });

  it("is which rules of others are nearly declared ones, in one line", async () => {
    const near = { ...asDeclared, description: "mine" };
    const [one = "", ...none] = await told(begin([theirs]), { foreignRules: "keep", rules: [near] });
    assert.match(
      one,
      /^the zone has a rule of somebody else that is nearly a declared one: rules\[0\] and "theirs", .* differ only in description .*\. Declared exactly as it is there, a rule is taken over instead of made a second time\. \[waf-rule-near-miss\]$/,
    );
    assert.deepEqual(none, []);
    const other = { ...theirs, id: "b".repeat(32), ref: "b".repeat(32), expression: "ip.src eq 192.0.2.2" };
    const [two = ""] = await told(begin([theirs, other]), {
      foreignRules: "keep",
      rules: [near, { ...near, expression: other.expression }],
    });
    assert.match(
      two,
      /^the zone has rules of somebody else that are nearly declared ones: rules\[0\] and .*; rules\[1\] and /,
    );
    assert.deepEqual(await told(begin([theirs]), { foreignRules: "keep" }), [], "nothing like it");
  });

  it("is a ref that two rules have: each but the first, and no ref that is not known yet", async () => {
    const { engine } = begin();
    const named = (ref: unknown) => ({ ...ours, ref });
    const refused = await engine.previewFails(
      waf({ rules: [named("a"), named("b"), named("a"), named("a")] }),
    );
    assert.deepEqual(
      refused.split("\n"),
      [2, 3].map(
        (index) =>
          `rules[${index}].ref: "a" is the ref of rules[0] already. A ref is the identity of one rule; give each its own. [waf-ref-twice]`,
      ),
    );
    assert.deepEqual(await engine.preview(waf({ rules: [named(unknown), named(unknown), ours, ours] })), [
      "create waf",
    ]);
    assert.match(
      await engine.previewFails(waf({ rules: "x" })),
      /rules: rules is a list of rules; an empty list is fine/,
    );
    assert.match(await engine.previewFails(waf({ rules: [null, "x"] })), /^rules\[0\]: /);
  });

  it("asks nothing of a list that is not known yet", async () => {
    const story = begin([theirs]);
    assert.deepEqual(await told(story, { rules: unknown }), []);
    assert.equal(story.sim.journal.length, 0);
  });
});

describe("An entry point and its name", () => {
  const name = (story: ReturnType<typeof begin>) => story.sim.zone(zoneA).entrypoint?.name;

  it("has the found one again after a destroy, unless somebody has given it another since", async () => {
    const story = begin([], "found");
    await story.engine.up(waf({ name: "ours" }));
    assert.equal(name(story), "ours");
    await story.engine.destroy();
    assert.equal(name(story), "found");

    const renamed = begin([], "found");
    await renamed.engine.up(waf({ name: "ours" }));
    renamed.sim.edit(zoneA, ({ entrypoint }) => Object.assign(entrypoint ?? {}, { name: "theirs" }));
    await renamed.engine.destroy();
    assert.equal(name(renamed), "theirs");
  });

  it("keeps the found one where the program names none, and is a change where it names another", async () => {
    const story = begin([], "found");
    await story.engine.up(waf());
    assert.equal(name(story), "found");
    assert.deepEqual(await story.engine.preview(waf({ name: "ours" })), ["update waf"]);
    await story.engine.up(waf({ name: "ours" }));
    assert.deepEqual(await story.engine.preview(waf()), [], "a name that is let go stays");
    story.sim.edit(zoneA, ({ entrypoint }) => Object.assign(entrypoint ?? {}, { name: "theirs" }));
    assert.deepEqual(await story.engine.drift(), ["waf"]);
  });
});

describe("An entry point whose zone is gone", () => {
  it("is gone after a refresh, and its destroy has nothing to do; other failures are failures", async () => {
    const story = begin();
    await story.engine.up(waf());
    story.sim.faults.add({ path: "/entrypoint", kind: "status", status: 403 });
    await assert.rejects(story.engine.refresh(), /refused the API token/);
    await assert.rejects(story.engine.destroy(), /refused the API token/);
    story.sim.faults.clear();
    const { engine } = story;
    const backup = engine.backup();
    story.sim.zones.remove(zoneA);
    await engine.destroy();
    assert.equal(engine.state.size, 0);
    engine.restore(backup);
    await engine.refresh();
    assert.equal(engine.state.size, 0);
  });
});

describe("A rule that no argument can say", () => {
  const rule = { action: "skip", expression: "true", actionParameters: { extra: { ruleset: "current" } } };

  it("is named with its place when a zone is written as a program", () => {
    assert.deepEqual(entrypointDeclaration({ rules: [rule] } as never), { rules: [rule] });
    assert.throws(
      () => entrypointDeclaration({ rules: [rule, { ...rule, expression: "" }] } as never),
      /rules\[1\]\.expression: A ManagedWafEntrypoint cannot have this rule: the expression is empty/,
    );
    assert.throws(
      () => entrypointDeclaration({ rules: [{ ...rule, action: 7 }] } as never),
      /rules\[0\]\.action: A ManagedWafEntrypoint cannot have this rule: /,
    );
  });

  it("is none that holds null: in a list it has its place, elsewhere it is as absent, and so is a default", () => {
    const bare = { ...rule, enabled: true, description: "", ref: "" };
    assert.deepEqual(entrypointDeclaration({ name: "", rules: [bare] } as never), { rules: [rule] });
    const listed = { ...rule, actionParameters: { extra: { list: [null, 1] } } };
    assert.deepEqual(entrypointDeclaration({ rules: [listed] } as never), { rules: [listed] });
    const named = entrypointDeclaration({
      name: "n",
      rules: [{ ...rule, enabled: false, description: "d", ref: "r" }],
    } as never);
    assert.deepEqual(named, { name: "n", rules: [{ ...rule, enabled: false, description: "d", ref: "r" }] });
  });
});
