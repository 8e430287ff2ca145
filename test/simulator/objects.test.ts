import assert from "node:assert/strict";
import type { Plan } from "../../simulator/src";
import * as raw from "./raw-client";
import { call, entrypointPath, executeRule, policyBody, seeded, start, stopAll, zoneId } from "./raw-client";

const skipRule = {
  action: "skip",
  expression: "ip.src eq 192.0.2.1",
  action_parameters: { ruleset: "current" },
};

afterEach(stopAll);

describe("settings", () => {
  it("given a zone, when one field is put, then the others stay, and the answer has only two fields", async () => {
    const updated_at = "2030-01-01T00:00:00.000Z";
    const settings = { use_connection_url_path: true };
    const sim = await seeded({ settings }, { now: () => Date.UTC(2030, 0, 1) });
    const put = await call(sim, "PUT", "page_guard", { enabled: true });
    assert.deepEqual(put.result, { enabled: true, updated_at });
    const { result } = await call(sim, "GET", "page_guard");
    assert.deepEqual(result, { ...put.result, ...settings, use_vendor_reporting_endpoint: true });
  });

  it("given the public spelling, then the answer has all four fields, one with its public name", async () => {
    const sim = await seeded();
    const put = await call(sim, "PUT", "page_shield", { use_cloudflare_reporting_endpoint: false });
    assert.deepEqual(Object.keys(put.result).sort(), [
      ...["enabled", "updated_at", "use_cloudflare_reporting_endpoint", "use_connection_url_path"],
    ]);
    assert.equal(sim.zone(zoneId).settings.use_vendor_reporting_endpoint, false);
    await raw.refused(sim, [
      ["PUT page_shield", { use_vendor_reporting_endpoint: true }, 400],
      ["PUT page_guard", { use_cloudflare_reporting_endpoint: true }, 400],
      ...["true", null, 1].map((enabled) => ["PUT page_guard", { enabled }, 400, "/enabled"] as const),
      ["PUT page_guard", { enable: true }, 400, "/enable"],
    ]);
  });

  it("given a setting that the plan does not include, then the PUT is refused", async () => {
    const sim = await start();
    for (const plan of ["pro", "business", "enterprise"] satisfies Plan[]) {
      sim.zones.seed(zoneId, { plan });
      const wanted = plan === "enterprise" ? 200 : 403;
      const path = await call(sim, "PUT", "page_guard", { use_connection_url_path: true });
      const endpoint = await call(sim, "PUT", "page_guard", { use_vendor_reporting_endpoint: false });
      assert.deepEqual([path.status, endpoint.status], [wanted, wanted], plan);
      const harmless = { use_connection_url_path: false, use_vendor_reporting_endpoint: true };
      assert.equal((await call(sim, "PUT", "page_guard", harmless)).status, 200);
    }
  });
});

