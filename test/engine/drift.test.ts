import assert from "node:assert/strict";
import { entrypoint, policy, settings } from "./real-engine/declaration";
import { useStories, zoneA } from "./real-engine/story";
import { overriddenRule, runManaged, sharedZone, skipHealth } from "./real-engine/three-resources";

describe("On the engine: what someone changes in the dashboard", function () {
  const begin = useStories(this);
  const value = "script-src 'self'; object-src 'none'; base-uri 'self'";

  it("given an applied stack, when every property is changed in the dashboard, then each comes back as that property and one up repairs them", async () => {
    const { sim, stack, unmanaged } = await begin({ [zoneA]: sharedZone });
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
    assert.deepEqual(differences["watch"], ["enabled", "useConnectionUrlPath", "useVendorReportingEndpoint"]);
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
  });
});
