import assert from "node:assert/strict";
import { ApiError, type Outcome } from "../../provider/src/errors/api-error";
import { failure, POLICY, useScriptedServer, WIRE_POLICY } from "./scripted-client";
import { cutOff, hang, json, ok, raw, refusal, reset, type ScriptedServer, ZONE } from "./scripted-server";

describe("the client, when there is no clear answer", () => {
  const desk = useScriptedServer();

  describe("after a failure", () => {
    const cases: [string, Parameters<ScriptedServer["script"]>[0], string, Outcome][] = [
      ["a reset", reset, "PG_NETWORK", "unknown"],
      ["a hanging service", hang, "PG_TIMEOUT", "unknown"],
      ["a body that is cut off", cutOff, "PG_UNEXPECTED_ANSWER", "unknown"],
      ["JSON that is cut off", raw(200, '{"result":{"ena'), "PG_UNEXPECTED_ANSWER", "unknown"],
      ["a page of a gateway", raw(502, "<html>bad gateway</html>"), "PG_SERVICE", "unknown"],
      ["500", refusal(500, 1, "oops"), "PG_SERVICE", "unknown"],
      ["an HTML page with 200", raw(200, "<html>"), "PG_UNEXPECTED_ANSWER", "unknown"],
      ["an empty 200", raw(200, ""), "PG_UNEXPECTED_ANSWER", "unknown"],
      ["a redirect", raw(302, "", { location: "https://evil.example/" }), "PG_UNEXPECTED_ANSWER", "unknown"],
      ["JSON without an envelope", json(200, { hello: 1 }), "PG_UNEXPECTED_ANSWER", "unknown"],
      ["a list in place of an envelope", json(200, []), "PG_UNEXPECTED_ANSWER", "unknown"],
      ["code 10000", refusal(403, 10000, "Authentication error"), "PG_AUTHENTICATION", "refused"],
    ];
    for (const [name, reply, code, outcome] of cases) {
      it(`${name}: a POST and the migration are sent once, and say what is known`, async () => {
        desk.server.script(reply);
        const c = desk.client({ timeoutMs: 100 });
        for (const call of [
          () => c.createPolicy(ZONE, POLICY),
          () => c.migrate(ZONE, "pending", { rules: [] }),
          () => c.migrate(ZONE, "validation", { rules: [] }),
        ]) {
          const before = desk.server.received.length;
          const error = await failure(call());
          assert.equal(desk.server.received.length, before + 1);
          assert.deepEqual([error.code, error.outcome], [code, outcome]);
        }
      });
    }

    it("429: a POST of a policy is repeated after the wait, because nothing was done; the migration never is", async () => {
      const c = desk.client();
      const refused = refusal(429, 10100, "slow down", { "retry-after": "0" });
      desk.server.script(refused, ok(WIRE_POLICY));
      assert.equal((await c.createPolicy(ZONE, POLICY)).policyId, "p1");
      assert.deepEqual(
        desk.server.received.map(({ method }) => method),
        ["POST", "POST"],
      );
      for (const call of [
        () => c.migrate(ZONE, "pending", { rules: [] }),
        () => c.migrate(ZONE, "validation", { rules: [] }),
        () => c.putEntrypoint(ZONE, { rules: [] }),
      ]) {
        const before = desk.server.received.length;
        desk.server.script(refused);
        const error = await failure(call());
        assert.equal(desk.server.received.length, before + 1);
        assert.deepEqual([error.code, error.outcome], ["PG_RATE_LIMITED", "refused"]);
        desk.server.script(ok({ enabled: true }));
        await c.getSettings(ZONE);
      }
    });

    it("429 in the service's code alone: a POST is not sent again", async () => {
      desk.server.script(refusal(400, 10100, "slow down"));
      assert.equal((await failure(desk.client().createPolicy(ZONE, POLICY))).outcome, "refused");
      assert.equal(desk.server.received.length, 1);
    });

    const again: [string, Parameters<ScriptedServer["script"]>[0]][] = [
      ["a reset", reset],
      ["a body that is cut off", cutOff],
      ["JSON that is cut off", raw(200, '{"result":{"ena')],
      ["503", raw(503, "")],
      ["429 with Retry-After", refusal(429, 1, "x", { "retry-after": "0" })],
    ];
    for (const [name, reply] of again) {
      it(`${name}: reads and repeatable changes continue`, async () => {
        const c = desk.client();
        desk.server.script(reply, ok({ enabled: true }));
        assert.equal((await c.getSettings(ZONE)).enabled, true);
        desk.server.script(reply, ok({ enabled: true }));
        assert.equal((await c.updateSettings(ZONE, { enabled: true })).enabled, true);
        desk.server.script(reply, raw(204, ""));
        await c.deletePolicy(ZONE, "p");
        assert.equal(desk.server.received.length, 6);
      });
    }

    it("fails after four attempts and reports how many", async () => {
      desk.server.script(raw(503, ""));
      const error = await failure(desk.client().getSettings(ZONE));
      assert.equal(desk.server.received.length, 4);
      assert.match(error.message, /4 times/);
    });

    it("keeps in mind that an earlier attempt may have been carried out", async () => {
      desk.server.script(reset, refusal(400, 1, "no"));
      const error = await failure(desk.client().updateSettings(ZONE, { enabled: true }));
      assert.deepEqual([error.code, error.outcome], ["PG_REFUSED", "unknown"]);
    });

    it("obeys Retry-After in full", async () => {
      desk.server.script(refusal(429, 1, "x", { "retry-after": "1" }), ok({ enabled: true }));
      const start = performance.now();
      await desk.client().getSettings(ZONE);
      assert.ok(performance.now() - start >= 1000);
    });

    it("fails at once when Retry-After is longer than the patience; other requests too", async () => {
      const c = desk.client();
      desk.server.script(refusal(429, 1, "x", { "retry-after": "4000" }));
      const error = await failure(c.getSettings(ZONE));
      assert.equal(error.code, "PG_RATE_LIMITED");
      assert.match(error.message, /4000 s/);
      const other = await failure(c.getSettings(ZONE));
      assert.deepEqual([other.code, other.outcome], ["PG_RATE_LIMITED", "unsent"]);
      assert.equal(desk.server.received.length, 1);
    });

    it("gives a fresh token two more chances for a read, and only until it was accepted once", async () => {
      const c = desk.client();
      const notYet = refusal(403, 10000, "Authentication error");
      desk.server.script(notYet, notYet, ok({ enabled: true }));
      await c.getSettings(ZONE);
      assert.equal(desk.server.received.length, 3);
      desk.server.script(notYet);
      await failure(c.getSettings(ZONE));
      assert.equal(desk.server.received.length, 4);
    });

    it("reports that nothing was sent when no server listens", async () => {
      const c = desk.client();
      await desk.server.stop();
      const error = await failure(c.createPolicy(ZONE, POLICY));
      assert.deepEqual([error.code, error.outcome], ["PG_NETWORK", "unsent"]);
      assert.match(
        error.message,
        /^Failed to create a policy: nothing answers at 127\.0\.0\.1[\s\S]*ECONNREFUSED[\s\S]*not sent/,
      );
      assert.equal((await failure(c.getSettings(ZONE))).outcome, "unsent");
    });
  });

  it("bounds each attempt by PAGE_GUARD_TIMEOUT_MS", async () => {
    const c = desk.client({ timeoutMs: 150 });
    desk.server.script(hang, ok({ enabled: true }));
    await c.getSettings(ZONE);
    assert.equal(desk.server.received.length, 2);
    desk.server.script(hang);
    assert.match((await failure(c.getSettings(ZONE))).message, /within 150 ms \(4 attempts\)/);
  });

  it("ends at once when the caller aborts: under way, waiting, or before", async () => {
    const controller = new AbortController();
    const c = desk.client({ signal: controller.signal });
    desk.server.script(hang);
    const underWay = failure(c.createPolicy(ZONE, POLICY));
    while (desk.server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    desk.server.script(refusal(429, 1, "x", { "retry-after": "60" }));
    const waiting = failure(c.getSettings(ZONE));
    while (desk.server.received.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    assert.deepEqual([(await underWay).code, (await underWay).outcome], ["PG_ABORTED", "unknown"]);
    assert.equal((await waiting).code, "PG_ABORTED");
    const never = await failure(c.getSettings(ZONE));
    assert.deepEqual([never.code, never.outcome], ["PG_ABORTED", "unsent"]);
    assert.equal(desk.server.received.length, 2);
  });

  it("keeps the connection, and does not resend a POST when the service has closed it meanwhile", async () => {
    const c = desk.client();
    desk.server.script(ok({ enabled: true }));
    for (let n = 0; n < 20; n += 1) await c.getSettings(ZONE);
    assert.ok(new Set(desk.server.received.map(({ connection }) => connection)).size <= 2);
    // The connection is closed in the very moment in which the POST is written on it.
    for (let n = 0; n < 30; n += 1) {
      await c.getSettings(ZONE);
      const before = desk.server.received.length;
      desk.server.script((_response, socket) => socket.destroy());
      const error = await failure(c.createPolicy(ZONE, POLICY));
      assert.equal(error.outcome, "unknown");
      assert.equal(desk.server.received.length, before + 1);
      desk.server.script(ok({ enabled: true }));
    }
  });

  it("does not resend a POST on a connection that dies after the answer to the request before", async () => {
    const c = desk.client();
    let posts = 0;
    for (let n = 0; n < 40; n += 1) {
      // Answered, then closed by the service a moment later, as after an idle time-out.
      desk.server.script((response, socket) => {
        ok({ enabled: true })(response, socket, {
          method: "",
          path: "",
          headers: {},
          body: "",
          connection: 0,
        });
        setTimeout(() => socket.destroy(), n % 4);
      });
      await c.getSettings(ZONE);
      await new Promise((resolve) => setTimeout(resolve, n % 5));
      desk.server.script(ok(WIRE_POLICY));
      posts += 1;
      await c.createPolicy(ZONE, POLICY).catch((error: unknown) => {
        assert.ok(error instanceof ApiError);
        assert.notEqual(error.outcome, "refused");
      });
      assert.ok(
        desk.server.received.filter(({ method }) => method === "POST").length <= posts,
        "none was sent twice",
      );
    }
  });
});
