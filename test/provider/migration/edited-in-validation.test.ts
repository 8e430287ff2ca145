import assert from "node:assert/strict";
import type { Simulator } from "../../../simulator/src";
import { made } from "../resources/support/skip-rules";
import { configuration, override, owasp, QuickStory, zoneId } from "./support/quick-story";

const rulesOf = (sim: Simulator) => sim.zones.get(zoneId).entrypoint?.rules ?? [];
const idOf = (sim: Simulator, description: RegExp): string =>
  rulesOf(sim).find((rule) => description.test(rule.description ?? ""))?.id ?? assert.fail("no such rule");

/** Edits of the rules, and how the refusal of the next update reports them. */
const edits: readonly (readonly [string, (sim: Simulator) => void, RegExp])[] = [
  [
    "a managed ruleset is switched off, and another rule is deleted",
    (sim) => {
      sim.dashboard.deleteRule(zoneId, idOf(sim, /bypass 1/));
      sim.dashboard.changeRule(zoneId, idOf(sim, /owasp/i), { enabled: false });
    },
    new RegExp(
      `: changed: "[^"]+", execute ${owasp} if true, id \\w+: enabled \\(in the zone: false, in this stack: true\\)\\. deleted: "bypass 1", [^;]*\\. Someone`,
    ),
  ],
  [
    "all rules are deleted",
    (sim) => sim.dashboard.putEntrypoint(zoneId, { rules: [] }),
    /: deleted: "bypass 1", .*; "bypass 2", .*; "[^"]*", execute/,
  ],
  [
    "the order of the rules is changed",
    (sim) => sim.dashboard.putEntrypoint(zoneId, { rules: [...rulesOf(sim)].reverse() }),
    /: the rules are in a different order\./,
  ],
  [
    "a rule is added",
    (sim) => sim.dashboard.addRule(zoneId, { ...made("ours"), expression: "true" }, 0),
    /: added: "ours", skip if true, id \w+\. Someone/,
  ],
  [
    "a rule is duplicated",
    (sim) => {
      const twin = { ...Object(rulesOf(sim)[0]), id: undefined, ref: undefined };
      sim.dashboard.putEntrypoint(zoneId, { rules: [...rulesOf(sim), twin] });
    },
    /: added: "bypass 1", skip if [^;]*\. Someone/,
  ],
];

describe("Edits of the rules during validation", () => {
  let story: QuickStory;
  beforeEach(async () => {
    story = new QuickStory({ firewallRules: 2, owasp: true });
    await story.up({ stage: "validation" });
    story.time.pass(60_000);
  });

  for (const [what, edit, told] of edits) {
    it(`given that ${what}, then neither an adjustment nor the finish undoes it: both are refused and name the edit`, async () => {
      edit(story.sim);
      const live = JSON.stringify(rulesOf(story.sim));
      for (const args of [{ stage: "validation", ruleOverrides: [override] }, { stage: "finished" }]) {
        assert.match(await story.upFails(args), told);
      }
      assert.deepEqual([story.sent.length, JSON.stringify(rulesOf(story.sim))], [1, live]);
    });
  }

  it("given that no state contains what was sent, then an edit is still found, by comparison with the service's proposal", async () => {
    story.sim.dashboard.deleteRule(zoneId, idOf(story.sim, /owasp/i));
    story.engine.forget("waf");
    assert.match(await story.upFails({ stage: "finished" }), /: deleted: "[^"]+", execute/);
    assert.equal(story.sent.length, 1);
  });

  it("given that the program declares the whole list, then that list is sent, and a later edit counts again", async () => {
    const rule = { ...configuration.rules[0], description: "just this" };
    const declared = { ...configuration, rules: [rule] };
    story.sim.dashboard.deleteRule(zoneId, idOf(story.sim, /owasp/i));
    await story.up({ stage: "validation", configuration: declared });
    assert.deepEqual(story.descriptions, ["just this"]);
    story.sim.dashboard.changeRule(zoneId, idOf(story.sim, /just this/), { enabled: false });
    assert.match(
      await story.upFails({ stage: "finished", configuration: declared }),
      /: changed: "just this"/,
    );
    const off = { ...configuration, rules: [{ ...rule, enabled: false }] };
    // The same list may come from a finish that was cut off.
    const { startedAt } = await story.asked({ configuration: off });
    const unclearAttempt = { startedAt, outcome: "notAccepted" };
    await story.up({ stage: "finished", configuration: off, unclearAttempt });
    assert.deepEqual([story.descriptions, story.waf.stage], [["just this (off)"], "new"]);
  });
});
