import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import type { Simulator } from "../../simulator/src";
import { Journal } from "../../simulator/src/state/journal";
import { type Body, call, entrypointPath, policyBody, refused, seeded, stopAll, zoneId } from "./raw-client";

afterEach(stopAll);

describe("requests to the simulator", () => {
  it("refuses a missing, wrong, differently spelled or rotated token with 403 and code 10000", async () => {
    const sim = await seeded({}, { token: "secret" });
    for (const authorization of ["", "secret", "Bearer", "Bearer other", "bearer secret", "Bearer secret "]) {
      // HTTP removes a trailing blank from a header's value.
      const expected = authorization === "Bearer secret " ? 200 : 403;
      const reply = await call(sim, "GET", "page_guard", undefined, { authorization });
      assert.equal(reply.status, expected, JSON.stringify(authorization));
      if (expected === 403) assert.equal(reply.error.code, 10000);
    }
    const before = sim.token;
    sim.token = "rotated";
    assert.equal((await call(sim, "GET", "page_guard")).status, 200);
    const old = await call(sim, "GET", "page_guard", undefined, { authorization: `Bearer ${before}` });
    assert.equal(old.status, 403);
  });

  it("answers 404 with code 7003 for a malformed or unknown zone and for paths that lead nowhere", async () => {
    const sim = await seeded();
    const wrong = ["xyz/page_guard", `${zoneId}0/page_guard`, `${"f".repeat(32)}/page_guard`, zoneId];
    for (const path of [
      ...[...wrong.map((zone) => `/zones/${zone}`), "page_guards", "page_guard/scripts/", "/"],
      "rulesets/phases/http_request_firewall_custom/entrypoint",
    ]) {
      const reply = await call(sim, "GET", path);
      assert.deepEqual([reply.status, reply.error.code, reply.body.success], [404, 7003, false], path);
    }
    await refused(sim, [["DELETE page_guard", undefined, 405]]);
  });

  it("refuses unknown and repeated query parameters", async () => {
    const queries = [
      ...["page_guard?page=1", "page_guard/scripts?exports=1", "page_guard/scripts?page=1&page=2"],
      ...["page_guard/connections?exclude_duplicates=true", "page_guard/cookies?urls=x"],
      ...["page_guard/policies?page=1", `${entrypointPath}?dry_run=true`, "waf_migration/status?phase_two=1"],
    ];
    const rows = queries.map((path) => [`GET ${path}`, undefined, 400] as const);
    await refused(await seeded(), rows);
  });

  it("refuses a body that is not sent as JSON, is not JSON, or comes with a GET or DELETE", async () => {
    const sim = await seeded();
    const text = JSON.stringify(policyBody);
    const post = (body: string, type: string) =>
      call(sim, "POST", "page_guard/policies", body, { "content-type": type });
    assert.equal((await post(text, "text/plain")).status, 415);
    assert.equal((await post(text, "")).status, 415);
    assert.equal((await post("{", "application/json")).status, 400);
    assert.equal((await post("[]", "application/json")).status, 400);
    assert.equal((await call(sim, "DELETE", "page_guard/policies/x", {})).status, 400);
    assert.equal(sim.zone(zoneId).policies.length, 0);
    assert.equal((await post(text, "application/json; charset=utf-8")).status, 200);
  });

  it("serves both spellings of the service from the same zone", async () => {
    const sim = await seeded();
    await call(sim, "POST", "page_guard/policies", policyBody);
    await call(sim, "POST", "page_shield/policies", { ...policyBody, enabled: false });
    const enabled = async (service: string) =>
      (await call(sim, "GET", `${service}/policies`)).result.map((policy: Body) => policy.enabled);
    assert.deepEqual(await enabled("page_guard"), ["true", "false"]);
    assert.deepEqual(await enabled("page_shield"), [true, false]);
  });
});

