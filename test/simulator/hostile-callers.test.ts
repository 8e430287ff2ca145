import assert from "node:assert/strict";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { type Simulator, startSimulator } from "../../simulator/src";
import { Journal, type JournalEntry } from "../../simulator/src/state/journal";
import { call, control, policyBody, start, stopAll, zoneId } from "./raw-client";

afterEach(stopAll);

describe("whose requests the simulator accepts", () => {
  it("answers to its address and to localhost, on any port that leads to it", async () => {
    const sim = await begun();
    for (const host of ["127.0.0.1", "127.0.0.1:9", "localhost", "LOCALHOST:80", "[::1]:8080", "10.1.2.3"]) {
      assert.equal((await asked(sim, { host })).status, 200, host);
    }
  });

  it("refuses any other name: a web page may have pointed one of its own here", async () => {
    const sim = await begun();
    for (const host of ["shop.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "a b", "["]) {
      const reply = await asked(sim, { host });
      assert.equal(reply.status, 403, host);
      assert.match(reply.body, /use its address or localhost/);
      assert.equal((await asked(sim, { host }, "/__control/zones")).status, 403, host);
    }
    assert.equal(sim.journal.length, 0);
  });

  it("answers to an allowed name", async () => {
    const sim = await startSimulator({ allowedHosts: ["Simulator.test"] });
    try {
      assert.equal((await asked(sim, { host: "simulator.test:8080" }, "/__control/")).status, 200);
      assert.equal((await asked(sim, { host: "other.test" }, "/__control/")).status, 403);
    } finally {
      await sim.stop();
    }
  });

  it("refuses what a web page sends, also with the right token", async () => {
    const sim = await begun();
    const { host } = new URL(sim.url);
    for (const origin of ["https://evil.example", "null", "http://localhost:3000", `https://${host}`]) {
      const headers = { origin, "content-type": "application/json" };
      const reply = await asked(
        sim,
        headers,
        `/client/v4/zones/${zoneId}/page_guard`,
        "PUT",
        '{"enabled":true}',
      );
      assert.equal(reply.status, 403, origin);
      assert.match(reply.body, /refuses requests of web pages/);
      const rotated = await asked(sim, headers, "/__control/token", "PUT", '{"token":"theirs"}');
      assert.equal(rotated.status, 403, origin);
    }
    assert.equal(sim.zone(zoneId).settings.enabled, false);
    assert.equal(sim.token, "secret");
    assert.equal((await asked(sim, { origin: `http://${host}` })).status, 200);
  });

  it("keeps nothing of a body that is too long, and goes on", async () => {
    const sim = await begun();
    const long = JSON.stringify({ ...policyBody, value: "x".repeat(4 * 1024 * 1024) });
    const reply = await call(sim, "POST", "page_guard/policies", long, {
      "content-type": "application/json",
    });
    assert.equal(reply.status, 413);
    assert.match(reply.error.message, /at most \d+ bytes/);
    assert.deepEqual([sim.journal[0]?.body, sim.journal[0]?.status], [undefined, 413]);
    const seed = await control(sim, "PUT", `/zones/${zoneId}`, { statuses: ["x".repeat(16 * 1024 * 1024)] });
    assert.equal(seed.status, 400);
    assert.match(seed.body.error, /at most \d+ bytes/);
    assert.equal((await call(sim, "GET", "page_guard")).status, 200);
  });
});

describe("the journal of a long run", () => {
  it("forgets the oldest of very many entries", () => {
    const journal = new Journal();
    for (let seq = 1; seq <= 100_001; seq += 1) journal.record(entry(seq));
    assert.deepEqual([journal.length, journal[0]?.seq], [90_001, 10_001]);
    assert.equal(journal.at(-1)?.seq, 100_001);
    journal.clear();
    assert.equal(journal.length, 0);
  });
});

async function begun(): Promise<Simulator> {
  const sim = await start({ token: "secret" });
  sim.zones.seed(zoneId);
  return sim;
}

/** A request with headers that `fetch` does not let through. */
async function asked(
  sim: Simulator,
  headers: Readonly<Record<string, string>>,
  path = `/client/v4/zones/${zoneId}/page_guard`,
  method = "GET",
  body = "",
): Promise<{ status: number | undefined; body: string }> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const { hostname, port } = new URL(sim.url);
    const options = {
      hostname,
      port,
      path,
      method,
      headers: { authorization: `Bearer ${sim.token}`, ...headers },
    };
    httpRequest(options, resolve).on("error", reject).end(body);
  });
  return { status: answer.statusCode, body: await textOf(answer) };
}

function entry(seq: number): JournalEntry {
  return {
    seq,
    at: 0,
    method: "GET",
    path: "/",
    query: {},
    zoneId: undefined,
    body: undefined,
    userAgent: undefined,
    inFlight: 1,
    requestId: "",
    status: 200,
    fault: undefined,
    changed: false,
  };
}
