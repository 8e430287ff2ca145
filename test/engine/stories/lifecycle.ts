import assert from "node:assert/strict";
import { entrypoint, policy, settings } from "../../real-engine/declaration";
import { changesOf } from "../../real-engine/preview";
import type { AddStory } from "../../real-engine/shared-stories";
import { zoneWithPolicy } from "../../real-engine/story";
import {
  expectNoneOfThree,
  expectThree,
  overriddenRule,
  runManaged,
  sharedZone,
  skipHealth,
  threeResources,
} from "../../real-engine/three-resources";

export function lifecycle(addStory: AddStory): void {
  describe("from the first up to the last destroy", () => {
    addStory(
      "given a new stack, when it is previewed, applied twice and destroyed twice, then nothing is done twice and the zone ends as it began",
      { zoneA: sharedZone },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare(threeResources(zoneA));
        assert.deepEqual(changesOf(await stack.preview()), ["create csp", "create waf", "create watch"]);
        assert.equal(sim.changing().length, 0, "a preview changes nothing");
        await stack.up();
        expectThree(sim, zoneA);
        assert.equal(sim.changing().length, 3, "one request for each resource");
        await stack.up();
        assert.equal(sim.changing().length, 3, "the second up sends no changing request");
        await stack.expectEmptyPreview();
        await stack.destroy();
        expectNoneOfThree(sim, zoneA);
        sim.forget();
        await stack.destroy();
        assert.equal(sim.journal.length, 0);
      },
    );

    addStory(
      "given the three resources, when they move to another zone, then they are replaced and the first zone is as before",
      { zoneA: sharedZone, zoneB: sharedZone },
      async ({ sim, stack, zones: { zoneA, zoneB } }) => {
        stack.declare(threeResources(zoneA));
        await stack.up();
        stack.declare(threeResources(zoneB));
        const replaced = changesOf(await stack.preview()).filter((change) => change.startsWith("replace "));
        assert.deepEqual(replaced, ["replace csp: zoneId", "replace waf: zoneId", "replace watch: zoneId"]);
        await stack.up();
        expectNoneOfThree(sim, zoneA);
        expectThree(sim, zoneB);
        const { watch, csp } = stack.state();
        assert.equal(watch?.id, zoneB);
        assert.match(csp?.id ?? "", new RegExp(`^${zoneB}/`));
        await stack.expectEmptyPreview();
      },
    );

    addStory(
      "given settings, when each is edited, no longer declared and switched off, then each edit is one request of just what differs",
      { zoneA: zoneWithPolicy },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare({ watch: settings({ zoneId: zoneA, enabled: true }) });
        await stack.up();
        stack.declare({
          watch: settings({
            zoneId: zoneA,
            enabled: false,
            useVendorReportingEndpoint: false,
            useConnectionUrlPath: true,
          }),
        });
        const [edit] = (await stack.preview()).steps;
        assert.deepEqual(edit?.differences, [
          "enabled",
          "useConnectionUrlPath",
          "useVendorReportingEndpoint",
        ]);
        await stack.up();
        const { updated_at: _, ...edited } = sim.zone(zoneA).settings;
        assert.deepEqual(edited, {
          enabled: false,
          use_vendor_reporting_endpoint: false,
          use_connection_url_path: true,
        });
        // A switch that is no longer declared goes back to what was found.
        stack.declare({
          watch: settings({
            zoneId: zoneA,
            enabled: false,
            useVendorReportingEndpoint: false,
            onDestroy: "disable",
          }),
        });
        await stack.up();
        assert.deepEqual(
          sim.changing().map(({ body }) => Object.keys(Object(body)).length),
          [1, 3, 1],
        );
        assert.equal(sim.zone(zoneA).settings.use_connection_url_path, false);
        await stack.expectEmptyPreview();
      },
    );

    addStory(
      "given a policy, when each property is edited, then the preview names it, the policy keeps its id, and another spelling is no change",
      { zoneA: zoneWithPolicy },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare({ csp: policy({ zoneId: zoneA }) });
        await stack.up();
        const policyId = stack.state()["csp"]?.outputs["policyId"];
        const edits = {
          description: "second edition",
          action: "allow",
          expression: 'http.host eq "www.example.com"',
          enabled: false,
          value: "script-src 'self'; object-src 'none'; base-uri 'none'",
        };
        stack.declare({ csp: policy({ zoneId: zoneA, ...edits }) });
        const [edit] = (await stack.preview()).steps;
        assert.deepEqual(edit?.differences, Object.keys(edits).sort());
        await stack.up();
        assert.deepEqual(sim.zone(zoneA).policies.at(-1), { id: policyId, ...edits });

        const changes = sim.changing().length;
        stack.declare({
          csp: policy({
            zoneId: zoneA,
            ...edits,
            expression: ' http.host   eq  "www.example.com" ',
            value: "BASE-URI 'none';  object-src 'none' ; script-src 'self';",
          }),
        });
        await stack.expectEmptyPreview();
        const { value: _, ...others } = edits;
        stack.declare({
          csp: policy({
            zoneId: zoneA,
            ...others,
            directives: { "object-src": ["'none'"], "script-src": ["'self'"], "base-uri": ["'none'"] },
          }),
        });
        await stack.up();
        assert.equal(sim.changing().length, changes, "what means the same is not sent again");
        await stack.expectEmptyPreview();
      },
    );

    addStory(
      "given an entry point, when rules are edited, reordered, added and taken away, then a rule that stays keeps its id",
      { zoneA: zoneWithPolicy },
      async ({ sim, stack, zones: { zoneA } }) => {
        const ids = () => sim.zone(zoneA).entrypoint?.rules.map(({ id }) => id) ?? [];
        const declare = (rules: readonly unknown[], more = {}) =>
          stack.declare({ waf: entrypoint({ zoneId: zoneA, rules, ...more }) });
        declare([skipHealth, runManaged]);
        await stack.up();
        const [health, everything] = ids();

        const edited = {
          ...runManaged,
          description: "second edition",
          expression: 'http.host eq "shop.example.com"',
          enabled: false,
          actionParameters: {
            ...runManaged.actionParameters,
            overrides: { rules: [{ id: overriddenRule, action: "log" }] },
          },
        };
        declare([skipHealth, edited], { name: "ours" });
        const [edit] = (await stack.preview()).steps;
        assert.deepEqual(edit?.differences, [
          "name",
          "rules[1].actionParameters.overrides",
          "rules[1].description",
          "rules[1].enabled",
          "rules[1].expression",
        ]);
        await stack.up();
        assert.deepEqual(ids(), [health, everything]);
        assert.equal(sim.zone(zoneA).entrypoint?.name, "ours");
        assert.deepEqual(sim.zone(zoneA).entrypoint?.rules[1]?.action_parameters?.["overrides"], {
          rules: [{ id: overriddenRule, action: "log" }],
        });
        await stack.expectEmptyPreview();

        const named = { ...skipHealth, expression: 'http.request.uri.path eq "/ready"', ref: "ready" };
        declare([edited, named, skipHealth], { name: "ours" });
        await stack.up();
        const [, ready] = ids();
        assert.deepEqual(ids(), [everything, ready, health]);
        // With a ref of its own the rule stays the same one, whatever becomes of the rest of it.
        declare([{ ...runManaged, ref: "ready" }, edited], { name: "ours" });
        await stack.up();
        assert.deepEqual(ids(), [ready, everything]);
        const recorded = Object(stack.state()["waf"]?.outputs["rules"]) as readonly { readonly id: string }[];
        assert.deepEqual(
          recorded.map(({ id }) => id),
          ids(),
        );
        await stack.expectEmptyPreview();
        await stack.destroy();
        assert.deepEqual(ids(), []);
      },
    );

    addStory(
      "given objects that someone else has deleted already, when the stack is destroyed, then the destroy succeeds",
      { zoneA: zoneWithPolicy, zoneB: zoneWithPolicy },
      async ({ sim, stack, unmanaged, zones: { zoneA, zoneB } }) => {
        stack.declare({
          watch: settings({ zoneId: zoneB, enabled: true }),
          csp: policy({ zoneId: zoneA }),
          waf: entrypoint({ zoneId: zoneA, rules: [runManaged] }),
        });
        await stack.up();
        sim.dashboard.deletePolicy(zoneA, sim.zone(zoneA).policies.at(-1)?.id ?? "");
        sim.dashboard.putEntrypoint(zoneA, null);
        unmanaged.release(...sim.zone(zoneB).policies.map(({ id }) => id));
        sim.zones.remove(zoneB);
        await stack.destroy();
        assert.deepEqual(stack.resources(), []);
        assert.equal(sim.zone(zoneA).entrypoint, null);
      },
    );
  });
}
