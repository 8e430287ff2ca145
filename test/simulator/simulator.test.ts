import assert from "node:assert/strict";
import { connect } from "node:net";
import { call, entrypointPath, policyBody, seeded, stopAll, zoneId } from "./raw-client";

afterEach(stopAll);

describe("requests to the simulator", () => {
  it("answers with the envelope, a request id and JSON", async () => {
    const sim = await seeded();
    const reply = await call(sim, "GET", "page_guard");
    assert.equal(reply.status, 200);
    assert.deepEqual([reply.body.success, reply.body.errors, reply.body.messages], [true, [], []]);
    assert.match(reply.headers.get("x-request-id") ?? "", /^[0-9a-f]{16}$/);
    assert.equal(sim.journal[0]?.requestId, reply.headers.get("x-request-id"));
  });

  it("refuses a missing, wrong, differently spelled or rotated token with 403 and code 10000", async () => {
    const sim = await seeded({}, { token: "secret" });
    for (const authorization of ["", "secret", "Bearer", "Bearer other", "bearer secret", "Bearer secret "]) {
      // A trailing blank is no part of a header's value.
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
    for (const path of [
      "/zones/xyz/page_guard",
      `/zones/${zoneId}0/page_guard`,
      `/zones/${"f".repeat(32)}/page_guard`,
      `/zones/${zoneId}/page_guards`,
      `/zones/${zoneId}/page_guard/scripts/`,
      `/zones/${zoneId}`,
      `/zones/${zoneId}/rulesets/phases/http_request_firewall_custom/entrypoint`,
      "/",
    ]) {
      const reply = await call(sim, "GET", path);
      assert.equal(reply.status, 404, path);
      assert.equal(reply.error.code, 7003, path);
      assert.equal(reply.body.success, false);
      assert.equal(reply.body.result, null);
    }
    assert.equal((await call(sim, "DELETE", "page_guard")).status, 405);
  });

  it("refuses unknown and repeated query parameters", async () => {
    const sim = await seeded();
    for (const path of [
      "page_guard?page=1",
      "page_guard/scripts?exports=1",
      "page_guard/connections?exclude_duplicates=true",
      "page_guard/cookies?urls=x",
      "page_guard/policies?page=1",
      "page_guard/scripts?page=1&page=2",
      `${entrypointPath}?dry_run=true`,
      "waf_migration/status?phase_two=1",
    ]) {
      assert.equal((await call(sim, "GET", path)).status, 400, path);
    }
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
    const guard = await call(sim, "GET", "page_guard/policies");
    const shield = await call(sim, "GET", "page_shield/policies");
    assert.deepEqual(
      guard.result.map((policy: { enabled: unknown }) => policy.enabled),
      ["true", "false"],
    );
    assert.deepEqual(
      shield.result.map((policy: { enabled: unknown }) => policy.enabled),
      [true, false],
    );
  });
});

describe("the simulator itself", () => {
  it("outlives targets that are no paths and clients that leave half-way", async () => {
    const sim = await seeded();
    const port = Number(new URL(sim.url).port);
    for (const text of [
      "GET // HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
      `GET /client/v4/zones/${zoneId}/page_guard/scripts/%E0%A4%A HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
      "GET /__control/zones/%E0%A4%A HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
      "not http at all\r\n\r\n",
    ]) {
      const status = await new Promise<string>((resolve, reject) => {
        let received = "";
        const socket = connect(port, "127.0.0.1", () => socket.write(text));
        socket.on("data", (chunk) => {
          received += chunk;
        });
        socket.on("error", reject);
        socket.on("close", () => resolve(received.split("\r\n")[0] ?? ""));
      });
      assert.match(status, /^HTTP\/1\.1 40[034] /, text);
    }
    const target = `PUT /client/v4/zones/${zoneId}/page_guard HTTP/1.1`;
    await new Promise<void>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.write(`${target}\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"enabled"`, () =>
          socket.destroy(),
        );
      });
      socket.on("close", () => resolve());
    });
    // It takes a moment until the server notices; a request that were never forgotten would end in a timeout.
    do assert.equal((await call(sim, "GET", "page_guard")).status, 200);
    while (sim.journal.at(-1)?.inFlight !== 1);
    assert.equal(sim.requests({ method: "PUT" }).length, 0, "half a request is no request");
  });
});

describe("the journal", () => {
  it("records the request, its client and its outcome, but never the token", async () => {
    let clock = 1_700_000_000_000;
    const sim = await seeded({}, { token: "very-secret", now: () => clock });
    await call(sim, "GET", "page_guard/scripts?page=2&per_page=3", undefined, { "user-agent": "me/1.0" });
    clock += 5;
    await call(sim, "PUT", "page_guard", { enabled: true });
    await call(sim, "PUT", "page_guard", { enabled: true });
    const [list, first, second] = sim.journal;
    assert.deepEqual(list?.query, { page: "2", per_page: "3" });
    assert.equal(list?.userAgent, "me/1.0");
    assert.equal(list?.path, `/zones/${zoneId}/page_guard/scripts`);
    assert.equal(list?.zoneId, zoneId);
    assert.deepEqual([list?.seq, first?.seq, second?.seq], [1, 2, 3]);
    assert.equal((first?.at ?? 0) - (list?.at ?? 0), 5);
    assert.deepEqual(first?.body, { enabled: true });
    assert.deepEqual([list?.changed, first?.changed, second?.changed], [false, true, false]);
    assert.equal(second?.status, 200);
    assert.ok(!JSON.stringify(sim.journal).includes("very-secret"));
  });

  it("finds requests by method, path and zone, and empties", async () => {
    const sim = await seeded();
    await call(sim, "GET", "page_guard");
    await call(sim, "PUT", "page_guard", { enabled: 1 });
    await call(sim, "DELETE", "page_guard/policies/x");
    assert.equal(sim.requests({ method: "put" }).length, 1);
    assert.equal(sim.requests({ path: /policies\/x$/g }).length, 1);
    assert.equal(sim.requests({ path: "page_guard", zoneId }).length, 3);
    assert.equal(sim.requests({ zoneId: "f".repeat(32) }).length, 0);
    assert.deepEqual(
      sim.changing().map((entry) => entry.status),
      [400, 204],
    );
    sim.journal.clear();
    assert.equal(sim.journal.length, 0);
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
    assert.deepEqual(
      sim.journal.map(({ fault, changed, status }) => [fault, changed, status]),
      [
        ["dropped", false, undefined],
        ["dropped", true, undefined],
      ],
    );
  });
});

describe("starting and stopping", () => {
  it("listens on a free loopback port, stops at once though requests hang, and twice is harmless", async () => {
    const sim = await seeded();
    assert.match(sim.url, /^http:\/\/127\.0\.0\.1:\d+\/client\/v4$/);
    sim.faults.add({ kind: "hang" });
    const hanging = assert.rejects(call(sim, "GET", "page_guard"));
    while (sim.journal.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await sim.stop();
    await sim.stop();
    await hanging;
    await assert.rejects(call(sim, "GET", "page_guard"));
  });
});
