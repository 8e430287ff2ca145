import assert from "node:assert/strict";
import { entrypoint, migration, outputOf } from "../../real-engine/declaration";
import { changesOf, type Preview } from "../../real-engine/preview";
import type { AddStory } from "../../real-engine/shared-stories";
import { zoneWithPolicy } from "../../real-engine/story";

const managed = "efb7b8c949ac4650a09736fc376e9aee";
const noisyRule = "0123456789abcdef0123456789abcdef";
const override = { rulesetId: managed, ruleId: noisyRule, action: "log" };
const rulesOfMigration = {
  name: outputOf("waf", "configuration", "name"),
  rules: outputOf("waf", "configuration", "rules"),
};

const textOf = ({ messages }: Preview): string => messages.map(({ text }) => text).join("\n");

export function wafMigration(addStory: AddStory): void {
  describe("a zone moves to the new WAF", () => {
    addStory(
      "given an Enterprise zone, when it goes through validation, is adjusted, finished and handed over, then each step is one update, says what it does, and the rules are ordinary ones afterwards",
      {
        zoneA: { ...zoneWithPolicy, waf: { firewallRules: 1, owasp: true } },
      },
      async ({ sim, stack, zones: { zoneA } }) => {
        const program = (stage: string, more = {}) => ({
          waf: migration({ zoneId: zoneA, stage, ...more }),
          rules: entrypoint({ zoneId: zoneA, ...rulesOfMigration }),
        });
        const waf = () => sim.zone(zoneA).waf;

        // 1. Into validation.
        stack.declare(program("validation"));
        const first = await stack.preview();
        assert.match(textOf(first), /Starts or adjusts WAF validation of zone .*\[migration-validates\]/s);
        assert.match(
          textOf(first),
          /Configuration "default", 3 rules:\s+1\. "bypass 1" skip, if ip\.src eq 192\.0\.2\.0, enabled/,
        );
        assert.match(
          textOf(first),
          new RegExp(`run managed ruleset ${managed}, if true, enabled\\s+- rule [0-9a-f]{32}: action log`),
        );
        assert.match(
          textOf(first),
          /High -> paranoia level 2[\s\S]*Simulate becomes Log[\s\S]*OWASP rule overrides/,
        );
        assert.equal(sim.changing().length, 0);
        await stack.up();
        assert.deepEqual(
          [waf().stage, waf().acceptedValidation, waf().acceptedPending],
          ["validation", 1, 0],
        );
        assert.equal(sim.changing().length, 1, "the hand-over needs no request of its own");
        await stack.expectEmptyPreview();

        // 2. A rule that is noisy is set to log: sent again in validation.
        stack.declare(program("validation", { ruleOverrides: [override] }));
        assert.match(
          textOf(await stack.preview()),
          new RegExp(`Starts or adjusts[\\s\\S]*rule ${noisyRule}: action log`),
        );
        await stack.up();
        assert.deepEqual([waf().acceptedValidation, waf().acceptedPending], [2, 0]);
        assert.match(JSON.stringify(sim.zone(zoneA).entrypoint), new RegExp(noisyRule));

        // 3. The finish: once.
        stack.declare(program("finished", { ruleOverrides: [override] }));
        assert.match(
          textOf(await stack.preview()),
          /FINISHES the WAF migration of zone .*This cannot be undone/,
        );
        assert.equal(waf().acceptedPending, 0);
        await stack.up();
        assert.deepEqual([waf().stage, waf().acceptedPending, sim.changing().length], ["new", 1, 3]);
        await stack.expectEmptyPreview();
        const { before, configuration, startedAt, finishedAt } = evidence(stack.state()["waf-step"]?.outputs);
        assert.equal(Object(before)["migrationState"], "start");
        assert.equal(Object(Object(before)["configuration"])["rules"].length, 3);
        assert.equal(Object(configuration)["rules"].length, 3);
        assert.ok(startedAt && finishedAt && startedAt <= finishedAt);

        // 4. What is over stays over, however the old APIs answer now; 404 is in test/migration.
        sim.dashboard.setWaf(zoneA, { afterFinish: "410" });
        await stack.expectNoDrift();

        // 5. From now on the rules are edited as any others, although the finish has given them new ids.
        const edited = [
          {
            action: "execute",
            expression: "true",
            description: "just this",
            actionParameters: { id: managed },
          },
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
      },
    );

    addStory(
      "given a Pro zone, when it is finished and its rules move to an entry point in one program, then one up does it; and a zone that is finished already is adopted without a request",
      {
        zoneA: { ...zoneWithPolicy, plan: "pro", waf: { finishMs: 800 } },
      },
      async ({ sim, stack, zones: { zoneA } }) => {
        const program = {
          waf: migration({ zoneId: zoneA }),
          rules: entrypoint({ zoneId: zoneA, ...rulesOfMigration }),
        };
        stack.declare(program);
        assert.match(await stack.up(), /waiting for the new WAF of zone/);
        assert.deepEqual([sim.zone(zoneA).waf.stage, sim.changing().length], ["new", 1]);
        await stack.expectEmptyPreview();
        assert.equal(stack.resources().length, 2);
        stack.loseState();
        const again = await stack.preview();
        assert.match(textOf(again), /already at this stage: .*\[migration-adopted\]/);
        await stack.up();
        assert.equal(sim.changing().length, 1);
        await stack.expectEmptyPreview();
      },
    );

    addStory(
      "given a finish that takes long, when the update stops waiting or is killed, then the next one waits on and sends nothing",
      { zoneA: { ...zoneWithPolicy, waf: { finishMs: 3_600_000 } } },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare({ waf: migration({ zoneId: zoneA, timeoutMinutes: 0.03 }) });
        const timeout = await stack.upFails("--continue-on-error");
        assert.match(
          timeout,
          /the finish .* was accepted, .* 0\.03 min .* new WAF off, previous WAF on, state "pending"/,
        );
        assert.match(timeout, /Run `pulumi up` again: .* sends nothing/);
        assert.equal(stack.state()["waf-step"]?.outputs["incomplete"], true);

        stack.declare({ waf: migration({ zoneId: zoneA }) });
        stack.killAllAt({ at: "arrival", method: "GET", skip: 12, isAlone: true });
        await stack.upFails();
        stack.unlock();
        await stack.refresh();
        sim.dashboard.setWaf(zoneA, { settlesAt: Date.now() + 1000 });
        await stack.up();
        assert.deepEqual(
          [sim.zone(zoneA).waf.stage, sim.zone(zoneA).waf.acceptedPending, sim.changing().length],
          ["new", 1, 1],
        );
        await stack.expectEmptyPreview();
      },
    );

    addStory(
      "given a zone that is not eligible, when it is previewed, then it is refused with its reason at its resource",
      { zoneA: { ...zoneWithPolicy, waf: { eligible: false } } },
      async ({ sim, stack, zones: { zoneA } }) => {
        // test/migration has all the others that are not possible, bad-input.test.ts a wrong zone to confirm.
        stack.declare({ waf: migration({ zoneId: zoneA }) });
        assert.match(
          (await stack.fails("preview")).replace(/\s+/g, " "),
          /WafMigrationStep resource 'waf-step' has a problem: .*\(migration state "start"\).*\[migration-not-eligible\]/,
        );
        assert.equal(sim.changing().length, 0);
      },
    );

    addStory(
      "given a zone that is eligible in the preview, when it no longer is right before the update, then nothing is sent",
      { zoneA: { ...zoneWithPolicy, waf: {} } },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare({ waf: migration({ zoneId: zoneA }) });
        await stack.preview();
        sim.forget();
        // The check of the update has passed when its own look begins, which is the second one.
        sim.onRequest(({ path }) => {
          const looks = sim.requests({ path: "/waf_migration/check" }).length;
          if (path.endsWith("/check") && looks === 2) sim.dashboard.setWaf(zoneA, { eligible: false });
        });
        assert.match(
          await stack.upFails("--continue-on-error"),
          /the compatibility check says that the zone is not eligible/,
        );
        assert.deepEqual(sim.changing(), []);
      },
    );

    addStory(
      "given a Pro zone, when validation is asked for, then the update says that it takes Enterprise and that nothing has changed",
      { zoneA: { ...zoneWithPolicy, plan: "pro", waf: {} } },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare({ waf: migration({ zoneId: zoneA, stage: "validation" }) });
        await stack.preview();
        const said = (await stack.upFails("--continue-on-error")).replace(/\s+/g, " ");
        assert.match(said, /refused the validation\. Nothing has changed .* Enterprise zones only/);
        assert.match(said, /go straight to stage: "finished".*\[migration-refused\]/);
        assert.equal(sim.zone(zoneA).waf.stage, "old");
        assert.equal(sim.zone(zoneA).entrypoint, null);
        // And that is what works.
        stack.declare({ waf: migration({ zoneId: zoneA }) });
        await stack.up();
        assert.equal(sim.zone(zoneA).waf.acceptedPending, 1);
      },
    );

    addStory(
      "given an update without an answer and without a trace, when it is run again, then it looks first and sends once more",
      { zoneA: { ...zoneWithPolicy, waf: {} } },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare({ waf: migration({ zoneId: zoneA }) });
        sim.faults.add({ method: "PUT", kind: "reset-before", count: 1 });
        const said = (await stack.upFails("--continue-on-error")).replace(/\s+/g, " ");
        assert.match(said, /the finishing request got no clear answer, .* sent once and not again/);
        assert.equal(Object(stack.state()["waf-step"]?.outputs["attempt"])["outcome"], "unknown");
        await stack.refresh();
        await stack.up();
        assert.equal(sim.zone(zoneA).waf.acceptedPending, 1);
        assert.equal(sim.changing().length, 2);
        await stack.expectEmptyPreview();
      },
    );
  });
}

function evidence(outputs: Readonly<Record<string, unknown>> = {}) {
  const { before, applied, startedAt, finishedAt } = outputs;
  return { before, configuration: applied, startedAt: String(startedAt), finishedAt: String(finishedAt) };
}