describe("the simulator itself", () => {
  it("survives malformed targets and clients that disconnect halfway", async () => {
    const sim = await seeded();
    const port = Number(new URL(sim.url).port);
    const path = `/client/v4/zones/${zoneId}/page_guard`;
    for (const target of ["//", `${path}/scripts/%E0%A4%A`, "/__control/zones/%E0%A4%A", "not http"]) {
      const socket = connect(port, "127.0.0.1");
      socket.write(`GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
      assert.match(await textOf(socket), /^HTTP\/1\.1 40[034] /, target);
    }
    const leaving = connect(port, "127.0.0.1");
    const half = `PUT ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"enabled"`;
    leaving.write(half, () => leaving.destroy());
    await once(leaving, "close");
    // The server notices this after a moment. If it never removed the request, the test would time out.
    do assert.equal((await call(sim, "GET", "page_guard")).status, 200);
    while (sim.journal.at(-1)?.inFlight !== 1);
    assert.equal(sim.requests({ method: "PUT" }).length, 0, "half a request is no request");
  });
});

describe("the journal", () => {
  it("records each request with its client, and the id and result of the answer, but never the token", async () => {
    let clock = 1_700_000_000_000;
    const sim = await seeded({}, { token: "very-secret", now: () => clock });
    await call(sim, "GET", "page_guard/scripts?page=2&per_page=3", undefined, { "user-agent": "me/1.0" });
    clock += 5;
    await call(sim, "PUT", "page_guard", { enabled: true });
    const { body, headers } = await call(sim, "PUT", "page_guard", { enabled: true });
    const [list, first, second] = sim.journal;
    assert.deepEqual([body.success, body.errors, body.messages], [true, [], []]);
    assert.match(second?.requestId ?? "", /^[0-9a-f]{16}$/);
    assert.equal(headers.get("x-request-id"), second?.requestId);
    assert.deepEqual(list?.query, { page: "2", per_page: "3" });
    const where = [list?.userAgent, list?.path, list?.zoneId];
    assert.deepEqual(where, ["me/1.0", `/zones/${zoneId}/page_guard/scripts`, zoneId]);
    assert.deepEqual([list?.seq, first?.seq, second?.seq], [1, 2, 3]);
    assert.deepEqual([(first?.at ?? 0) - (list?.at ?? 0), first?.body], [5, { enabled: true }]);
    assert.deepEqual([list?.changed, first?.changed, second?.changed], [false, true, false]);
    assert.ok(!JSON.stringify(sim.journal).includes("very-secret"));
  });

  it("finds requests by method, path and zone, and can be emptied", async () => {
    const sim = await seeded();
    await call(sim, "GET", "page_guard");
    await call(sim, "PUT", "page_guard", { enabled: 1 });
    await call(sim, "DELETE", "page_guard/policies/x");
    const filters = [{ method: "put" }, { path: /policies\/x$/g }, { path: "page_guard", zoneId }];
    const found = [...filters, { zoneId: "f".repeat(32) }].map((filter) => sim.requests(filter).length);
    assert.deepEqual(found, [1, 1, 3, 0]);
    const statuses = sim.changing().map((entry) => entry.status);
    assert.deepEqual(statuses, [400, 204]);
    sim.journal.clear();
    assert.equal(sim.journal.length, 0);
  });

  it("drops the oldest entries if there are very many", async () => {
    const sim = await begun();
    await call(sim, "GET", "page_guard");
    const [entry] = sim.journal;
    assert.ok(entry);
    const journal = new Journal();
    for (let seq = 1; seq <= 100_001; seq += 1) journal.record({ ...entry, seq });
    assert.deepEqual([journal.length, journal[0]?.seq], [90_001, 10_001]);
    assert.equal(journal.at(-1)?.seq, 100_001);
  });

  it("shows each request to the hooks before and after it is processed, and waits for them", async () => {
    const sim = await seeded();
    const seen: string[] = [];
    const off = sim.onRequest(async (entry) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      seen.push(`before ${entry.method} ${sim.zone(zoneId).settings.enabled} ${entry.status}`);
    });
    sim.onProcessed((entry) => {
      seen.push(`after ${entry.method} ${sim.zone(zoneId).settings.enabled} ${entry.changed}`);
    });
    await call(sim, "PUT", "page_guard", { enabled: true });
    off();
    await call(sim, "GET", "page_guard");
    assert.deepEqual(seen, ["before PUT false undefined", "after PUT true true", "after GET true false"]);
  });

  it("drops a connection before or after processing when a hook says so", async () => {
    const sim = await seeded();
    const off = sim.onRequest(() => "drop");
    await assert.rejects(call(sim, "PUT", "page_guard", { enabled: true }));
    off();
    assert.equal(sim.zone(zoneId).settings.enabled, false);
    sim.onProcessed(() => "drop");
    await assert.rejects(call(sim, "PUT", "page_guard", { enabled: true }));
    assert.equal(sim.zone(zoneId).settings.enabled, true);
    const seen = sim.journal.map(({ fault, changed, status }) => [fault, changed, status].join());
    assert.deepEqual(seen, ["dropped,false,", "dropped,true,"]);
  });
});

describe("clients of the simulator", () => {
  it("are accepted at its address, localhost and allowed names only, because a web page may point another name to this machine", async () => {
    const sim = await seeded({}, { token: "secret", allowedHosts: ["Simulator.test"] });
    const ours = ["127.0.0.1", "127.0.0.1:9", "localhost", "LOCALHOST:80", "[::1]:8080", "10.1.2.3"];
    for (const host of [...ours, "simulator.test:8080"])
      assert.equal((await asked(sim, { host })).status, 200, host);
    sim.journal.clear();
    for (const host of ["shop.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "a b", "["]) {
      const reply = await asked(sim, { host });
      assert.equal(reply.status, 403, host);
      assert.match(reply.body, /use its address or localhost/);
      assert.equal((await asked(sim, { host }, "/__control/zones")).status, 403, host);
    }
    assert.equal(sim.journal.length, 0);
  });

  it("are refused if they are web pages, also with the right token", async () => {
    const sim = await begun();
    const { host } = new URL(sim.url);
    for (const origin of ["https://evil.example", "null", "http://localhost:3000", `https://${host}`]) {
      const headers = { origin, "content-type": "application/json" };
      const reply = await asked(sim, headers, path, "PUT", '{"enabled":true}');
      assert.equal(reply.status, 403, origin);
      assert.match(reply.body, /refuses requests from web pages/);
      const rotated = await asked(sim, headers, "/__control/token", "PUT", '{"token":"theirs"}');
      assert.equal(rotated.status, 403, origin);
    }
    assert.equal(sim.zone(zoneId).settings.enabled, false);
    assert.equal(sim.token, "secret");
    assert.equal((await asked(sim, { origin: `http://${host}` })).status, 200);
  });
});

const path = `/client/v4/zones/${zoneId}/page_guard`;
const begun = () => seeded({}, { token: "secret" });

/** Sends a request with headers that `fetch` does not allow. */
async function asked(sim: Simulator, headers: object, target = path, method = "GET", body = "") {
  const { hostname, port } = new URL(sim.url);
  const sent = { authorization: `Bearer ${sim.token}`, ...headers };
  const request = httpRequest({ hostname, port, path: target, method, headers: sent }).end(body);
  const [answer]: IncomingMessage[] = await once(request, "response");
  assert.ok(answer);
  return { status: answer.statusCode, body: await textOf(answer) };
}
