import assert from "node:assert/strict";
import { entrypoint, policy, settings } from "../../real-engine/declaration";
import { changesOf } from "../../real-engine/preview";
import type { AddStory } from "../../real-engine/shared-stories";
import { zoneWithPolicy } from "../../real-engine/story";
import {
  expectThree,
  overriddenRule,
  runManaged,
  sharedZone,
  skipHealth,
  threeResources,
  unmanagedRule,
} from "../../real-engine/three-resources";

export function drift(addStory: AddStory): void {
  describe("what someone changes in the dashboard", () => {
    const value = "script-src 'self'; object-src 'none'; base-uri 'self'";

    addStory(
      "given an applied stack, when every property is changed in the dashboard, then each comes back as that property and one up repairs them",
      { zoneA: sharedZone },
      async ({ sim, stack, unmanaged, zones: { zoneA } }) => {
        stack.declare({
          watch: settings({
            zoneId: zoneA,
            enabled: true,
            useVendorReportingEndpoint: true,
            useConnectionUrlPath: false,
          }),
          csp: policy({ zoneId: zoneA, value, enabled: true }),
          sources: policy({
            zoneId: zoneA,
            description: "by sources",
            directives: { "script-src": ["'self'"] },
            lint: "off",
          }),
          waf: entrypoint({
            zoneId: zoneA,
            name: "ours",
            rules: [skipHealth, runManaged],
            foreignRules: "keep",
          }),
        });
        await stack.up();
        const before = sim.zone(zoneA);
        // The engine makes both at once: which comes first is not known.
        const [, ...ours] = before.policies;
        const sources = ours.find(({ description }) => description === "by sources");
        const csp = ours.find(({ description }) => description !== "by sources");
        const [, health, everything] = before.entrypoint?.rules ?? [];
        sim.dashboard.setSettings(zoneA, {
          enabled: false,
          use_vendor_reporting_endpoint: false,
          use_connection_url_path: true,
        });
        sim.dashboard.putPolicy(zoneA, {
          id: csp?.id ?? "",
          description: "edited",
          action: "allow",
          expression: "true",
          enabled: false,
          value: "script-src 'none'",
        });
        sim.dashboard.putPolicy(zoneA, {
          id: sources?.id ?? "",
          value: "script-src 'self' https://evil.example",
        });
        sim.dashboard.changeRule(zoneA, health?.id ?? "", { expression: "true", enabled: false });
        sim.dashboard.changeRule(zoneA, everything?.id ?? "", {
          description: "edited",
          action_parameters: {
            id: runManaged.actionParameters.id,
            overrides: { rules: [{ id: overriddenRule, enabled: false }] },
          },
        });
        sim.edit(zoneA, ({ entrypoint: list }) => {
          if (list) list.name = "renamed";
        });

        const drift = await stack.seesDrift();
        assert.match(drift, /~ enabled\s*: true => false/);
        assert.match(drift, /~ expression\s*: ".*shop\.example\.com\\"" => "true"/);
        const repair = await stack.preview("--refresh");
        const differences = Object.fromEntries(repair.steps.map((step) => [step.name, step.differences]));
        assert.deepEqual(differences["watch"], [
          "enabled",
          "useConnectionUrlPath",
          "useVendorReportingEndpoint",
        ]);
        assert.deepEqual(differences["csp"], ["action", "description", "enabled", "expression", "value"]);
        assert.deepEqual(differences["sources"], ['directives["script-src"][1]']);
        assert.deepEqual(differences["waf"], [
          "name",
          "rules[0].enabled",
          "rules[0].expression",
          "rules[1].actionParameters.overrides",
          "rules[1].description",
        ]);
        await stack.up("--refresh");
        const { waf: _waf, ...after } = sim.zone(zoneA);
        assert.deepEqual({ ...after.settings, updated_at: "" }, { ...before.settings, updated_at: "" });
        assert.deepEqual(after.policies, before.policies);
        assert.equal(after.entrypoint?.name, "ours");
        assert.deepEqual(
          after.entrypoint?.rules.map(({ version: _v, last_updated: _l, ...rule }) => rule),
          before.entrypoint?.rules.map(({ version: _v, last_updated: _l, ...rule }) => rule),
        );
        await stack.expectEmptyPreview();
        await stack.expectNoDrift();
        unmanaged.expectUntouched();
      },
    );

    addStory(
      "given an applied stack, when policy and rules are deleted and others added, then the refresh says so, up recreates ours and leaves the others",
      { zoneA: sharedZone },
      async ({ sim, stack, unmanaged, zones: { zoneA } }) => {
        stack.declare(threeResources(zoneA));
        await stack.up();
        const ours = sim.zone(zoneA);
        sim.dashboard.deletePolicy(zoneA, ours.policies.at(-1)?.id ?? "");
        sim.dashboard.deleteRule(zoneA, ours.entrypoint?.rules.at(-1)?.id ?? "");
        const added = sim.dashboard.putPolicy(zoneA, {
          description: "added by a colleague",
          expression: "true",
        });
        unmanaged.watch(zoneA, added.id);

        const drift = await stack.seesDrift();
        assert.match(drift, /- pulumi-nodejs:dynamic\/page-guard:CspPolicy/);
        assert.deepEqual(changesOf(await stack.preview("--refresh")), ["create csp", "update waf: rules[0]"]);
        // In two steps this time: what refresh has recorded, up repairs.
        await stack.refresh();
        await stack.up();
        sim.edit(zoneA, ({ policies }) =>
          policies.splice(
            policies.findIndex(({ id }) => id === added.id),
            1,
          ),
        );
        unmanaged.release(added.id);
        expectThree(sim, zoneA);
        await stack.expectEmptyPreview();
      },
    );

    addStory(
      "given an entry point, when someone else adds a rule, then refresh leaves it out, an up that edits ours is refused and an unchanged preview is empty",
      { zoneA: zoneWithPolicy },
      async ({ sim, stack, unmanaged, zones: { zoneA } }) => {
        stack.declare({ waf: entrypoint({ zoneId: zoneA, rules: [runManaged] }) });
        await stack.up();
        const { id } = sim.dashboard.addRule(zoneA, unmanagedRule);
        unmanaged.watch(zoneA, id);
        await stack.refresh();
        await stack.expectEmptyPreview();
        stack.declare({ waf: entrypoint({ zoneId: zoneA, rules: [skipHealth, runManaged] }) });
        const refusal = await stack.upFails();
        assert.match(refusal, /unmanaged rule/);
        assert.match(refusal, /foreignRules "keep"/);
        assert.equal(sim.changing().length, 1);
        stack.declare({
          waf: entrypoint({ zoneId: zoneA, rules: [skipHealth, runManaged], foreignRules: "keep" }),
        });
        await stack.up();
        assert.deepEqual(
          sim.zone(zoneA).entrypoint?.rules.map(({ description }) => description),
          ["unmanaged rule", "health check", "managed"],
        );
        await stack.expectEmptyPreview();
        await stack.destroy();
        assert.deepEqual(
          sim.zone(zoneA).entrypoint?.rules.map(({ description }) => description),
          ["unmanaged rule"],
        );
      },
    );
  });
}
