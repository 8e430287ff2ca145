import assert from "node:assert/strict";
import type { RuleSeed, ZoneSeed } from "../../../provider/src/simulator";
import { entrypoint, settings } from "../../real-engine/declaration";
import { changesOf } from "../../real-engine/preview";
import type { AddStory } from "../../real-engine/shared-stories";
import { zoneWithPolicy } from "../../real-engine/story";
import { runManaged, sharedZone, skipHealth, unmanagedRule } from "../../real-engine/three-resources";

/** The rule `runManaged`, made by hand before the stack came. */
const foundManaged = {
  action: "execute",
  expression: "true",
  description: "managed",
  action_parameters: { id: runManaged.actionParameters.id },
} as const;

const takenZone: ZoneSeed = { ...zoneWithPolicy, entrypoint: { rules: [unmanagedRule, foundManaged] } };

export function foreignRules(addStory: AddStory): void {
  describe("rules and settings that were there before", () => {
    addStory(
      "given an unmanaged rule, when foreignRules is not given, then the preview refuses, names the rule and changes nothing",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare({ waf: entrypoint({ zoneId: zoneA, rules: [runManaged] }) });
        const refusal = await stack.fails("preview");
        assert.match(refusal, /unmanaged rule/);
        assert.match(refusal, /"keep" leaves them before yours, "overwrite" deletes them/);
        assert.equal(sim.changing().length, 0);
        assert.deepEqual(stack.resources(), []);
      },
    );

    addStory(
      "given an unmanaged rule that is added between preview and apply, when the stack is applied, then it refuses before the first write",
      { zoneA: zoneWithPolicy },
      async ({ sim, stack, unmanaged, zones: { zoneA } }) => {
        // The zone id is known in the apply only, so the preview cannot ask.
        stack.declare({ waf: entrypoint({ zoneId: zoneA, rules: [runManaged] }) });
        await stack.up();
        stack.declare({ waf: entrypoint({ zoneId: zoneA, rules: [skipHealth, runManaged] }) });
        const takeBack = sim.onProcessed(({ method }) => {
          // The first GET is the preview's within this up; the rule appears right after it.
          if (method !== "GET") return;
          takeBack();
          unmanaged.watch(zoneA, sim.dashboard.addRule(zoneA, unmanagedRule).id);
        });
        assert.match(await stack.upFails("--continue-on-error"), /unmanaged rule/);
        assert.equal(sim.changing().length, 1, "only the first up has written");
      },
    );

    addStory(
      "given an unmanaged rule, when it is to be overwritten, then the preview warns of it by name and a destroy brings it back",
      { zoneA: sharedZone },
      async ({ sim, stack, unmanaged, zones: { zoneA } }) => {
        const found = sim.zone(zoneA).entrypoint?.rules[0];
        unmanaged.release(found?.id ?? "");
        stack.declare({ waf: entrypoint({ zoneId: zoneA, rules: [runManaged], foreignRules: "overwrite" }) });
        const warnings = (await stack.preview()).messages.filter(({ severity }) => severity === "warning");
        assert.deepEqual(
          warnings.map(({ name }) => name),
          ["waf"],
        );
        assert.match(warnings[0]?.text ?? "", /1 unmanaged rule will be deleted: "unmanaged rule"/);
        await stack.up();
        assert.deepEqual(
          sim.zone(zoneA).entrypoint?.rules.map(({ description }) => description),
          ["managed"],
        );
        await stack.expectEmptyPreview();
        // What is added later is a drift of the whole list.
        sim.dashboard.addRule(zoneA, { ...unmanagedRule, description: "a later one" });
        assert.deepEqual(changesOf(await stack.preview("--refresh")), ["update waf: rules[1]"]);
        await stack.up("--refresh");
        await stack.destroy();
        const [returned, ...others] = sim.zone(zoneA).entrypoint?.rules ?? [];
        assert.deepEqual(others, []);
        assert.equal(returned?.description, "unmanaged rule");
        assert.deepEqual(returned?.action_parameters, found?.action_parameters);
      },
    );

    addStory(
      "given zones that have what is declared, when the stack is applied, then it is adopted without a request, and a destroy does what onDestroy says",
      { zoneA: takenZone, zoneB: takenZone, zoneC: takenZone },
      async ({ sim, stack, unmanaged, zones: { zoneA, zoneB, zoneC } }) => {
        const before = sim.zone(zoneA);
        for (const zoneId of [zoneA, zoneB, zoneC]) {
          sim.edit(zoneId, ({ settings: switches }) => {
            switches.enabled = true;
          });
          unmanaged.release(sim.zone(zoneId).entrypoint?.rules[1]?.id ?? "");
        }
        const declare = (description: string, useConnectionUrlPath: boolean) => {
          const waf = (zoneId: string, onDestroy: string) =>
            entrypoint({ zoneId, rules: [{ ...runManaged, description }], foreignRules: "keep", onDestroy });
          const watch = (zoneId: string, onDestroy: string) =>
            settings({ zoneId, enabled: true, useConnectionUrlPath, onDestroy });
          stack.declare({
            wafRestore: waf(zoneA, "restore"),
            wafRemove: waf(zoneB, "remove"),
            wafKeep: waf(zoneC, "keep"),
            watchRestore: watch(zoneA, "restore"),
            watchDisable: watch(zoneB, "disable"),
            watchKeep: watch(zoneC, "keep"),
          });
        };
        declare("managed", false);
        await stack.up();
        assert.equal(sim.changing().length, 0, "all of it was there");
        declare("edited", true);
        await stack.up();
        await stack.expectEmptyPreview();
        await stack.destroy();

        const left = (zoneId: string) => {
          const { settings: switches, entrypoint: list } = sim.zone(zoneId);
          return {
            enabled: switches.enabled,
            paths: switches.use_connection_url_path,
            rules: list?.rules.map(({ description }) => description),
          };
        };
        assert.deepEqual(left(zoneA), { enabled: true, paths: false, rules: ["unmanaged rule", "managed"] });
        assert.deepEqual(left(zoneB), { enabled: false, paths: true, rules: ["unmanaged rule"] });
        assert.deepEqual(left(zoneC), { enabled: true, paths: true, rules: ["unmanaged rule", "edited"] });
        assert.equal(
          sim.zone(zoneA).entrypoint?.rules[1]?.id,
          before.entrypoint?.rules[1]?.id,
          "the adopted rule is still the same one",
        );
      },
    );

    /** A colleague's, with what this package has no argument for, and under a name. */
    const colleagues: RuleSeed = {
      ...foundManaged,
      ref: "waf-team",
      action_parameters: {
        ...foundManaged.action_parameters,
        overrides: {
          sensitivity_level: "low",
          categories: [{ category: "wordpress", enabled: false }],
          rules: [{ id: "5".repeat(32), score_threshold: 40 }],
        },
      },
    };

    addStory(
      "given a rule with categories under a name, when it is copied as it is shown, edited, renamed and destroyed, then it keeps all it has",
      {
        zoneA: { ...zoneWithPolicy, entrypoint: { rules: [colleagues] } },
      },
      async ({ sim, stack, unmanaged, zones: { zoneA } }) => {
        const found = () => sim.zone(zoneA).entrypoint?.rules ?? [];
        const before = found();
        unmanaged.release(before[0]?.id ?? "");
        // As `getEntrypoint()` shows it. test/resources shows that another rule under its name is refused.
        const copied = (description: string) => ({
          ...runManaged,
          description,
          ref: "waf-team",
          id: before[0]?.id,
          actionParameters: {
            ...runManaged.actionParameters,
            overrides: {
              extra: { sensitivity_level: "low", categories: [{ category: "wordpress", enabled: false }] },
              rules: [{ id: "5".repeat(32), extra: { score_threshold: 40 } }],
            },
            extra: { version: "latest" },
          },
        });
        stack.declare({ waf: entrypoint({ zoneId: zoneA, rules: [copied("managed")] }) });
        const output = await stack.up();
        assert.match(output, /1 declared rule is already in the zone and will be adopted as it is/);
        assert.equal(sim.changing().length, 0);
        stack.declare({ waf: entrypoint({ zoneId: zoneA, rules: [copied("edited")] }) });
        await stack.up();
        assert.deepEqual(found()[0]?.action_parameters, before[0]?.action_parameters);
        assert.equal(found()[0]?.description, "edited");
        await stack.expectEmptyPreview();

        // Under another name without an alias, its old state read in the same run: what was found is not forgotten.
        stack.declare({ renamed: entrypoint({ zoneId: zoneA, rules: [copied("edited")] }) });
        await stack.up("--refresh");
        await stack.destroy();
        const withoutStamps = found().map(({ version: _version, last_updated: _updated, ...rule }) => rule);
        assert.deepEqual(
          withoutStamps,
          before.map(({ version: _version, last_updated: _updated, ...rule }) => rule),
        );
      },
    );

    addStory(
      "given an unmanaged rule that is put before ours later, when the stack is refreshed, then the refresh names it, exits with 7 until it is in the state, and it is in the output",
      { zoneA: zoneWithPolicy },
      async ({ sim, stack, unmanaged, zones: { zoneA } }) => {
        stack.declare({ waf: entrypoint({ zoneId: zoneA, rules: [runManaged] }) });
        await stack.up();
        const { id } = sim.dashboard.addRule(zoneA, unmanagedRule, 0);
        unmanaged.watch(zoneA, id);
        const named = new RegExp(
          `ManagedWafEntrypoint of zone ${zoneA}: 1 unmanaged rule was added .*unmanaged rule`,
        );
        assert.match(await stack.seesDrift(), named);
        const { messages } = await stack.preview("--refresh");
        assert.ok(messages.some(({ severity, text }) => severity === "warning" && named.test(text)));
        assert.match(await stack.refresh(), named);
        assert.deepEqual(stack.state()["waf"]?.outputs["foreign"], ["unmanaged rule"]);
        assert.doesNotMatch(await stack.expectNoDrift(), /came since/);
        await stack.expectEmptyPreview();
        await stack.destroy();
      },
    );
  });
}
