import assert from "node:assert/strict";
import { createRun } from "../../../provider/src/lifecycle/run";
import { secret } from "../../../provider/src/model/engine-marks";
import type { Properties } from "../../../provider/src/model/properties";
import { unknownValue } from "../../../provider/src/model/unknown";
import { isDefaultProvider } from "../../../provider/src/model/urn";
import {
  readCheckedConfig,
  readGivenSettings,
  toEnvironment,
} from "../../../provider/src/plugin/provider-inputs";
import { servedResource } from "../../../provider/src/plugin/resource";
import { holdsSecret, markLike, plainValues } from "../../../provider/src/plugin/wire";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { wafMigrationStep } from "../../../provider/src/resources/waf-migration/lifecycle";
import { managedRulesetId, startSimulator } from "../../../simulator/src";
import { placeAndCode } from "../../support/place-and-code";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const urnOf = (kind: string) => `urn:pulumi:dev::story::page-guard:index:${kind}::one`;
const policyUrn = urnOf("CspPolicy");

describe("Values between the engine and the lifecycles", () => {
  it("lose their secret marks, at any depth", () => {
    const values = { a: secret({ b: [secret("c")] }), d: secret(secret(1)), e: null, f: { g: true } };
    assert.deepEqual(plainValues(values), { a: { b: ["c"] }, d: 1, e: null, f: { g: true } });
  });

  it("have one form if they are unknown, whatever their type will be", () => {
    const number = "3eeb2bf0-c639-47a8-9e75-3b44932eb421";
    const list = secret("6a19a0b0-7e62-4c92-b797-7f8e31da9cc2");
    assert.deepEqual(plainValues({ number, list }), { number: unknownValue, list: unknownValue });
  });

  it("are marked secret again if the value that they come from is secret", () => {
    const like = { a: secret("x"), b: { c: secret("x"), d: "x" }, e: ["x", secret("x")], f: "x" };
    assert.deepEqual(markLike({ a: "y", b: { c: "y", d: "y", g: "y" }, e: ["y"], f: "y", h: "y" }, like), {
      a: secret("y"),
      b: { c: secret("y"), d: "y", g: "y" },
      e: secret(["y"]),
      f: "y",
      h: "y",
    });
    assert.deepEqual(markLike({ b: "other form" }, like), { b: secret("other form") });
    // A mark would hide that nobody has seen the value.
    const late = { a: unknownValue, e: ["y", unknownValue], f: unknownValue };
    assert.deepEqual(markLike(late, like), { a: unknownValue, e: unknownValue, f: unknownValue });
  });

  it("are secret in an output that contains a secret input under another name", async () => {
    const client = {
      listPolicies: async () => [],
      createPolicy: async (_zoneId: string, policy: object) => ({ ...policy, policyId: "p1" }),
    };
    const run = { ...createRun({ env: {} }), client: () => client as never };
    const served = servedResource(() => cspPolicy, run);
    const declared = { zoneId, description: "d", action: "log", expression: "true", impact: "off" };
    const directives = { "script-src": ["'self'"] };
    const plain = await served.create(policyUrn, { ...declared, directives });
    assert.equal(plain.state["value"], "script-src 'self'");
    const hidden = await served.create(policyUrn, { ...declared, directives: secret(directives) });
    assert.deepEqual(hidden.state["value"], secret("script-src 'self'"));
    assert.equal(hidden.state["policyId"], "p1");
  });

  it("are secret in the configuration of a migration and in the found list of rules, if an override or the name is", async () => {
    const sim = await startSimulator();
    try {
      sim.zones.seed(zoneId, { plan: "enterprise", waf: { firewallRules: 1 } });
      const run = createRun({ env: { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token } });
      const override = { rulesetId: managedRulesetId, ruleId: "f".repeat(32), enabled: false };
      const move = { zoneId, stage: "validation", confirm: zoneId };
      const step = servedResource(() => wafMigrationStep, run);
      const { state } = await step.create(urnOf("WafMigrationStep"), {
        ...move,
        ruleOverrides: [secret(override)],
      });
      assert.ok(holdsSecret(state["applied"]));
      const waf = servedResource(() => managedWafEntrypoint, run);
      const list = { zoneId, name: secret("hidden"), rules: [], foreignRules: "overwrite" };
      assert.ok(holdsSecret((await waf.create(urnOf("ManagedWafEntrypoint"), list)).state["initial"]));
    } finally {
      await sim.stop();
    }
  });

  it("cause each warning once in a replacement, although the engine checks the inputs twice", async () => {
    const codes: string[] = [];
    const run = createRun({
      env: { PAGE_GUARD_OFFLINE: "1" },
      log: async (severity, _urn, text) => {
        if (severity === "warning") codes.push(/\[([\w-]+)\]$/.exec(text)?.[1] ?? text);
      },
    });
    const served = servedResource(() => cspPolicy, run);
    const before = { zoneId, description: "d", action: "log", expression: "true", value: "script-src *" };
    const now = { ...before, zoneId: zoneId.replace("a0", "b0") };
    const state = { ...before, policyId: "p1", schemaVersion: 1 };
    await served.check(policyUrn, before, now);
    const once = [...codes];
    assert.ok(once.some((code) => code.startsWith("csp-lint-")));
    const { replaces } = await served.diff(policyUrn, `${zoneId}/p1`, state, now);
    assert.deepEqual(replaces, ["zoneId"]);
    await served.check(policyUrn, {}, now);
    assert.deepEqual(codes, once);
  });

  it("are no remediation if a list holds a secret and an unknown value", async () => {
    const told: string[] = [];
    const log = async (_severity: string, _urn: string, text: string) => void told.push(text);
    const served = servedResource(() => cspPolicy, createRun({ env: { PAGE_GUARD_OFFLINE: "1" }, log }));
    const declared = { zoneId, description: "d", action: "log", expression: "true", lint: "off" };
    const sources = (...all: unknown[]) => ({ ...declared, directives: { "script-src": all } });
    const state = { ...sources("'self'"), value: "script-src 'self'", policyId: "p1", schemaVersion: 1 };
    const now = sources(secret("https://hidden.example"), unknownValue);
    const { inputs } = await served.check(policyUrn, sources("'self'"), now);
    await served.diff(policyUrn, `${zoneId}/p1`, state, inputs);
    assert.doesNotMatch(told.join("\n"), /\[inputs-remediated\]/);
  });
});

