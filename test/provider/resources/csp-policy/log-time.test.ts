import assert from "node:assert/strict";
import { unknownValue } from "../../../../provider/src/model/unknown";
import { cspPolicy } from "../../../../provider/src/resources/csp-policy/lifecycle";
import { placeAndCode } from "../../../support/place-and-code";
import type { Properties } from "../../small-engine/checkpoint";
import { policy, useStories, zoneA } from "../../small-engine/zones";

const start = "2024-02-01T00:00:00.000Z";

describe("CspPolicy: minimumLogDays", () => {
  const begin = useStories(cspPolicy);
  const logging = (args: Properties = {}) => policy({ minimumLogDays: 7, impact: "off", ...args });
  const blocking = (args: Properties = {}) => logging({ action: "allow", ...args });

  it("given a policy that logs, when it changes to allow too early, then the preview refuses it and names the date, and nothing changes", async () => {
    const { sim, engine } = await begin();
    await engine.up({ csp: logging() });
    assert.equal(engine.outputs("csp")["loggingSince"], start);
    engine.passDays(6.99);
    const refusal = await engine.previewFails({ csp: blocking() });
    assert.equal(placeAndCode(refusal), "action [csp-too-early]");
    assert.match(refusal, / 2024-02-01T00:00:00\.000Z, .* 7 days .* from 2024-02-08T00:00:00\.000Z;/);
    assert.equal(await engine.upFails({ csp: blocking() }), refusal);
    const never = { minimumLogDays: 1e9 };
    assert.match(await engine.previewFails({ csp: blocking(never) }), /1000000000 days.*\[csp-too-early\]$/);
    assert.equal(sim.changing().length, 1);
    engine.passDays(0.01);
    for (const args of [{}, { expression: unknownValue }, { value: unknownValue }])
      assert.deepEqual(await engine.preview({ csp: blocking(args) }), ["update csp"]);
    await engine.up({ csp: blocking() });
    assert.equal(sim.zone(zoneA).policies.at(-1)?.action, "allow");
    const { loggingSince } = engine.outputs("csp");
    assert.equal(loggingSince, start, "an allow policy keeps the start of its logging time");
  });

  it("given no minimumLogDays, or 0, when a policy changes to allow at once or starts with it, then that is accepted", async () => {
    for (const minimumLogDays of [undefined, 0]) {
      const { engine } = await begin();
      const args = minimumLogDays === undefined ? {} : { minimumLogDays };
      await engine.up({ csp: policy({ ...args, impact: "off" }) });
      await engine.up({ csp: policy({ ...args, impact: "off", action: "allow" }) });
      await engine.up({ other: policy({ ...args, impact: "off", action: "allow", description: "other" }) });
    }
  });

  it("given a new policy that starts with allow, when it is previewed, then it is refused, because it cannot have logged", async () => {
    const { sim, engine } = await begin();
    assert.match(await engine.previewFails({ csp: blocking() }), / 7 days .*\[csp-not-logged-yet\]$/);
    const oneDay = { minimumLogDays: 1 };
    assert.match(await engine.previewFails({ csp: blocking(oneDay) }), / logged for 1 day \(/);
    assert.equal(sim.changing().length, 0);
    await engine.up({ csp: logging(oneDay) });
    assert.match(await engine.previewFails({ csp: blocking(oneDay) }), / requires 1 day before /);
  });

  it("given an equal policy that already enforces, when it is adopted, its resource is renamed or its state recovered, then it is adopted unchanged", async () => {
    const { sim, engine } = await begin();
    sim.dashboard.putPolicy(zoneA, { ...policy(), action: "allow", id: "theirs" });
    await engine.preview({ csp: blocking() });
    await engine.up({ csp: blocking() });
    assert.equal(engine.outputs("csp")["policyId"], "theirs", "adopted");
    await engine.up({ renamed: blocking() });
    assert.equal(engine.outputs("renamed")["policyId"], "theirs", "renamed");
    engine.state.clear();
    await engine.up({ recovered: blocking() });
    assert.equal(engine.outputs("recovered")["policyId"], "theirs", "recovered");
    assert.equal(sim.changing().length, 0);
    const another = blocking({ description: "another" });
    assert.match(await engine.previewFails({ recovered: blocking(), another }), /cannot have logged/);
  });

  it("given a policy that logs, when its resource is renamed without an alias, then its logging time starts again, and the preview says how to keep it", async () => {
    const { engine } = await begin();
    await engine.up({ old: logging() });
    engine.passDays(3);
    await engine.preview({ renamed: logging() });
    const told = engine.progress[0]?.text ?? "";
    assert.match(told, /The days in "log" are counted from now\. .*aliases: \[\{ name: /);
    await engine.up({ renamed: logging() }, { refresh: true });
    assert.notEqual(engine.outputs("renamed")["loggingSince"], start);
  });

  it("given refreshes and updates in between, when the days have passed, then all of them count", async () => {
    const { engine } = await begin();
    await engine.up({ csp: logging() });
    for (let day = 0; day < 7; day += 1) {
      engine.passDays(1);
      await engine.refresh();
      await engine.up({ csp: logging() });
    }
    assert.equal(engine.outputs("csp")["loggingSince"], start);
    await engine.up({ csp: blocking() });
  });

  it("given an equal unmanaged policy, when it is adopted, then its logging time starts at that moment", async () => {
    const { sim, engine } = await begin();
    sim.dashboard.putPolicy(zoneA, { ...policy(), id: "theirs" });
    engine.passDays(100);
    await engine.up({ csp: logging() });
    assert.equal(engine.outputs("csp")["loggingSince"], "2024-05-11T00:00:00.000Z");
    engine.passDays(1);
    assert.match(await engine.previewFails({ csp: blocking() }), /"allow" from 2024-05-18T00:00:00\.000Z/);
  });

  it("given a state without loggingSince, such as after an import, when it is refreshed, then the logging time starts at that moment", async () => {
    const { engine } = await begin();
    await engine.up({ csp: logging() });
    const { id, inputs } = engine.state.get("csp") ?? assert.fail();
    engine.state.set("csp", { id, inputs, outputs: inputs, hasInitErrors: false });
    assert.match(await engine.previewFails({ csp: blocking() }), /minimumLogDays/);
    engine.passDays(3);
    await engine.refresh();
    assert.equal(engine.outputs("csp")["loggingSince"], "2024-02-04T00:00:00.000Z");
  });

  const [scripts, objects] = ["script-src 'self' https://js.example.com", "object-src 'none'"];
  for (const [what, edit, startsAnew] of [
    ["a source is added", { value: `${scripts} https://b.example; ${objects}` }, false],
    ["a directive is removed", { value: scripts }, false],
    ["the description changes", { description: "another" }, false],
    ["its spelling changes", { value: `${objects}; script-src https://js.example.com 'self'` }, false],
    ["a source is removed", { value: `script-src 'self'; ${objects}` }, true],
    ["a directive is added", { value: `${scripts}; ${objects}; img-src 'self'` }, true],
    ["it selects other pages", { expression: 'http.host eq "www.example.com"' }, true],
  ] as const) {
    it(`given a policy that logs, when ${what}, then its logging time ${startsAnew ? "starts again" : "continues"}`, async () => {
      const { engine } = await begin();
      await engine.up({ csp: logging() });
      engine.passDays(5);
      await engine.up({ csp: logging(edit) });
      assert.equal(engine.outputs("csp")["loggingSince"], startsAnew ? "2024-02-06T00:00:00.000Z" : start);
      engine.passDays(2);
      if (startsAnew)
        assert.match(await engine.previewFails({ csp: blocking(edit) }), /"allow" from 2024-02-13T00:00/);
      else await engine.up({ csp: blocking(edit) });
    });
  }

  it("given a policy that is switched off and on again, when it changes to allow, then only the time since it was switched on counts", async () => {
    const { engine } = await begin();
    await engine.up({ csp: logging() });
    engine.passDays(10);
    await engine.up({ csp: logging({ enabled: false }) });
    assert.equal(engine.outputs("csp")["loggingSince"], undefined);
    const said = await engine.previewFails({ csp: blocking() });
    assert.doesNotMatch(said, /has logged since/);
    assert.match(said, /"allow" from 2024-02-18T00:00:00\.000Z/);
    await engine.up({ csp: logging() });
    assert.equal(engine.outputs("csp")["loggingSince"], "2024-02-11T00:00:00.000Z");
  });

  it("given someone who changes the policy in the dashboard, when the stack is refreshed, then its logging time starts again", async () => {
    const { sim, engine } = await begin();
    await engine.up({ csp: logging() });
    engine.passDays(7);
    const id = String(engine.outputs("csp")["policyId"]);
    sim.dashboard.putPolicy(zoneA, { id, value: "script-src 'self'; object-src 'none'" });
    await engine.refresh();
    await engine.up({ csp: logging() });
    // The update back to the declared text only allows more, so it does not restart the time.
    assert.match(await engine.previewFails({ csp: blocking() }), /"allow" from 2024-02-15T00:00:00\.000Z/);
  });
});
