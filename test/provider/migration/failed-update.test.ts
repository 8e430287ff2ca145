import assert from "node:assert/strict";
import type { FaultSpec } from "../../../simulator/src";
import { placeAndCode } from "../../support/place-and-code";
import { configuration, hour, minute, nameless, QuickStory, zoneId } from "./support/quick-story";

const validation = { stage: "validation" };
const lost: FaultSpec = { method: "PUT", kind: "reset-before", count: 1 };
const noSign = /(finishing|validation) request got no clear response, .* sent only once/;

describe("A validation that is not accepted", () => {
  const plan = /Enterprise zones only.* go straight to stage: "finished"/;
  const faulty = (fault: FaultSpec) => {
    const story = new QuickStory();
    story.sim.faults.add({ method: "PUT", ...fault });
    return story;
  };

  for (const [fault, says] of [
    [{ kind: "429" }, /too many requests/],
    [{ kind: "status", status: 401 }, /refused the API token\./],
    [{ kind: "status", status: 404 }, /does not know the requested object/],
    [{ kind: "status", status: 409 }, /refused the request\./],
  ] as const)
    it(`does not suggest to finish instead, which cannot be undone: ${JSON.stringify(fault)}`, async () => {
      const story = faulty(fault);
      const told = await story.upFails(validation);
      assert.match(told, / refused the validation request\. Nothing has changed.* Fix the cause above/);
      assert.equal(placeAndCode(told), "[migration-refused]");
      assert.match(told, says);
      assert.doesNotMatch(told, plan);
      assert.equal(story.sent.length, 1, "not sent again");
    });

  it("names the zone's plan if that may be the reason", async () => {
    for (const [story, says] of [
      [new QuickStory({}, { plan: "pro" }), / "validation mode needs an Enterprise zone"\./],
      [faulty({ kind: "status", status: 403 }), plan],
      // A service that refuses without a reason.
      [faulty({ kind: "status", status: 400, message: "" }), /: the service refused the request\./],
    ] as const) {
      const told = await story.upFails(validation);
      assert.match(told, plan);
      assert.match(told, says);
      assert.deepEqual([story.engine.state.size, story.waf.stage], [0, "old"]);
    }
  });

  it("is not reported as refused if it could not be sent", async () => {
    const story = new QuickStory();
    const { wire } = story;
    const failure = { reason: "ECONNREFUSED", sent: false, viaProxy: false };
    story.wire = async (...sent) => (sent[0].method === "PUT" ? { failure } : wire(...sent));
    const told = await story.upFails(validation);
    assert.match(told, / could not be sent\. Nothing has changed/);
    assert.doesNotMatch(told, plan);
  });
});

describe("A validation whose list is empty", () => {
  it("does not count as accepted if its request was lost", async () => {
    const story = new QuickStory();
    story.sim.faults.add(lost);
    const empty = { ...validation, configuration: { name: "none", rules: [] } };
    assert.match(await story.upFails(empty), noSign);
    assert.equal(story.waf.stage, "old");
    story.time.pass(minute);
    await story.up(empty);
    assert.deepEqual([story.waf.stage, story.recorded["reached"]], ["validation", "validation"]);
  });

  it("is asked about and not sent again, if it was seen with rules that someone has deleted since", async () => {
    const story = new QuickStory({ validationMs: 10 * hour, stateNames: nameless });
    story.sim.faults.add({ path: "/entrypoint", kind: "missing-fields", fields: ["version"] });
    story.sim.faults.add({ method: "PUT", kind: "reset-after", count: 1 });
    await story.upFails({ ...validation, timeoutMinutes: 1 });
    story.sim.dashboard.putEntrypoint(zoneId, { rules: [] });
    assert.match(await story.upFails(validation), /\[migration-unclear\]$/);
    assert.equal(story.sent.length, 1);
  });
});

describe("A finish that would delete rules", () => {
  it("is refused if the list was created after a finish that never arrived, whatever a person says about it", async () => {
    const story = new QuickStory();
    story.sim.faults.add(lost);
    assert.match(await story.upFails({}), noSign);
    story.sim.dashboard.addRule(zoneId, { action: "block", expression: "true", description: "ours" });
    story.time.pass(2 * hour);
    const { question, startedAt } = await story.asked({});
    assert.match(question, /got no response, /);
    const refusal = await story.upFails({ unclearAttempt: { startedAt, outcome: "notAccepted" } });
    assert.match(refusal, /added: "ours", block.*\[migration-edited\]$/);
    assert.equal(story.sent.length, 1);
  });

  it("is sent if the program declares the whole list, also after a lost request", async () => {
    const story = new QuickStory({ firewallRules: 2 });
    await story.up(validation);
    story.sim.faults.add(lost);
    story.edit();
    story.time.pass(minute);
    assert.match(await story.upFails({ configuration }), noSign);
    story.time.pass(minute);
    await story.up({ configuration });
    assert.deepEqual([story.waf.acceptedPending, story.rules.length], [1, 1]);
  });
});