describe("policies", () => {
  it("are created with 200 and an id, read, listed, changed in part and deleted with 204", async () => {
    const sim = await seeded();
    const created = await call(sim, "POST", "page_guard/policies", policyBody);
    assert.equal(created.status, 200);
    const { id } = created.result;
    const path = `page_guard/policies/${id}`;
    assert.match(id, /^[0-9a-f]{32}$/);
    assert.deepEqual(created.result, { ...policyBody, id });
    assert.deepEqual((await call(sim, "GET", path)).result, created.result);
    const list = await call(sim, "GET", "page_guard/policies");
    assert.deepEqual([list.result, "result_info" in list.body], [[created.result], false]);

    const change = { action: "allow", enabled: "false" };
    assert.deepEqual((await call(sim, "PUT", path, change)).result, { ...policyBody, id, ...change });
    assert.equal(sim.zone(zoneId).policies[0]?.enabled, false);

    for (let time = 0; time < 2; time += 1) {
      const { status, text } = await call(sim, "DELETE", path);
      assert.deepEqual([status, text], [204, ""]);
    }
    await raw.refused(sim, [
      [`GET ${path}`, undefined, 404],
      [`PUT ${path}`, policyBody, 404],
    ]);
    const changed = sim.changing().map((entry) => entry.changed);
    assert.deepEqual(changed, [true, true, true, false, false]);
  });

  it("given a bad body, then it is refused with the place of the fault, and nothing is created", async () => {
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
    const post = "POST page_guard/policies";
    const rows = bad.map(([pointer, body]): raw.Refused => [post, body, 400, pointer]);
    await raw.refused(sim, rows);
    const longest = { ...policyBody, expression: "x".repeat(4096) };
    assert.equal((await call(sim, "POST", "page_guard/policies", longest)).status, 200);
    const newer = { ...policyBody, action: "add_reporting_directives" };
    assert.equal((await call(sim, "POST", "page_shield/policies", newer)).status, 200);
  });

  it("given an expression that cannot be read, then policies and rules are refused", async () => {
    const sim = await seeded();
    const unreadable = [
      ...['http.host eq "shop', "http.host eq 'shop'", "(ssl", "ssl)", "http.host in {1 2", "(ssl}"],
      ...['http.host = "shop"', "ssl and", "or ssl", "not", "(ssl and ) or ssl", "http.host eq", "ssl &&"],
    ];
    const rowsOf = (expression: string): raw.Refused[] => [
      ["POST page_guard/policies", { ...policyBody, expression }, 400, "/expression"],
      [`PUT ${entrypointPath}`, { rules: [{ ...executeRule, expression }] }, 400, "/rules/0/expression"],
    ];
    await raw.refused(sim, unreadable.flatMap(rowsOf));
    for (const expression of [
      ...['http.host eq "a \\" (b = c"', 'http.request.uri.path matches r#"^/("a)$"#', "not ssl"],
      ...['http.host in {"a" "b"} and (ssl or not ssl)', "ip.src eq 192.0.2.1 && ssl", "cf.x[0] >= 3"],
    ]) {
      const { status } = await call(sim, "POST", "page_guard/policies", { ...policyBody, expression });
      assert.equal(status, 200, expression);
    }
  });

  it("have a quota that depends on the plan, and the refusal says by how much they exceed it", async () => {
    const sim = await start();
    const policies = (count: number) => Array.from({ length: count }, () => ({}));
    for (const [wishes, far] of [
      [{ plan: "pro" }, "1 out of 0"],
      [{ plan: "business", policies: policies(4) }, "6 out of 5"],
      [{ policies: policies(49) }, "51 out of 50"],
      [{ plan: "business", policyQuota: 6, policies: policies(5) }, "7 out of 6"],
    ] as const) {
      sim.zones.seed(zoneId, wishes);
      const post = () => call(sim, "POST", "page_guard/policies", policyBody);
      if ("policies" in wishes) assert.equal((await post()).status, 200);
      const { status, error } = await post();
      assert.equal(status, 400);
      assert.match(error.message, new RegExp(`exceeded the maximum number of rules in the phase .*: ${far}`));
    }
  });
});

