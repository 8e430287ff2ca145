import assert from "node:assert/strict";
import { call, entrypointPath, executeRule, policyBody, seeded, stopAll, zoneId } from "./raw-client";

afterEach(stopAll);

describe("policies", () => {
  it("are created with 200 and an id, read, listed, changed in part and deleted with 204", async () => {
    const sim = await seeded();
    const created = await call(sim, "POST", "page_guard/policies", policyBody);
    assert.equal(created.status, 200);
    const { id } = created.result;
    assert.match(id, /^[0-9a-f]{32}$/);
    assert.deepEqual(created.result, { ...policyBody, id });
    assert.deepEqual((await call(sim, "GET", `page_guard/policies/${id}`)).result, created.result);
    const list = await call(sim, "GET", "page_guard/policies");
    assert.deepEqual(list.result, [created.result]);
    assert.equal("result_info" in list.body, false);

    const updated = await call(sim, "PUT", `page_guard/policies/${id}`, {
      action: "allow",
      enabled: "false",
    });
    assert.deepEqual(updated.result, { ...policyBody, id, action: "allow", enabled: "false" });
    assert.equal(sim.zone(zoneId).policies[0]?.enabled, false);

    const deleted = await call(sim, "DELETE", `page_guard/policies/${id}`);
    assert.deepEqual([deleted.status, deleted.text], [204, ""]);
    const again = await call(sim, "DELETE", `page_guard/policies/${id}`);
    assert.deepEqual([again.status, again.text], [204, ""]);
    assert.equal((await call(sim, "GET", `page_guard/policies/${id}`)).status, 404);
    assert.equal((await call(sim, "PUT", `page_guard/policies/${id}`, policyBody)).status, 404);
    assert.deepEqual(
      sim.changing().map((entry) => entry.changed),
      [true, true, true, false, false],
    );
  });

  it("refuse every kind of bad body, with its place, and nothing is created", async () => {
    const sim = await seeded();
    const { value: _value, ...withoutValue } = policyBody;
    const bad: [string, unknown][] = [
      ["/enabled", { ...policyBody, enabled: true }],
      ["/enabled", { ...policyBody, enabled: "yes" }],
      ["/action", { ...policyBody, action: "block" }],
      ["/action", { ...policyBody, action: "add_reporting_directives" }],
      ["/expression", { ...policyBody, expression: "" }],
      ["/expression", { ...policyBody, expression: "x".repeat(4097) }],
      ["/value", { ...policyBody, value: 1 }],
      ["/value", withoutValue],
      ["/description", { ...policyBody, description: null }],
      ["/id", { ...policyBody, id: "mine" }],
      ["/__proto__", `{"__proto__": {}, ${JSON.stringify(policyBody).slice(1)}`],
    ];
    for (const [pointer, body] of bad) {
      const reply = await call(sim, "POST", "page_guard/policies", body);
      assert.equal(reply.status, 400, pointer);
      assert.equal(reply.error.source?.pointer, pointer);
    }
    assert.deepEqual(sim.zone(zoneId).policies, []);
    const longest = { ...policyBody, expression: "x".repeat(4096) };
    assert.equal((await call(sim, "POST", "page_guard/policies", longest)).status, 200);
    const newer = { ...policyBody, action: "add_reporting_directives" };
    assert.equal((await call(sim, "POST", "page_shield/policies", newer)).status, 200);
  });

  it("are refused, as rules are, with an expression that cannot be read", async () => {
    const sim = await seeded();
    const unreadable = [
      ...['http.host eq "shop', "http.host eq 'shop'", "(ssl", "ssl)", "http.host in {1 2", "(ssl}"],
      ...['http.host = "shop"', "ssl and", "or ssl", "not", "(ssl and ) or ssl", "http.host eq", "ssl &&"],
    ];
    for (const expression of unreadable) {
      const policy = await call(sim, "POST", "page_guard/policies", { ...policyBody, expression });
      assert.deepEqual([policy.status, policy.error?.source?.pointer], [400, "/expression"], expression);
      const rules = [{ ...executeRule, expression }];
      const list = await call(sim, "PUT", entrypointPath, { rules });
      assert.deepEqual([list.status, list.error?.source?.pointer], [400, "/rules/0/expression"], expression);
    }
    assert.deepEqual([sim.zone(zoneId).policies, sim.zone(zoneId).entrypoint], [[], null]);
    for (const expression of [
      ...['http.host eq "a \\" (b = c"', 'http.request.uri.path matches r#"^/("a)$"#', "not ssl"],
      ...['http.host in {"a" "b"} and (ssl or not ssl)', "ip.src eq 192.0.2.1 && ssl", "cf.x[0] >= 3"],
    ]) {
      const reply = await call(sim, "POST", "page_guard/policies", { ...policyBody, expression });
      assert.equal(reply.status, 200, expression);
    }
  });

  it("are limited by a quota that depends on the plan and says how far it is exceeded", async () => {
    const sim = await seeded({ plan: "pro" });
    const none = await call(sim, "POST", "page_guard/policies", policyBody);
    assert.equal(none.status, 400);
    assert.match(none.error.message, /exceeded the maximum number of rules in the phase .*: 1 out of 0/);
    sim.zones.seed(zoneId, { plan: "business", policies: [{}, {}, {}, {}] });
    assert.equal((await call(sim, "POST", "page_guard/policies", policyBody)).status, 200);
    assert.match((await call(sim, "POST", "page_guard/policies", policyBody)).error.message, /6 out of 5/);
    sim.edit(zoneId, (zone) => {
      zone.policyQuota = 6;
    });
    assert.equal((await call(sim, "POST", "page_guard/policies", policyBody)).status, 200);
    sim.zones.seed(zoneId, { policies: Array.from({ length: 50 }, () => ({})) });
    assert.match((await call(sim, "POST", "page_guard/policies", policyBody)).error.message, /51 out of 50/);
  });
});
