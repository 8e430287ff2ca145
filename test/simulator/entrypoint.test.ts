import assert from "node:assert/strict";
import type { ZoneRule } from "../../simulator/src";
import { call, entrypointPath, executeRule, managedRuleset, seeded, stopAll, zoneId } from "./raw-client";

const skipRule = {
  action: "skip",
  expression: "ip.src eq 192.0.2.1",
  action_parameters: { ruleset: "current" },
};
const ids = (reply: { result: { rules: ZoneRule[] } }) => reply.result.rules.map((rule) => rule.id);

afterEach(stopAll);

describe("the entry point ruleset", () => {
  it("is 404 with code 10003 until it is put, and without rules has no rules field", async () => {
    const sim = await seeded();
    const never = await call(sim, "GET", entrypointPath);
    assert.deepEqual([never.status, never.error.code], [404, 10003]);
    const put = await call(sim, "PUT", entrypointPath, { rules: [] });
    assert.equal(put.status, 200);
    const got = await call(sim, "GET", entrypointPath);
    assert.deepEqual(got.result, put.result);
    assert.equal("rules" in got.result, false);
    assert.deepEqual(
      [got.result.kind, got.result.phase, got.result.version],
      ["zone", "http_request_firewall_managed", "1"],
    );
  });

  it("replaces the whole list: rules known by id or ref keep their identity, the rest is new or deleted", async () => {
    const sim = await seeded(
      { entrypoint: { rules: [executeRule, { ...skipRule, ref: "mine" }] } },
      { now: () => Date.UTC(2030, 0, 1) },
    );
    const [execute, skip] = sim.zone(zoneId).entrypoint?.rules ?? [];
    assert.ok(execute && skip);
    assert.equal(execute.ref, execute.id);
    assert.equal(execute.version, "1");
    assert.deepEqual(execute.action_parameters, { id: managedRuleset, version: "latest" });

    const put = await call(sim, "PUT", entrypointPath, {
      rules: [
        { ...skipRule, ref: "mine" },
        { ...executeRule, id: execute.id, enabled: false },
        { ...skipRule, expression: "ip.src eq 192.0.2.2" },
      ],
    });
    const [first, second, third] = put.result.rules;
    assert.deepEqual(first, skip);
    assert.deepEqual([second.id, second.ref, second.version], [execute.id, execute.ref, "2"]);
    assert.equal(second.last_updated, "2030-01-01T00:00:00.000Z");
    assert.match(third.id, /^[0-9a-f]{32}$/);
    assert.deepEqual([third.ref, third.version], [third.id, "1"]);
    assert.equal(put.result.version, "2");

    const without = await call(sim, "PUT", entrypointPath, { rules: [executeRule] });
    assert.equal(without.result.rules.length, 1);
    assert.ok(!ids(put).includes(ids(without)[0] ?? ""), "a rule without id and ref is a new rule");
    assert.equal(sim.journal.at(-1)?.changed, true);
  });

  it("accepts its own answer without a change", async () => {
    const overrides = {
      rules: [{ id: "a".repeat(32), action: "log" }],
      categories: [{ category: "wordpress", enabled: false }],
      sensitivity_level: "low",
    };
    const execute = { ...executeRule, action_parameters: { id: managedRuleset, overrides } };
    const sim = await seeded({ entrypoint: { name: "mine", rules: [execute, skipRule] } });
    const { result } = await call(sim, "GET", entrypointPath);
    const put = await call(sim, "PUT", entrypointPath, { rules: result.rules });
    assert.deepEqual(put.result.rules, result.rules);
    assert.deepEqual(put.result.rules[0].action_parameters.overrides, overrides, "nothing is filled in");
    assert.equal(put.result.name, "mine");
    assert.equal(sim.journal.at(-1)?.changed, false);
  });

  it("refuses bad rules with their place, and nothing changes", async () => {
    const sim = await seeded({ entrypoint: { rules: [{ ...skipRule, ref: "theirs" }] } });
    const before = sim.zone(zoneId);
    const overriding = (overrides: unknown) => ({
      ...executeRule,
      action_parameters: { id: managedRuleset, overrides },
    });
    const ruleId = "a".repeat(32);
    const bad: [string, unknown[]][] = [
      ["/rules/0/id", [{ ...executeRule, id: "" }]],
      ["/rules/0/ref", [{ ...executeRule, ref: "" }]],
      ["/rules/0/version", [{ ...executeRule, version: "" }]],
      [
        "/rules/1/ref",
        [
          { ...executeRule, ref: "a" },
          { ...skipRule, ref: "a" },
        ],
      ],
      ["/rules/0/action", [{ ...executeRule, action: "run" }]],
      ["/rules/0/expression", [{ ...executeRule, expression: " " }]],
      ["/rules/0/expression", [{ ...executeRule, expression: "x".repeat(4097) }]],
      ["/rules/0/enabled", [{ ...executeRule, enabled: "true" }]],
      ["/rules/0/actionParameters", [{ ...executeRule, actionParameters: {} }]],
      ["/rules/0/action_parameters", [{ action: "execute", expression: "true" }]],
      ["/rules/0/action_parameters/id", [{ ...executeRule, action_parameters: { id: "x" } }]],
      ["/rules/0/action_parameters/overrides/enabled", [overriding({ enabled: "false" })]],
      ["/rules/0/action_parameters/overrides/rules/0", [overriding({ rules: [{ id: ruleId }] })]],
      [
        "/rules/0/action_parameters/overrides/rules/0/action",
        [overriding({ rules: [{ id: ruleId, action: "off" }] })],
      ],
      ["/rules/0/description", [{ ...executeRule, description: null }]],
    ];
    for (const [pointer, rules] of bad) {
      const reply = await call(sim, "PUT", entrypointPath, { rules });
      assert.equal(reply.status, 400, pointer);
      assert.equal(reply.error.source?.pointer, pointer);
    }
    const [theirs] = before.entrypoint?.rules ?? [];
    const taken = [
      { ...skipRule, id: theirs?.id },
      { ...executeRule, ref: "theirs" },
    ];
    assert.equal((await call(sim, "PUT", entrypointPath, { rules: taken })).status, 400);
    assert.equal((await call(sim, "PUT", entrypointPath, { name: "x" })).error.source?.pointer, "/rules");
    assert.equal((await call(sim, "PUT", entrypointPath, { rules: [], extra: 1 })).status, 400);
    assert.deepEqual(sim.zone(zoneId), before);
  });

  it("cannot be written while the zone is on the previous WAF only", async () => {
    const sim = await seeded({ waf: {} });
    const reply = await call(sim, "PUT", entrypointPath, { rules: [] });
    assert.equal(reply.status, 400);
    assert.equal(reply.error.message, "WAF enrollment is required");
    assert.equal((await call(sim, "GET", entrypointPath)).error.code, 10003);
    sim.dashboard.setWaf(zoneId, { stage: "validation" });
    assert.equal((await call(sim, "PUT", entrypointPath, { rules: [] })).status, 200);
  });
});
