import assert from "node:assert/strict";
import type { FaultKind, Simulator } from "../../simulator/src";
import { type Body, call, control, executeRule, policyBody, start, stopAll, zoneId } from "./raw-client";

const zone = `/zones/${zoneId}`;

afterEach(stopAll);

describe("the control interface over HTTP", () => {
  let sim: Simulator;
  beforeEach(async () => {
    sim = await start({ token: "secret" });
  });
  const done = async (method: string, path: string, body?: unknown) => {
    const reply = await control(sim, method, path, body);
    assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`);
    return reply.body;
  };

  it("seeds the same zone as in process, shows it, and removes it", async () => {
    const waf = { stage: "validation", owasp: true, firewallRules: 2, uriOverrides: 1 } as const;
    const wishes = {
      ...({ plan: "business", seed: 3, scripts: 20, settings: { enabled: true }, waf } as const),
      policyQuota: 9,
      connections: [{ url: "https://a.example/x", status: "inactive" }],
      policies: [{ description: "theirs" }],
      entrypoint: { rules: [executeRule] },
    };
    const wanted = (await start()).zones.seed(zoneId, wishes);
    assert.deepEqual(await done("PUT", zone, wishes), JSON.parse(JSON.stringify(wanted)));
    assert.deepEqual(await done("GET", zone), JSON.parse(JSON.stringify(sim.zone(zoneId))));
    assert.deepEqual(await done("GET", "/zones"), [zoneId]);
    assert.equal((await done("GET", "/")).url, sim.url);
    await done("DELETE", zone);
    assert.deepEqual(sim.zones.ids(), []);
  });

  it("changes objects as another person would", async () => {
    sim.zones.seed(zoneId, { entrypoint: { rules: [executeRule] } });
    await done("PUT", `${zone}/plan`, { plan: "pro" });
    await done("PUT", `${zone}/settings`, { enabled: true });
    const policy = await done("POST", `${zone}/policies`, { description: "theirs" });
    await done("PUT", `${zone}/policies/${policy.id}`, { enabled: false });
    const added = { rule: { ...executeRule, ref: "theirs" }, position: 0 };
    const rule = await done("POST", `${zone}/entrypoint/rules`, added);
    await done("PUT", `${zone}/entrypoint/rules/theirs`, { enabled: false });
    const after = sim.zone(zoneId);
    assert.deepEqual([after.plan, after.settings.enabled], ["pro", true]);
    const [{ description, enabled } = {}, ...none] = after.policies;
    assert.deepEqual([description, enabled, none], ["theirs", false, []]);
    const rules = after.entrypoint?.rules.map(({ id, enabled }) => `${id === rule.id} ${enabled}`);
    assert.deepEqual(rules, ["true false", "false true"]);
    await done("DELETE", `${zone}/policies/${policy.id}`);
    await done("DELETE", `${zone}/entrypoint/rules/${rule.id}`);
    assert.equal(sim.zone(zoneId).entrypoint?.rules.length, 1);
    await done("PUT", `${zone}/entrypoint`, null);
    assert.equal(sim.zone(zoneId).entrypoint, null);
    await done("PUT", `${zone}/entrypoint`, { rules: [] });
    assert.deepEqual(sim.zone(zoneId).entrypoint?.rules, []);
    for (const kind of ["scripts", "connections", "cookies"] as const) {
      const item = await done("POST", `${zone}/${kind}`, { host: "new.example.com" });
      assert.equal(sim.zone(zoneId)[kind].at(-1)?.host, "new.example.com");
      await done("DELETE", `${zone}/items/${item.id}`);
      assert.notEqual(sim.zone(zoneId)[kind].at(-1)?.host, "new.example.com");
    }
    assert.equal(sim.journal.length, 0, "nobody else's doing is a request");
  });

  it("moves the migration as the dashboard does", async () => {
    sim.zones.seed(zoneId, { waf: {} });
    await done("PUT", `${zone}/waf`, { finishMs: 60_000, afterFinish: "410" });
    await done("POST", `${zone}/waf/deploy`, {});
    assert.equal(sim.zone(zoneId).waf.stage, "validation");
    await done("POST", `${zone}/waf/turn-off-previous`, {});
    assert.equal(sim.zone(zoneId).waf.stage, "finishing");
    assert.equal((await control(sim, "POST", `${zone}/waf/deploy`, {})).status, 400);
  });

  it("adds, lists, removes and clears every kind of fault", async () => {
    sim.zones.seed(zoneId);
    const extra: Partial<Record<FaultKind, object>> = {
      latency: { ms: 1 },
      status: { status: 418 },
      "missing-fields": { fields: ["id"] },
    };
    const kinds: FaultKind[] = [
      ...(["latency", "429", "500", "502", "503", "status", "reset-before", "reset-after"] as const),
      ...(["hang", "truncate", "html", "success-false", "extra-fields", "missing-fields"] as const),
      ...(["normalise", "shift"] as const),
    ];
    for (const kind of kinds) await done("POST", "/faults", { kind, path: "nowhere", ...extra[kind] });
    const listed = (await done("GET", "/faults")).map(({ kind }: Body) => kind);
    assert.deepEqual(listed, kinds);
    await done("DELETE", "/faults");
    const fault = { kind: "503", path: "page_guard", method: "GET", count: 2, retryAfter: 3 };
    const { id } = await done("POST", "/faults", fault);
    assert.deepEqual(await done("GET", "/faults"), [{ id, left: 2, ...fault }]);
    const reply = await call(sim, "GET", "page_guard");
    assert.deepEqual([reply.status, reply.headers.get("retry-after")], [503, "3"]);
    assert.equal((await call(sim, "GET", "page_shield/policies")).status, 200);
    await done("DELETE", `/faults/${id}`);
    assert.equal((await call(sim, "GET", "page_guard")).status, 200);
  });

  it("reads and empties the journal, which contains neither these requests nor the token", async () => {
    sim.zones.seed(zoneId);
    await call(sim, "GET", "page_guard");
    await call(sim, "POST", "page_guard/policies", policyBody);
    assert.equal((await done("GET", "/journal")).length, 2);
    const [entry] = await done("GET", `/journal?changing=true&path=/policies&zoneId=${zoneId}`);
    assert.deepEqual([entry.method, entry.body, entry.changed], ["POST", policyBody, true]);
    assert.deepEqual(await done("GET", "/journal?method=DELETE"), []);
    assert.ok(!JSON.stringify(await done("GET", "/journal")).includes("secret"));
    await done("DELETE", "/journal");
    assert.equal(sim.journal.length, 0);
  });

  it("rotates the token, sets latency and the rate limit", async () => {
    sim.zones.seed(zoneId);
    await done("PUT", "/token", { token: "next" });
    assert.equal(sim.token, "next");
    await done("PUT", "/latency", { ms: 7 });
    assert.equal(sim.latencyMs, 7);
    await done("PUT", "/rate-limit", { limit: 5, windowMs: 60_000, blockMs: 60_000 });
    await done("POST", "/rate-limit/spend", { requests: 5 });
    assert.equal((await call(sim, "GET", "page_guard")).status, 429);
    assert.equal((await control(sim, "GET", zone)).status, 200, "control is not limited");
    await done("PUT", "/rate-limit", null);
    assert.equal((await call(sim, "GET", "page_guard")).status, 200);
    const limit = { limit: 2, windowMs: 10_000, blockMs: 0, counting: "fixed", headers: ["ratelimit"] };
    await done("PUT", "/rate-limit", { ...limit, retryAfter: "date" });
    assert.match((await call(sim, "GET", "page_guard")).headers.get("ratelimit") ?? "", /r=1/);
  });

  it("given a wrong request, then it says what is wrong and changes nothing", async () => {
    sim.zones.seed(zoneId);
    const before = sim.zone(zoneId);
    const wrong: [method: string, path: string, body: unknown, status: number, says: RegExp][] = [
      ["PUT", "/zones/xyz", {}, 400, /32 hexadecimal/],
      ["GET", `/zones/${"f".repeat(32)}`, undefined, 400, /seed it first/],
      ["PUT", `${zone}/plan`, { plan: "free" }, 400, /pro, business, enterprise/],
      ["PUT", "/rate-limit", { limit: 0, windowMs: 1, blockMs: 0 }, 400, /\/limit must be a whole number/],
      ["PUT", "/rate-limit", { limit: 1, windowMs: 1, blockMs: 0, headers: ["x"] }, 400, /\/headers\/0/],
      ["PUT", "/rate-limit", { limit: 1, windowMs: 1, blockMs: 0, retryAfter: "soon" }, 400, /seconds, date/],
      ["PUT", `${zone}/settings`, { enabled: "true" }, 400, /must be a boolean/],
      ["PUT", `${zone}/settings`, { enable: true }, 400, /not a known field/],
      ["PUT", `${zone}/waf`, { afterFinish: "500" }, 400, /404, 410, incompatible/],
      ["PUT", zone, { scripts: "many" }, 400, /must be an array/],
      ["PUT", zone, { waf: { finishMs: "1" } }, 400, /must be a number/],
      ["POST", "/faults", { kind: "fire" }, 400, /not a kind of fault/],
      ["POST", "/faults", { kind: "latency" }, 400, /ms is required/],
      ["POST", "/faults", { kind: "hang", ms: 1 }, 400, /not a known field/],
      ["DELETE", "/faults/fault-9", undefined, 400, /no fault fault-9/],
      ["DELETE", `${zone}/policies/none`, undefined, 400, /no policy none/],
      ["DELETE", `${zone}/items/none`, undefined, 400, /no script, connection or cookie none/],
      ["PUT", `${zone}/entrypoint`, { rules: [{}] }, 400, /action is required/],
      ["GET", "/nothing", undefined, 404, /no GET \/nothing/],
      ["POST", zone, {}, 404, /no POST/],
    ];
    for (const [method, path, body, status, message] of wrong) {
      const reply = await control(sim, method, path, body);
      assert.equal(reply.status, status, `${method} ${path}`);
      assert.match(reply.body.error, message);
    }
    assert.deepEqual(sim.zone(zoneId), before);
    const typeless = await fetch(`${sim.controlUrl}/token`, { method: "PUT", body: '{"token":"x"}' });
    assert.equal(typeless.status, 400);
    assert.equal(sim.token, "secret");
  });
});
