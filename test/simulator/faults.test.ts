import assert from "node:assert/strict";
import type { FaultSpec, RateLimitOptions, Simulator } from "../../simulator/src";
import { RateLimit } from "../../simulator/src/wire/rate-limit";
import { type Body, call, policyBody, seeded, start, stopAll, zoneId } from "./raw-client";

const post = (sim: Simulator) => call(sim, "POST", "page_guard/policies", policyBody);
const policies = (sim: Simulator) => sim.zone(zoneId).policies.length;

afterEach(stopAll);

describe("faults", () => {
  let sim: Simulator;
  beforeEach(async () => {
    sim = await start();
    sim.zones.seed(zoneId);
  });
  it("given reset-before or reset-after, then the connection breaks, and only the second creates the policy", async () => {
    for (const kind of ["reset-before", "reset-after", "truncate"] as const) {
      const done = kind === "reset-before" ? 0 : 1;
      sim.zones.seed(zoneId);
      sim.journal.clear();
      sim.faults.add({ kind, count: 1 });
      await assert.rejects(post(sim));
      assert.equal(policies(sim), done);
      assert.deepEqual([sim.journal[0]?.fault, sim.journal[0]?.changed], [kind, done === 1]);
      assert.equal((await post(sim)).status, 200);
    }
  });

  it("given hang, then no answer comes until the simulator stops, and only when: after creates the policy", async () => {
    for (const when of ["before", "after"] as const) {
      sim.zones.seed(zoneId);
      sim.journal.clear();
      sim.faults.add({ kind: "hang", when, count: 1 });
      const given = assert.rejects(post(sim));
      while (sim.journal.length === 0) await new Promise((resolve) => setImmediate(resolve));
      // Other requests are answered, so this one would have an answer by then too.
      await call(sim, "GET", "page_guard");
      assert.deepEqual([policies(sim), sim.journal[0]?.status], [when === "after" ? 1 : 0, undefined]);
      await sim.stop();
      await sim.stop();
      await given;
      sim = await start();
    }
  });

  const answered: [FaultSpec, number][] = [
    ...(["429", "500", "502", "503"] as const).map((kind): [FaultSpec, number] => [{ kind }, Number(kind)]),
    [{ kind: "429", retryAfter: 7 }, 429],
    [{ kind: "503", retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT" }, 503],
    [{ kind: "status", status: 403, code: 10000, message: "Authentication error" }, 403],
    [{ kind: "success-false", code: 1234, message: "no" }, 200],
    [{ kind: "html", status: 502 }, 502],
    [{ kind: "html" }, 200],
  ];
  it("given a status or a web page, then that is the answer, before or after the request is carried out", async () => {
    for (const [spec, status] of answered) {
      for (const when of ["before", "after"] as const) {
        sim.zones.seed(zoneId);
        sim.faults.add({ ...spec, when, count: 1 } as FaultSpec);
        const reply = await post(sim);
        assert.equal(reply.status, status);
        assert.equal(policies(sim), when === "after" ? 1 : 0);
        const type = reply.headers.get("content-type");
        if (spec.kind === "html") {
          assert.deepEqual([type, reply.text.slice(0, 15)], ["text/html; charset=utf-8", "<!DOCTYPE html>"]);
          continue;
        }
        const wait = "retryAfter" in spec ? String(spec.retryAfter) : null;
        assert.deepEqual([reply.body.success, reply.headers.get("retry-after")], [false, wait]);
        if (spec.kind === "status" || spec.kind === "success-false")
          assert.deepEqual(reply.error, { code: spec.code, message: spec.message });
      }
    }
  });

  it("given latency, then it adds to the latency of every request", async () => {
    sim.latencyMs = 30;
    sim.faults.add({ kind: "latency", ms: 80, count: 1 });
    for (const least of [105, 28]) {
      const begun = performance.now();
      await call(sim, "GET", "page_guard");
      assert.ok(performance.now() - begun >= least, String(least));
    }
  });

  it("given extra-fields or missing-fields, then objects, items of lists and rules change", async () => {
    const rules = [{ action: "skip", expression: "true", action_parameters: {} }];
    sim.dashboard.putEntrypoint(zoneId, { rules });
    sim.faults.add({ kind: "extra-fields" });
    sim.faults.add({ kind: "extra-fields", fields: { mine: 1 }, path: "scripts" });
    sim.faults.add({ kind: "missing-fields", fields: ["id", "updated_at"] });
    const settings = (await call(sim, "GET", "page_guard")).result;
    assert.deepEqual([settings.future_field, "updated_at" in settings], ["future", false]);
    const scripts = (await call(sim, "GET", "page_guard/scripts")).result;
    assert.ok(scripts.every((script: Body) => script.mine === 1 && !("id" in script)));
    const path = "rulesets/phases/http_request_firewall_managed/entrypoint";
    const [rule] = (await call(sim, "GET", path)).result.rules;
    assert.deepEqual([rule.future_object.nested[0], "id" in rule], [1, false]);
    assert.equal("future_field" in (sim.zone(zoneId).entrypoint?.rules[0] ?? {}), false);
  });

  it("given normalise, then the server stores the same meaning in other characters", async () => {
    sim.faults.add({ kind: "normalise", method: "POST" });
    const expression = '  http.host   eq "two  blanks" ';
    const sent = { ...policyBody, description: " shop ", expression };
    const value = "SCRIPT-SRC   'self'  a.example ;; img-src *;";
    const { result } = await call(sim, "POST", "page_guard/policies", { ...sent, value });
    const [stored] = sim.zone(zoneId).policies;
    assert.equal(stored?.value, "script-src 'self' a.example; img-src *");
    assert.equal(stored?.expression, 'http.host eq "two  blanks"');
    assert.equal(result.description, "shop");
  });

  it("given shift, then items move between two pages while a client reads a list", async () => {
    sim.zones.seed(zoneId, { scripts: 20, statuses: ["active"] });
    const page = async (number: number) => {
      const reply = await call(sim, "GET", `page_guard/scripts?per_page=10&page=${number}`);
      return { ids: reply.result.map(({ id }: Body) => id), total: reply.body.result_info.total_count };
    };
    for (const [move, total, repeated] of [
      ["insert", 21, 1],
      ["remove", 20, 0],
      ["touch", 20, 1],
    ] as const) {
      sim.faults.clear();
      sim.faults.add({ kind: "shift", move, count: 1 });
      const first = await page(1);
      const second = await page(2);
      assert.equal(second.total, total, move);
      assert.equal(second.ids.filter((id: string) => first.ids.includes(id)).length, repeated, move);
    }
  });

  it("given method, path, query, zone, skip and count, then they hit exactly the matching requests", async () => {
    const other = "f".repeat(32);
    sim.zones.seed(other);
    const route = { method: "get", path: /\/page_guard$/, zoneId: other.toUpperCase() };
    sim.faults.add({ kind: "500", ...route, skip: 1, count: 2 });
    const statuses = async (path: string, times: number, method = "GET") => {
      const seen: number[] = [];
      const body = method === "PUT" ? {} : undefined;
      while (seen.length < times) seen.push((await call(sim, method, path, body)).status);
      return seen;
    };
    assert.deepEqual(await statuses("page_guard", 2), [200, 200]);
    assert.deepEqual(await statuses(`/zones/${other}/page_guard/policies`, 2), [200, 200]);
    assert.deepEqual(await statuses(`/zones/${other}/page_guard`, 2, "PUT"), [200, 200]);
    assert.deepEqual(await statuses(`/zones/${other}/page_guard`, 5), [200, 500, 500, 200, 200]);
    assert.deepEqual(sim.faults.list(), []);
    sim.faults.add({ kind: "500", query: "page=2" });
    assert.deepEqual(await statuses("page_guard/scripts?page=1", 1), [200]);
    assert.deepEqual(await statuses("page_guard/scripts?page=2", 1), [500]);
  });

  it("given a probability, then they hit the same requests for the same seed", async () => {
    const run = async (seed: number) => {
      sim.faults.clear();
      sim.faults.add({ kind: "503", probability: 0.5, seed });
      const seen: number[] = [];
      while (seen.length < 40) seen.push((await call(sim, "GET", "page_guard")).status);
      return seen.join();
    };
    const first = await run(7);
    assert.equal(await run(7), first);
    assert.notEqual(await run(8), first);
    assert.ok(first.includes("200") && first.includes("503"));
  });
});

/** Returns the results of several requests at the same time, `429` or `ok`, with the headers. */
function limited(options: Partial<RateLimitOptions>) {
  let clock = 0;
  const limit = new RateLimit({ limit: 2, windowMs: 1000, blockMs: 1000, ...options }, () => clock);
  const ask = (at: number): Record<string, string | number> => {
    clock = at;
    const { blocked, headers } = limit.judge();
    return { ...headers, is: blocked ? 429 : 200 };
  };
  const statuses = (at: number, count: number) => Array.from({ length: count }, () => ask(at)["is"]);
  return { limit, ask, statuses };
}

describe("the rate limit", () => {
  it("accepts as many requests as the limit in a window, then blocks every request for the time of the block", () => {
    const five = 300_000;
    const { ask } = limited({ limit: 3, windowMs: five, blockMs: five });
    const policy = { "ratelimit-policy": '"default";q=3;w=300' };
    for (const left of [2, 1, 0])
      assert.deepEqual(ask(0), { is: 200, ...policy, ratelimit: `"default";r=${left};t=300` });
    const blocked = { is: 429, ...policy };
    assert.deepEqual(ask(0), { ...blocked, ratelimit: '"default";r=0;t=300', "retry-after": "300" });
    assert.deepEqual(ask(five - 1), { ...blocked, ratelimit: '"default";r=0;t=1', "retry-after": "1" });
    assert.deepEqual(ask(five), { is: 200, ...policy, ratelimit: '"default";r=2;t=300' });
  });

  it("given sliding counting, then requests older than the window do not count", () => {
    const { ask, statuses } = limited({});
    for (let step = 0; step < 6; step += 1) assert.equal(ask(step * 500)["is"], 200);
    assert.deepEqual(statuses(3000, 2), [200, 429]);
  });

  it("given fixed counting, then each window starts at zero; without a block only the excess requests are refused", () => {
    const { ask, statuses } = limited({ windowMs: 2000, blockMs: 0, counting: "fixed" });
    assert.deepEqual(statuses(10_900, 3), [200, 200, 429]);
    assert.equal(ask(11_999)["retry-after"], "1");
    assert.deepEqual(statuses(12_000, 3), [200, 200, 429]);
  });

  it("can send no headers, some of the headers, or retry-after as a date", () => {
    const once = { limit: 1, windowMs: 1500, blockMs: 2500 };
    const silent = limited({ ...once, headers: [], retryAfter: "none" });
    assert.deepEqual([silent.ask(0), silent.ask(0)], [{ is: 200 }, { is: 429 }]);
    const some = limited({ ...once, omitHeaders: ["retry-after", "ratelimit-policy"] });
    assert.deepEqual(some.ask(50_000), { is: 200, ratelimit: '"default";r=0;t=2' });
    assert.deepEqual(some.ask(50_000), { is: 429, ratelimit: '"default";r=0;t=3' });
    const dated = limited({ ...once, blockMs: 20_000, headers: [], retryAfter: "date" });
    const at = Date.UTC(2026, 0, 1, 12, 0, 0, 300);
    assert.deepEqual(dated.statuses(at, 1), [200]);
    assert.deepEqual(dated.ask(at), { is: 429, "retry-after": "Thu, 01 Jan 2026 12:00:21 GMT" });
  });

  it("also counts requests with a wrong token and those of other processes; a refused request changes nothing", async () => {
    const sim = await seeded({}, { rateLimit: { limit: 10, windowMs: 60_000, blockMs: 60_000 } });
    sim.rateLimit?.spend(7);
    const wrong = await call(sim, "GET", "page_guard", undefined, { authorization: "Bearer wrong" });
    assert.deepEqual([wrong.status, wrong.headers.get("ratelimit")], [403, '"default";r=2;t=60']);
    sim.rateLimit?.spend(3);
    const late = await call(sim, "PUT", "page_guard", { enabled: true });
    assert.deepEqual([late.status, late.error.code], [429, 10100]);
    assert.deepEqual([sim.journal.at(-1)?.fault, sim.zone(zoneId).settings.enabled], ["rate-limit", false]);
    sim.setRateLimit(undefined);
    const free = await call(sim, "GET", "page_guard");
    assert.deepEqual([free.status, free.headers.get("ratelimit")], [200, null]);
  });
});
