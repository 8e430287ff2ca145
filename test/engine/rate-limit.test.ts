import assert from "node:assert/strict";
import { policySet } from "./real-engine/declaration";
import { useStories, zoneA, zoneWithPolicy } from "./real-engine/story";

describe("On the engine: a rate limit that the client does not know", function () {
  const begin = useStories(this);

  it("given more to create than the window allows, when it is applied, then nothing is refused, and the resource shows how long it waits and why", async () => {
    const { sim, stack } = await begin({ [zoneA]: { ...zoneWithPolicy, policyQuota: 100 } });
    sim.setRateLimit({ limit: 10, windowMs: 13_000, blockMs: 13_000, headers: ["ratelimit"] });
    const keys = Array.from({ length: 15 }, (_, n) => `p${n}`);
    stack.declare({
      set: policySet({ zoneId: zoneA, policies: Object.fromEntries(keys.map((key) => [key, {}])) }),
    });
    const said = await stack.up();
    assert.equal(sim.zone(zoneA).policies.length, 16);
    assert.deepEqual(
      sim.journal.filter(({ status }) => status === 429),
      [],
    );
    const onSet = /CspPolicySet \(set\):\n\s+(.*)\n/.exec(said)?.[1];
    const wait = /^Waiting for the rate limit of the service, up to 1\d s more: the limit is used up /;
    assert.match(String(onSet), wait);
    assert.match(String(onSet), /\(10 requests in 13 s\)\. Nothing is lost\.$/);
  });
});
