import assert from "node:assert/strict";
import { entrypoint, migration, outputOf } from "../real-engine/declaration";
import { changesOf, type Preview } from "../real-engine/preview";
import { somebodysZone, useStories, zoneA } from "../real-engine/story";

const managed = "efb7b8c949ac4650a09736fc376e9aee";
const noisyRule = "0123456789abcdef0123456789abcdef";
const override = { rulesetId: managed, ruleId: noisyRule, action: "log" };
const rulesOfMigration = {
  name: outputOf("waf", "configuration", "name"),
  rules: outputOf("waf", "configuration", "rules"),
};

const told = ({ messages }: Preview): string => messages.map(({ text }) => text).join("\n");

describe("On the engine: a zone moves to the new WAF", function () {
  const begin = useStories(this);
  this.timeout(600_000);

  it("given an Enterprise zone, when it goes through validation, is adjusted, finished and handed over, then each step is one update, says what it does, and the rules are ordinary ones afterwards", async () => {
    const { sim, stack } = await begin({
      [zoneA]: { ...somebodysZone, waf: { firewallRules: 1, owasp: true } },
    });
    const program = (stage: string, more = {}) => ({
      waf: migration({ zoneId: zoneA, stage, ...more }),
      rules: entrypoint({ zoneId: zoneA, ...rulesOfMigration }),
    });
    const waf = () => sim.zone(zoneA).waf;

    // 1. Into validation.
    stack.declare(program("validation"));
    const first = await stack.preview();
    assert.match(
      told(first),
      /Starts or adjusts WAF validation of zone .* cannot go back to the previous WAF alone/,
    );
    assert.match(
      told(first),
      /Configuration "default", 3 rules:\s+1\. "bypass 1" skip, if ip\.src eq 192\.0\.2\.0, enabled/,
    );
    assert.match(
      told(first),
      new RegExp(`run managed ruleset ${managed}, if true, enabled\\s+- rule [0-9a-f]{32}: action log`),
    );
    assert.match(
      told(first),
      /High -> paranoia level 2[\s\S]*Simulate becomes Log[\s\S]*OWASP rule overrides/,
    );
    assert.equal(sim.changing().length, 0);
    await stack.up();
    assert.deepEqual([waf().stage, waf().acceptedValidation, waf().acceptedPending], ["validation", 1, 0]);
    assert.equal(sim.changing().length, 1, "the hand-over needs no request of its own");
    await stack.expectEmptyPreview();

    // 2. A rule that is noisy is set to log: sent again in validation.
    stack.declare(program("validation", { ruleOverrides: [override] }));
    assert.match(
      told(await stack.preview()),
      new RegExp(`Starts or adjusts[\\s\\S]*rule ${noisyRule}: action log`),
    );
    await stack.up();
    assert.deepEqual([waf().acceptedValidation, waf().acceptedPending], [2, 0]);
    assert.match(JSON.stringify(sim.zone(zoneA).entrypoint), new RegExp(noisyRule));
    await stack.expectEmptyPreview();

    // 3. The finish: once.
    stack.declare(program("finished", { ruleOverrides: [override] }));
    assert.match(told(await stack.preview()), /FINISHES the WAF migration of zone .*This cannot be undone/);
    assert.equal(waf().acceptedPending, 0);
    await stack.up();
    assert.deepEqual([waf().stage, waf().acceptedPending, sim.changing().length], ["new", 1, 3]);
    await stack.expectEmptyPreview();
    const { before, configuration, startedAt, finishedAt } = evidence(stack.state()["waf-step"]?.outputs);
    assert.equal(Object(before)["migrationState"], "start");
    assert.equal(Object(Object(before)["configuration"])["rules"].length, 3);
    assert.equal(Object(configuration)["rules"].length, 3);
    assert.ok(startedAt && finishedAt && startedAt <= finishedAt);

    // 4. What is over stays over, however the old APIs answer now.
    for (const afterFinish of ["404", "410"] as const) {
      sim.dashboard.setWaf(zoneA, { afterFinish });
      await stack.refresh();
      await stack.expectEmptyPreview();
    }

    // 5. From now on the rules are edited as any others, although the finish has given them new ids.
    const edited = [
      { action: "execute", expression: "true", description: "just this", actionParameters: { id: managed } },
    ];
    stack.declare({
      ...program("finished", { ruleOverrides: [override] }),
      rules: entrypoint({ zoneId: zoneA, rules: edited }),
    });
    assert.deepEqual(
      changesOf(await stack.preview()).map((change) => change.split(":")[0]),
      ["update rules"],
    );
    await stack.up();
    assert.deepEqual(
      sim.zone(zoneA).entrypoint?.rules.map(({ description }) => description),
      ["just this"],
    );
    assert.deepEqual(sim.changing().at(-1)?.query, {});
    await stack.expectEmptyPreview();
    const { waf: alone } = program("finished", { ruleOverrides: [override] });
    stack.declare({ waf: alone });
    await stack.up();
    assert.deepEqual(
      sim.zone(zoneA).entrypoint?.rules.map(({ action }) => action),
      ["skip", "execute", "execute"],
      "without the entry point the list is as it was found",
    );
    assert.equal(waf().acceptedPending, 1);
    await stack.expectEmptyPreview();
  });

  it("given a Pro zone, when it is finished straight with its hand-over, then one up does it; and a zone that is finished already is taken over without a request", async () => {
    const { sim, stack } = await begin({
      [zoneA]: { ...somebodysZone, plan: "pro", waf: { finishMs: 800 } },
    });
    const program = {
      waf: migration({ zoneId: zoneA }),
      rules: entrypoint({ zoneId: zoneA, ...rulesOfMigration }),
    };
    stack.declare(program);
    assert.match(await stack.up(), /waiting for the new WAF of zone/);
    assert.deepEqual([sim.zone(zoneA).waf.stage, sim.changing().length], ["new", 1]);
    await stack.expectEmptyPreview();
    for (const name of ["rules", "waf-step"]) {
      const { code, output } = await stack.run(
        "state",
        "delete",
        "--yes",
        "--force",
        stack.state()[name]?.urn ?? "",
      );
      assert.equal(code, 0, output);
    }
    const anew = await stack.preview();
    assert.match(told(anew), /has this stage already: it is taken over as it is, nothing will be sent/);
    await stack.up();
    assert.equal(sim.changing().length, 1);
    await stack.expectEmptyPreview();
  });

  it("given a finish that takes its time, when the update gives up or is killed while it waits, then the next one goes on waiting and sends nothing", async () => {
    const { sim, stack } = await begin({ [zoneA]: { ...somebodysZone, waf: { finishMs: 3_600_000 } } });
    stack.declare({ waf: migration({ zoneId: zoneA, timeoutMinutes: 0.03 }) });
    const timeout = await stack.upFails();
    assert.match(
      timeout,
      /the finish of the migration was accepted, but after 0\.03 min the zone shows new WAF off, previous WAF on, state "pending"/,
    );
    assert.match(timeout, /Run `pulumi up` again: it goes on waiting and sends nothing/);
    assert.equal(stack.state()["waf-step"]?.outputs["incomplete"], true);

    stack.declare({ waf: migration({ zoneId: zoneA }) });
    stack.killAllAt({ at: "arrival", method: "GET", skip: 12 });
    await stack.upFails();
    await stack.run("cancel", "--yes");
    await stack.refresh();
    sim.dashboard.setWaf(zoneA, { settlesAt: Date.now() + 1000 });
    await stack.up();
    assert.deepEqual(
      [sim.zone(zoneA).waf.stage, sim.zone(zoneA).waf.acceptedPending, sim.changing().length],
      ["new", 1, 1],
    );
    await stack.expectEmptyPreview();
  });
});

function evidence(outputs: Readonly<Record<string, unknown>> = {}) {
  const { before, applied, startedAt, finishedAt } = outputs;
  return { before, configuration: applied, startedAt: String(startedAt), finishedAt: String(finishedAt) };
}
