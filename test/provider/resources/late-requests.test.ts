import assert from "node:assert/strict";
import type { Kind } from "../../../provider/src/lifecycle/kind";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { Simulator, type ZoneSeed } from "../../../simulator/src";
import { directWire, nowhere } from "../small-engine/direct-wire";
import { SmallEngine } from "../small-engine/small-engine";
import { policy, quietZone, zoneA } from "../small-engine/zones";
import { VirtualTime } from "../virtual-time/virtual-time";
import { made, names, rule } from "./support/skip-rules";

/** Starts a story in which `onWait` runs once a request has waited ten seconds for the rate limit. */
function begin<Inputs, State extends object>(kind: Kind<Inputs, State>, seed: ZoneSeed) {
  const time = new VirtualTime();
  const sim = new Simulator({ now: time.now, token: "story", seed: 3 });
  sim.zones.seed(zoneA, { ...quietZone, ...seed });
  const direct = directWire(sim);
  const story = {
    sim,
    isUsedUp: false,
    onWait: () => {},
    ending: { cancellation: new AbortController().signal, isEngineGone: false },
  };
  const engine = new SmallEngine(sim, kind, {
    env: { PAGE_GUARD_BASE_URL: nowhere },
    time,
    ending: story.ending,
    wire: () => async (request, signal) => {
      const result = await direct(request, signal);
      if (!story.isUsedUp || !result.answer) return result;
      const headers = { ...result.answer.headers, ratelimit: '"default";r=0;t=60' };
      return { answer: { ...result.answer, headers } };
    },
  });
  const pass = time.pass.bind(time);
  time.pass = (milliseconds) => {
    pass(milliseconds);
    if (milliseconds < 10_000) return;
    story.onWait();
    story.onWait = () => {};
  };
  return { story, sim, engine };
}

describe("A request that had to wait for the rate limit", () => {
  const declared = { waf: { zoneId: zoneA, rules: [rule("ours")], foreignRules: "keep" } };

  it("given rules that somebody adds meanwhile, then a write of the list keeps them", async () => {
    const { story, sim, engine } = begin(managedWafEntrypoint, {
      entrypoint: { name: "shared", rules: [made("theirs")] },
    });
    story.isUsedUp = true;
    story.onWait = () => sim.dashboard.addRule(zoneA, made("a colleague's"));
    await engine.up(declared);
    assert.deepEqual(names(sim).toSorted(), ["a colleague's", "ours", "theirs"]);
    story.onWait = () => sim.dashboard.addRule(zoneA, made("another"));
    await engine.destroy();
    assert.deepEqual(names(sim).toSorted(), ["a colleague's", "another", "theirs"]);
  });

  it("given an engine that was killed meanwhile, then no change is sent", async () => {
    const { story, sim, engine } = begin(cspPolicy, {});
    story.isUsedUp = true;
    story.onWait = () => {
      story.ending.isEngineGone = true;
    };
    await engine.upFails({ csp: policy() });
    assert.equal(sim.changing().length, 0);
  });

  it("given an update that is canceled meanwhile, then the wait ends", async () => {
    const { story, sim, engine } = begin(cspPolicy, {});
    const controller = new AbortController();
    story.ending.cancellation = controller.signal;
    story.isUsedUp = true;
    story.onWait = () => controller.abort();
    assert.match(await engine.upFails({ csp: policy() }), /was not sent.*\[PG_ABORTED\]/s);
    assert.equal(sim.changing().length, 0);
  });
});