describe("the entry point ruleset", () => {
  it("is 404 with code 10003 until it is put, and has no field rules if it has no rules", async () => {
    const sim = await seeded();
    const never = await call(sim, "GET", entrypointPath);
    assert.deepEqual([never.status, never.error.code], [404, 10003]);
    const put = await call(sim, "PUT", entrypointPath, { rules: [] });
    const got = await call(sim, "GET", entrypointPath);
    assert.deepEqual([got.status, got.result], [200, put.result]);
    assert.equal("rules" in got.result, false);
    const { kind, phase, version } = got.result;
    assert.deepEqual([kind, phase, version], ["zone", "http_request_firewall_managed", "1"]);
  });

  it("given a PUT, then it replaces the whole list: rules with a known id or ref keep their identity, others are new or deleted", async () => {
    const entrypoint = { rules: [executeRule, { ...skipRule, ref: "mine" }] };
    const sim = await seeded({ entrypoint }, { now: () => Date.UTC(2030, 0, 1) });
    const [execute, skip] = sim.zone(zoneId).entrypoint?.rules ?? [];
    assert.deepEqual([execute?.ref, execute?.version], [execute?.id, "1"]);
    assert.deepEqual(execute?.action_parameters, { id: raw.managedRuleset, version: "latest" });

    const put = await call(sim, "PUT", entrypointPath, {
      rules: [
        { ...skipRule, ref: "mine" },
        { ...executeRule, id: execute?.id, enabled: false },
        { ...skipRule, expression: "ip.src eq 192.0.2.2" },
      ],
    });
    const [first, second, third] = put.result.rules;
    assert.deepEqual(first, skip);
    assert.deepEqual([second.id, second.ref, second.version], [execute?.id, execute?.ref, "2"]);
    assert.equal(second.last_updated, "2030-01-01T00:00:00.000Z");
    assert.match(third.id, /^[0-9a-f]{32}$/);
    assert.deepEqual([third.ref, third.version, put.result.version], [third.id, "1", "2"]);

    const without = await call(sim, "PUT", entrypointPath, { rules: [executeRule] });
    const [fresh, ...none] = without.result.rules.map(({ id }: raw.Body) => id);
    assert.deepEqual(none, []);
    assert.ok(![first, second, third].some(({ id }) => id === fresh), "without id and ref it is a new rule");
  });

  it("accepts its own answer without a change", async () => {
    const overrides = {
      rules: [{ id: "a".repeat(32), action: "log" }],
      categories: [{ category: "wordpress", enabled: false }],
      sensitivity_level: "low",
    };
    const execute = { ...executeRule, action_parameters: { id: raw.managedRuleset, overrides } };
    const sim = await seeded({ entrypoint: { name: "mine", rules: [execute, skipRule] } });
    const { result } = await call(sim, "GET", entrypointPath);
    const put = await call(sim, "PUT", entrypointPath, { rules: result.rules });
    assert.deepEqual(put.result.rules, result.rules);
    assert.deepEqual(put.result.rules[0].action_parameters.overrides, overrides, "nothing is filled in");
    assert.equal(put.result.name, "mine");
    assert.equal(sim.journal.at(-1)?.changed, false);
  });

  it("given a bad rule, then it is refused with the place of the fault, and nothing changes", async () => {
    const sim = await seeded({ entrypoint: { rules: [{ ...skipRule, ref: "theirs" }] } });
    const overriding = (overrides: unknown) => ({ action_parameters: { id: raw.managedRuleset, overrides } });
    const id = "a".repeat(32);
    const put = `PUT ${entrypointPath}`;
    const one: [string, object][] = [
      ["/id", { id: "" }],
      ["/ref", { ref: "" }],
      ["/version", { version: "" }],
      ["/action", { action: "run" }],
      ["/expression", { expression: " " }],
      ["/expression", { expression: "x".repeat(4097) }],
      ["/enabled", { enabled: "true" }],
      ["/actionParameters", { actionParameters: {} }],
      ["/action_parameters", { action_parameters: undefined }],
      ["/action_parameters/id", { action_parameters: { id: "x" } }],
      ["/action_parameters/overrides/enabled", overriding({ enabled: "false" })],
      ["/action_parameters/overrides/rules/0", overriding({ rules: [{ id }] })],
      ["/action_parameters/overrides/rules/0/action", overriding({ rules: [{ id, action: "off" }] })],
      ["/description", { description: null }],
      ["/action_parameters/id", { action: "log" }],
      ["/action_parameters/id", { action: "skip" }],
      ["/exposed_credential_check/x", { exposed_credential_check: { x: "" } }],
    ];
    const pair = (first: object, second: object) => [
      { ...executeRule, ...first },
      { ...skipRule, ...second },
    ];
    const theirs = sim.zone(zoneId).entrypoint?.rules[0]?.id;
    await raw.refused(sim, [
      ...one.map(([at, rule]): raw.Refused => {
        return [put, { rules: [{ ...executeRule, ...rule }] }, 400, `/rules/0${at}`];
      }),
      [put, { rules: pair({ ref: "a" }, { ref: "a" }) }, 400, "/rules/1/ref"],
      [put, { rules: pair({ ref: "theirs" }, { id: theirs }) }, 400],
      [put, { name: "x" }, 400, "/rules"],
      [put, { rules: [], extra: 1 }, 400],
    ]);
  });

  it("accepts a check for exposed credentials, and an override that marks such requests", async () => {
    const sim = await seeded();
    const overrides = { action: "rewrite", enabled: true };
    const credentials = 'lookup_json_string(http.request.body.raw, "user")';
    const check = { username_expression: credentials, password_expression: credentials };
    const rules = [
      { ...executeRule, action_parameters: { id: raw.managedRuleset, overrides } },
      { action: "rewrite", expression: "true", exposed_credential_check: check },
    ];
    const { status } = await call(sim, "PUT", entrypointPath, { rules });
    assert.equal(status, 200);
    const saved = sim.zone(zoneId).entrypoint?.rules.map((rule) => ({ ...rule }));
    assert.deepEqual(saved?.[1], { ...saved?.[1], exposed_credential_check: check });
  });

  it("cannot be written while only the previous WAF of the zone is on", async () => {
    const sim = await seeded({ waf: {} });
    const reply = await call(sim, "PUT", entrypointPath, { rules: [] });
    assert.deepEqual([reply.status, reply.error.message], [400, "WAF enrollment is required"]);
    assert.equal((await call(sim, "GET", entrypointPath)).error.code, 10003);
    sim.dashboard.setWaf(zoneId, { stage: "validation" });
    assert.equal((await call(sim, "PUT", entrypointPath, { rules: [] })).status, 200);
  });
});