describe("Arguments of the provider", () => {
  const urn = (name: string) => `urn:pulumi:dev::story::pulumi:providers:page-guard::${name}`;
  const baseUrl = "https://api.example.com/client/v4";

  it("mark the token as a secret", () => {
    const recorded = (args: Properties) => readCheckedConfig(urn("ours"), args).inputs;
    assert.deepEqual(recorded({ apiToken: "t", baseUrl }), { apiToken: secret("t"), baseUrl });
    assert.deepEqual(recorded({ apiToken: secret("t") }), { apiToken: secret("t") });
    assert.deepEqual(recorded({ baseUrl }), { baseUrl });
  });

  it("are refused with their name and a code, and without the token, if they cannot work", () => {
    const token = "a token with spaces";
    const refused = (args: Properties, name = "ours") =>
      readCheckedConfig(urn(name), args).failures.map(({ property, reason }) => {
        assert.equal(property, "", "with a property, the engine would print its value");
        assert.ok(!reason.includes(token), reason);
        return reason;
      });
    const wrong: [Properties, RegExp][] = [
      [{ baseUrl: "http://api.example.com/v4" }, / unencrypted.*the argument baseUrl of the provider/],
      [{ baseUrl: "https://api.example.com" }, /does not end in \/v4/],
      [{ service: "page_fence" }, /neither page_guard nor page_shield/],
      [{ apiToken: secret(" ") }, /apiToken is empty\. .*leave it out to use PAGE_GUARD_API_TOKEN\./],
      [{ apiToken: token }, /cannot be sent in a header/],
      [{ baseUrl: 4 }, /baseUrl must be a string/],
    ];
    for (const [args, expected] of wrong) {
      const [reason = "", ...more] = refused(args);
      assert.match(reason, expected);
      const code = /must be|is empty/.test(reason) ? "input-invalid" : "PG_CONNECTION_INVALID";
      assert.equal(placeAndCode(reason), `${Object.keys(args)[0]} [${code}]`);
      assert.deepEqual(more, []);
      // The environment has priority over the config of the stack.
      assert.deepEqual(refused(args, "default_0_1_0"), []);
    }
    assert.equal(refused({ apiToken: "", baseUrl: "", service: "" }).length, 3);
    const number = "3eeb2bf0-c639-47a8-9e75-3b44932eb421";
    assert.deepEqual(refused({ apiToken: secret(unknownValue), baseUrl: number, service: null }), []);
    assert.deepEqual(refused({ apiToken: "t", baseUrl, service: "page_shield" }), []);
  });

  it("are used unless they are empty", () => {
    const given = { apiToken: secret("t"), baseUrl: " ", other: "x" };
    assert.deepEqual(readGivenSettings(given), { apiToken: "t" });
    assert.deepEqual(toEnvironment({ apiToken: "t" }), { PAGE_GUARD_API_TOKEN: "t" });
  });

  it("of the default provider, which the engine creates, come from the config of the stack", () => {
    for (const name of ["", "_0_1_0", "_0_1_0_alpha", "_0_1_0_https_//example.com", "_github_//example.com"])
      assert.ok(isDefaultProvider(urn(`default${name}`)), name);
    for (const name of ["other", "default-eu", "default_eu", "default_", "default_2", "our::default"])
      assert.ok(!isDefaultProvider(urn(name)), name);
  });
});
