import assert from "node:assert/strict";
import type { Simulator } from "../../../simulator/src";
import { override, owasp, QuickStory, zoneId } from "./support/quick-story";

const rulesOf = (sim: Simulator) => sim.zones.get(zoneId).entrypoint?.rules ?? [];
const idOf = (sim: Simulator, description: RegExp): string =>
  rulesOf(sim).find((rule) => description.test(rule.description ?? ""))?.id ?? assert.fail("no such rule");

/** What people do to the rules, and how the refusal of the next update tells it. */
const edits: readonly (readonly [string, (sim: Simulator) => void, RegExp])[] = [
  [
    "a managed ruleset is switched off, and another rule is taken out",
    (sim) => {
      sim.dashboard.deleteRule(zoneId, idOf(sim, /bypass 1/));
      sim.dashboard.changeRule(zoneId, idOf(sim, /owasp/i), { enabled: false });
    },
    new RegExp(
      `: changed: "[^"]+", execute ${owasp} if true, id \\w+: enabled \\(there false, here true\\)\\. deleted: "bypass 1", [^;]*\\. Someone`,
    ),
  ],
  [
    "all rules are deleted",
    (sim) => sim.dashboard.putEntrypoint(zoneId, { rules: [] }),
    /: deleted: "bypass 1", .*; "bypass 2", .*; "[^"]*", execute/,
  ],
  [
    "rules are put in another order",
    (sim) => sim.dashboard.putEntrypoint(zoneId, { rules: [...rulesOf(sim)].reverse() }),
    /: they are in another order\./,
  ],
  [
    "a rule is added",
    (sim) =>
      sim.dashboard.addRule(
        zoneId,
        {
          action: "skip",
          expression: "true",
          description: "ours",
          action_parameters: { ruleset: "current" },
        },
        0,
      ),
    /: added: "ours", skip if true, id \w+\. Someone/,
  ],
  [
    "a rule is doubled",
    (sim) =>
      sim.dashboard.putEntrypoint(zoneId, {
        rules: [...rulesOf(sim), { ...Object(rulesOf(sim)[0]), id: undefined, ref: undefined }],
      }),
    /: added: "bypass 1", skip if [^;]*\. Someone/,
  ],
];

describe("What people do to the rules in validation", () => {
  let story: QuickStory;
  beforeEach(async () => {
    story = new QuickStory({ firewallRules: 2, owasp: true });
    await story.up({ stage: "validation" });
    story.time.pass(60_000);
  });

  for (const [what, edit, told] of edits) {
    it(`given that ${what}, then neither an adjustment nor the finish undoes it: both are refused and say what was done`, async () => {
      edit(story.sim);
      const live = JSON.stringify(rulesOf(story.sim));
      for (const args of [{ stage: "validation", ruleOverrides: [override] }, { stage: "finished" }]) {
        assert.match(await story.upFails(args), told);
      }
      assert.deepEqual([story.sent.length, JSON.stringify(rulesOf(story.sim))], [1, live]);
    });
  }

  it("given that no one's state knows what was sent, then an edit is seen all the same, by what the service proposes", async () => {
    story.sim.dashboard.deleteRule(zoneId, idOf(story.sim, /owasp/i));
    story.engine.forget("waf");
    assert.match(await story.upFails({ stage: "finished" }), /: deleted: "[^"]+", execute/);
    assert.equal(story.sent.length, 1);
  });

  it("given that the program says the whole list as it is to be, then that is what is sent, and an edit after it counts again", async () => {
    const configuration = {
      name: "default",
      rules: [
        { action: "execute", expression: "true", description: "just this", actionParameters: { id: owasp } },
      ],
    };
    story.sim.dashboard.deleteRule(zoneId, idOf(story.sim, /owasp/i));
    await story.up({ stage: "validation", configuration });
    assert.deepEqual(story.descriptions, ["just this"]);
    story.sim.dashboard.changeRule(zoneId, idOf(story.sim, /just this/), { enabled: false });
    assert.match(await story.upFails({ stage: "finished", configuration }), /: changed: "just this"/);
    const off = { ...configuration, rules: configuration.rules.map((rule) => ({ ...rule, enabled: false })) };
    // It may also be what a finish that was cut off has sent.
    const { startedAt } = await story.asked({ configuration: off });
    const unclearAttempt = { startedAt, outcome: "notAccepted" };
    await story.up({ stage: "finished", configuration: off, unclearAttempt });
    assert.deepEqual([story.descriptions, story.waf.stage], [["just this (off)"], "new"]);
  });
});
