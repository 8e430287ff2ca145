import assert from "node:assert/strict";
import type { FaultSpec, Simulator } from "../../simulator/src";
import { type Body, call, policyBody, start, stopAll, zoneId } from "./raw-client";

const post = (sim: Simulator) => call(sim, "POST", "page_guard/policies", policyBody);
const policies = (sim: Simulator) => sim.zone(zoneId).policies.length;

afterEach(stopAll);

describe("faults", () => {
  let sim: Simulator;
  beforeEach(async () => {
    sim = await start();
    sim.zones.seed(zoneId);
  });
  it("a lost answer: the connection breaks, and the policy was made, or not", async () => {
    for (const [kind, done] of [
      ["reset-before", 0],
      ["reset-after", 1],
      ["truncate", 1],
    ] as const) {
      sim.zones.seed(zoneId);
      sim.journal.clear();
      sim.faults.add({ kind, count: 1 });
      await assert.rejects(post(sim));
      assert.equal(policies(sim), done);
      assert.deepEqual([sim.journal[0]?.fault, sim.journal[0]?.changed], [kind, done === 1]);
      assert.equal((await post(sim)).status, 200);
    }
  });

  it("hang: no answer; the policy is made only with when: after", async () => {
    for (const when of ["before", "after"] as const) {
      sim.zones.seed(zoneId);
      sim.journal.clear();
      sim.faults.add({ kind: "hang", when, count: 1 });
      const given = assert.rejects(post(sim));
      while (sim.journal.length === 0) await new Promise((resolve) => setImmediate(resolve));
      // Others are answered; by then it would have been, too.
      await call(sim, "GET", "page_guard");
      assert.deepEqual([policies(sim), sim.journal[0]?.status], [when === "after" ? 1 : 0, undefined]);
      await sim.stop();
      await given;
      sim = await start();
    }
  });

  const answered: [FaultSpec, number][] = [
    [{ kind: "429" }, 429],
    [{ kind: "500" }, 500],
    [{ kind: "502" }, 502],
    [{ kind: "503" }, 503],
    [{ kind: "status", status: 403, code: 10000, message: "Authentication error" }, 403],
    [{ kind: "success-false", code: 1234, message: "no" }, 200],
    [{ kind: "html", status: 502 }, 502],
    [{ kind: "html" }, 200],
  ];
  it("an answer of its own, before or after the request is carried out", async () => {
    for (const [spec, status] of answered) {
      for (const when of ["before", "after"] as const) {
        sim.zones.seed(zoneId);
        sim.faults.add({ ...spec, when, count: 1 } as FaultSpec);
        const reply = await post(sim);
        assert.equal(reply.status, status);
        assert.equal(policies(sim), when === "after" ? 1 : 0);
        if (spec.kind === "html") {
          assert.match(reply.headers.get("content-type") ?? "", /text\/html/);
          assert.match(reply.text, /^<!DOCTYPE html>/);
          continue;
        }
        assert.deepEqual([reply.body.success, reply.headers.get("retry-after")], [false, null]);
        if (spec.kind === "status" || spec.kind === "success-false")
          assert.deepEqual(reply.error, { code: spec.code, message: spec.message });
      }
    }
  });

  it("429 and 503 carry Retry-After only when asked, as number or date", async () => {
    sim.faults.add({ kind: "429", retryAfter: 7, count: 1 });
    sim.faults.add({ kind: "503", retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT", count: 1 });
    assert.equal((await post(sim)).headers.get("retry-after"), "7");
    assert.equal((await post(sim)).headers.get("retry-after"), "Wed, 21 Oct 2026 07:28:00 GMT");
  });

  it("latency adds to the latency of every request", async () => {
    sim.latencyMs = 30;
    sim.faults.add({ kind: "latency", ms: 80, count: 1 });
    const timed = async () => {
      const begun = performance.now();
      await call(sim, "GET", "page_guard");
      return performance.now() - begun;
    };
    assert.ok((await timed()) >= 105);
    let fastest = await timed();
    // On a busy machine any one of them may be late, and in the end one is not.
    while (fastest >= 105) fastest = Math.min(fastest, await timed());
    assert.ok(fastest >= 28, String(fastest));
  });

  it("extra-fields and missing-fields reach objects, items of lists and rules", async () => {
    sim.dashboard.putEntrypoint(zoneId, {
      rules: [{ action: "skip", expression: "true", action_parameters: {} }],
    });
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

  it("normalise: the server stores the same meaning in other characters", async () => {
    sim.faults.add({ kind: "normalise", method: "POST" });
    const { result } = await call(sim, "POST", "page_guard/policies", {
      ...policyBody,
      description: " shop ",
      expression: '  http.host   eq "two  blanks" ',
      value: "SCRIPT-SRC   'self'  a.example ;; img-src *;",
    });
    const [stored] = sim.zone(zoneId).policies;
    assert.equal(stored?.value, "script-src 'self' a.example; img-src *");
    assert.equal(stored?.expression, 'http.host eq "two  blanks"');
    assert.equal(result.description, "shop");
  });

  it("shift: items move between two pages of one reading", async () => {
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

  it("hit by method, path, query, zone, after some were spared, and as often as was said", async () => {
    const other = "f".repeat(32);
    sim.zones.seed(other);
    sim.faults.add({
      kind: "500",
      method: "get",
      path: /\/page_guard$/,
      zoneId: other.toUpperCase(),
      skip: 1,
      count: 2,
    });
    const statuses = async (path: string, times: number, method = "GET") => {
      const seen: number[] = [];
      for (let time = 0; time < times; time += 1) {
        seen.push((await call(sim, method, path, method === "PUT" ? {} : undefined)).status);
      }
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

  it("with a probability hit the same requests for the same seed", async () => {
    const run = async (seed: number) => {
      sim.faults.clear();
      sim.faults.add({ kind: "503", probability: 0.5, seed });
      const seen: number[] = [];
      for (let time = 0; time < 40; time += 1) seen.push((await call(sim, "GET", "page_guard")).status);
      return seen.join();
    };
    const first = await run(7);
    assert.equal(await run(7), first);
    assert.notEqual(await run(8), first);
    assert.ok(first.includes("200") && first.includes("503"));
  });
});
