import assert from "node:assert/strict";
import type { PageGuardClient } from "../../../provider/src/api/create-client";
import { createClient } from "../../../provider/src/api/create-client";
import { ApiError, type Outcome } from "../../../provider/src/errors/api-error";
import { each } from "../../support/each";
import { failure, POLICY, useScriptedServer, WIRE_POLICY } from "./scripted-client";
import { cutOff, hang, json, ok, type Reply, raw, refusal, reset, TOKEN, ZONE } from "./scripted-server";

const on = { enabled: true };

describe("The client, over a real socket", () => {
  const desk = useScriptedServer();

  describe("sends exactly the documented request", () => {
    const rule = { action: "execute", expression: "true", enabled: true };
    const off = { ...POLICY, enabled: false };
    const named = { name: "default", rules: [rule] };
    const fresh = { name: "default", rules: [{ ...rule, id: "", version: "", ref: "" }] };
    const few = { useConnectionUrlPath: true, useVendorReportingEndpoint: false };
    const fewSent = { use_connection_url_path: true, use_vendor_reporting_endpoint: false };
    const ignored = { excludeCdn: undefined, direction: "" };
    const filters = { ...ignored, status: "all", excludeUrls: ["*a", "b*"], urlContains: "x y" };
    const filtered =
      "status=active%2Cinfrequent%2Cinactive&exclude_urls=*a%2Cb*&url_contains=x+y&page=1&per_page=50";
    const policies = "page_guard/policies";
    const entrypoint = "rulesets/phases/http_request_firewall_managed/entrypoint";
    const [pending, validation] = [
      "waf_migration=pending&phase_two=1",
      "waf_migration=validation&phase_two=1",
    ];
    type Operation = Exclude<Exclude<keyof PageGuardClient, "service">, "iterate">;
    /** Operation, its arguments after the zone, the response's result, the expected request, and its expected body. */
    const operations: [Operation, unknown[], unknown, string, unknown?][] = [
      ["getSettings", [], on, "GET page_guard"],
      ["updateSettings", [on], { ...on, updated_at: "t" }, "PUT page_guard", on],
      ["updateSettings", [few], { ...on, ...fewSent }, "PUT page_guard", fewSent],
      ["listPolicies", [], [WIRE_POLICY], `GET ${policies}`],
      ["getPolicy", ["p1"], WIRE_POLICY, `GET ${policies}/p1`],
      ["createPolicy", [POLICY], WIRE_POLICY, `POST ${policies}`, { ...POLICY, enabled: "true" }],
      ["updatePolicy", ["p1", off], WIRE_POLICY, `PUT ${policies}/p1`, { ...off, enabled: "false" }],
      ["deletePolicy", ["p1"], {}, `DELETE ${policies}/p1`],
      ["getEntrypoint", [], { rules: [] }, `GET ${entrypoint}`],
      ["putEntrypoint", [{ rules: [rule] }], { rules: [rule] }, `PUT ${entrypoint}`, { rules: [rule] }],
      ["getCompatibility", [], { compatible: true }, "GET waf_migration/check?phase_two=1"],
      ["getWafConfiguration", [], { name: "default", rules: [] }, "GET waf_migration/config?phase_two=1"],
      ["getWafStatus", [], {}, "GET waf_migration/status"],
      ["listUriOverrides", [], [], "GET firewall/waf/overrides?page=1&per_page=50"],
      ["migrate", ["pending", fresh], null, `PUT ${entrypoint}?${pending}`, fresh],
      ["migrate", ["validation", named], null, `PUT ${entrypoint}?${validation}`, named],
      ["listAll", ["scripts", filters, { perPage: 50 }], [], `GET page_guard/scripts?${filtered}`],
      ["listAll", ["cookies", { hosts: "x" }], [], "GET page_guard/cookies?hosts=x&page=1&per_page=100"],
      ["getItem", ["cookies", "c1"], { id: "c1", name: "n" }, "GET page_guard/cookies/c1"],
    ];
    for (const [name, args, result, expected, body] of operations) {
      it(`${name}: ${expected}`, async () => {
        desk.server.script(ok(result));
        const [kind, ...others] = args;
        const given = /^(listAll|getItem)$/.test(name) ? [kind, ZONE, ...others] : [ZONE, ...args];
        await Reflect.apply(desk.client()[name], undefined, given);
        assert.equal(desk.server.received.length, 1);
        const request = desk.server.received[0] ?? assert.fail();
        assert.equal(`${request.method} ${request.path}`, expected.replace(" ", ` zones/${ZONE}/`));
        assert.equal(request.headers.authorization, `Bearer ${TOKEN}`);
        assert.equal(request.headers["content-type"], body === undefined ? undefined : "application/json");
        assert.deepEqual(request.body === "" ? undefined : JSON.parse(request.body), body);
      });
    }

    it("with the path, boolean and field name of the service page_shield", async () => {
      const c = desk.client({ service: "page_shield" });
      desk.server.script(ok({ ...WIRE_POLICY, enabled: true }));
      assert.equal((await c.createPolicy(ZONE, POLICY)).enabled, true);
      desk.server.script(ok({ enabled: true, use_cloudflare_reporting_endpoint: false }));
      const settings = await c.updateSettings(ZONE, { useVendorReportingEndpoint: false });
      assert.deepEqual(settings, { enabled: true, useVendorReportingEndpoint: false });
      const sent = desk.server.received.map(({ path, body }) => [path, JSON.parse(body)]);
      assert.deepEqual(sent, [
        [`zones/${ZONE}/page_shield/policies`, POLICY],
        [`zones/${ZONE}/page_shield`, { use_cloudflare_reporting_endpoint: false }],
      ]);
    });
  });

  it("reads the settings back if the response to an update does not show all of them", async () => {
    desk.server.script(ok({ ...on, updated_at: "t" }), ok({ ...on, use_connection_url_path: true }));
    const settings = await desk.client().updateSettings(ZONE, { enabled: true, useConnectionUrlPath: true });
    assert.equal(settings.useConnectionUrlPath, true);
    assert.deepEqual(each(desk.server.received, "method"), ["PUT", "GET"]);
    desk.server.script(ok({ enabled: true, updated_at: "t" }));
    await desk.client().updateSettings(ZONE, { enabled: true });
    assert.equal(desk.server.received.length, 3, "nothing to read back");
  });

  it("reads a policy or an entry point back if the response to its update has another form", async () => {
    desk.server.script(ok({}), ok(WIRE_POLICY));
    assert.equal((await desk.client().updatePolicy(ZONE, "p1", POLICY)).policyId, "p1");
    const rule = { action: "skip", expression: "true" };
    desk.server.script(ok(null), ok({ id: "e", rules: [rule] }));
    assert.equal((await desk.client().putEntrypoint(ZONE, { rules: [rule] })).rulesetId, "e");
  });

  it("reports that a change may be in force if the service accepted it and reading it back fails", async () => {
    const changes: readonly (() => Promise<unknown>)[] = [
      () => desk.client().updateSettings(ZONE, { enabled: true, useConnectionUrlPath: true }),
      () => desk.client().updatePolicy(ZONE, "p1", POLICY),
      () => desk.client().putEntrypoint(ZONE, { rules: [{ action: "skip", expression: "true" }] }),
    ];
    for (const change of changes) {
      for (const status of [400, 403, 404]) {
        desk.server.script(ok(on), refusal(status, 1, "no reading today"));
        const error = await failure(change());
        assert.equal(error.code, "PG_READ_BACK");
        assert.ok(error instanceof ApiError && error.outcome === "unknown");
        assert.match(error.message, /accepted the change, but reading it back failed: .*no reading today/);
      }
    }
  });

  it("counts a deletion as done after 204, after 200 with any body, and if the object does not exist", async () => {
    const withoutResult = json(200, { success: true, errors: [], messages: [] });
    const bodies = [raw(204, ""), ok(null), raw(200, ""), raw(200, " \n"), withoutResult];
    desk.server.script(...bodies, refusal(404, 10007, "not found"));
    for (let n = 0; n <= bodies.length; n += 1) await desk.client().deletePolicy(ZONE, "p1");
    assert.equal(desk.server.received.length, 6);
  });

  it("does not mistake a gateway's own 404 for a deleted object", async () => {
    for (const body of ["<html>not here</html>", "", "no"]) {
      desk.server.script(raw(404, body));
      assert.equal((await failure(desk.client().deletePolicy(ZONE, "p1"))).code, "PG_UNEXPECTED_ANSWER");
      assert.equal((await failure(desk.client().getEntrypoint(ZONE))).code, "PG_UNEXPECTED_ANSWER");
      assert.equal((await failure(desk.client().getPolicy(ZONE, "p1"))).code, "PG_UNEXPECTED_ANSWER");
    }
  });

  it("does not mistake a response in an unknown form for an entry point or a configuration without rules", async () => {
    for (const read of ["getEntrypoint", "getWafConfiguration"] as const)
      for (const result of [{}, { name: "n" }, { ruleset: { id: "e", name: "n", rules: [] } }, [], null]) {
        desk.server.script(ok(result));
        const error = await failure(desk.client()[read](ZONE));
        assert.match(`${error.code} ${error.message}`, /^PG_UNEXPECTED_ANSWER .* \(field result\): /);
      }
  });

  it("blames the gateway, not the token or the request, for a refusal that is not the service's own", async () => {
    for (const status of [400, 401, 403, 405, 407, 413, 422])
      for (const body of ["<html>no</html>", "", '{"error":"no"}']) {
        desk.server.script(raw(status, body));
        const error = await failure(desk.client().migrate(ZONE, "validation", { rules: [] }));
        assert.deepEqual([error.code, error.outcome], ["PG_UNEXPECTED_ANSWER", "refused"]);
        const told = `HTTP status ${status} and does not come from the service itself.*gateway`;
        assert.match(error.message, new RegExp(told));
      }
  });

  it("explains how long the service keeps items if an item no longer exists", async () => {
    desk.server.script(refusal(404, 10404, "not found"));
    const error = await failure(desk.client().getItem("scripts", ZONE, "abc"));
    assert.deepEqual([error.code, error.outcome, error.facts.httpStatus], ["PG_ITEM_GONE", "refused", 404]);
    assert.match(error.message, /abc[\s\S]*5 days[\s\S]*7 days[\s\S]*30/);
    desk.server.script(refusal(404, 7003, "no route"));
    assert.equal((await failure(desk.client().getItem("scripts", ZONE, "abc"))).code, "PG_NOT_FOUND");
  });
});

describe("The client, if the service refuses a request,", () => {
  const desk = useScriptedServer();

  describe("assigns a code to the refusal:", () => {
    const quota = "exceeded the maximum number of rules in the phase x";
    const refusals: [string, ReturnType<typeof refusal>, string, RegExp][] = [
      ["401", refusal(401, undefined, "no"), "PG_AUTHENTICATION", /CI_TOKEN.* Read [\s\S]* Write /],
      ["403", refusal(403, 9109, "Unauthorized"), "PG_AUTHENTICATION", /permission/],
      ["code 10000", refusal(400, 10000, "Authentication error"), "PG_AUTHENTICATION", /token/],
      ["code 10100", refusal(400, 10100, "slow down"), "PG_RATE_LIMITED", /slow down/],
      ["not entitled", refusal(403, 1, "zone is not entitled to x"), "PG_NOT_ENTITLED", /plan/],
      ["a quota", refusal(400, 2, `${quota}: 51 out of 50`), "PG_QUOTA", /limit of its plan/],
      ["a quota of zero", refusal(400, 2, `${quota}: 1 out of 0`), "PG_NOT_ENTITLED", /plan/],
      ["enrollment", refusal(403, 3, "WAF enrollment is required"), "PG_WAF_ENROLLMENT", /WafMigration/],
      ["404", refusal(404, 4, "no"), "PG_NOT_FOUND", /deleted/],
      ["7003", refusal(400, 7003, "no"), "PG_NOT_FOUND", /no zone with this id, or the token cannot see it/],
      ["400", refusal(400, 5, "bad expression"), "PG_REFUSED", /"bad expression"/],
      ["409", refusal(409, 5, "conflict"), "PG_REFUSED", /conflict/],
      ["success: false with 200", refusal(200, 1004, "nope"), "PG_REFUSED", /nope/],
    ];
    for (const [name, reply, code, pattern] of refusals) {
      it(name, async () => {
        desk.server.script(reply);
        const error = await failure(desk.client().putEntrypoint(ZONE, { rules: [] }));
        assert.equal(error.code, code);
        assert.match(error.message, pattern);
        const told = `^Failed to update the WAF entry point: .*\\(zone ${ZONE}, HTTP `;
        assert.match(error.message, new RegExp(told));
        assert.equal(error.outcome, "refused");
        assert.equal(desk.server.received.length, 1, "it was not sent again");
      });
    }

    it("reports the JSON pointer and the request id that the service sends", async () => {
      const errors = [{ code: 6, message: "bad", source: { pointer: "/rules/0/expression" } }];
      desk.server.script(json(400, { success: false, errors, result: null }, { "cf-ray": "ray-1" }));
      const error = await failure(desk.client().putEntrypoint(ZONE, { rules: [] }));
      assert.match(error.message, /\/rules\/0\/expression/);
      const { httpStatus, apiCode, requestId } = error.facts;
      assert.deepEqual([httpStatus, apiCode, requestId], [400, 6, "ray-1"]);
    });

    it("quotes the service in at most 200 characters, without control characters and without the token", async () => {
      const evil = `a\u001b[31mred\u0000 ${TOKEN.slice(0, 9)}\u200b${TOKEN.slice(9)} ${"x".repeat(500)}`;
      desk.server.script(refusal(400, 7, evil, { "x-request-id": TOKEN }));
      const { message } = await failure(desk.client().putEntrypoint(ZONE, { rules: [] }));
      assert.match(message, /a\[31mred \[token\] x/);
      assert.ok(message.length < 700);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
      assert.doesNotMatch(message, /[\u0000-\u001f\u007f]/);
    });
  });

  it("refuses a rate limit or timeout in the environment that makes no sense", () => {
    for (const [name, value] of [
      ["PAGE_GUARD_TIMEOUT_MS", "soon"],
      ["PAGE_GUARD_TIMEOUT_MS", "0"],
      ["PAGE_GUARD_MAX_REQUESTS_PER_5M", "-1"],
      ["HTTPS_PROXY", "proxy.example:3128"],
    ] as const) {
      const connection = { baseUrl: "https://api.example/v4", token: TOKEN, service: "page_guard" } as const;
      const refused = new RegExp(`InputError.*${name}`);
      assert.throws(() => createClient(connection, { env: { [name]: value } }), refused);
    }
  });
});

describe("The client, if a request has no clear response,", () => {
  const desk = useScriptedServer();

  describe("after the failure", () => {
    const elsewhere = { location: "https://evil.example/" };
    const cases: [string, Reply, string, Outcome][] = [
      ["a reset", reset, "PG_NETWORK", "unknown"],
      ["a hanging service", hang, "PG_TIMEOUT", "unknown"],
      ["a body that is cut off", cutOff, "PG_UNEXPECTED_ANSWER", "unknown"],
      ["JSON that is cut off", raw(200, '{"result":{"ena'), "PG_UNEXPECTED_ANSWER", "unknown"],
      ["an HTML page of a gateway", raw(502, "<html>bad gateway</html>"), "PG_SERVICE", "unknown"],
      ["500", refusal(500, 1, "oops"), "PG_SERVICE", "unknown"],
      ["an HTML page with 200", raw(200, "<html>"), "PG_UNEXPECTED_ANSWER", "unknown"],
      ["a redirect", json(302, { success: true, result: on }, elsewhere), "PG_UNEXPECTED_ANSWER", "unknown"],
      ["an empty 200", raw(200, ""), "PG_UNEXPECTED_ANSWER", "unknown"],
      ["JSON without an envelope", json(200, { hello: 1 }), "PG_UNEXPECTED_ANSWER", "unknown"],
      ["a list in place of an envelope", json(200, []), "PG_UNEXPECTED_ANSWER", "unknown"],
      ["code 10000", refusal(403, 10000, "Authentication error"), "PG_AUTHENTICATION", "refused"],
    ];
    for (const [name, reply, code, outcome] of cases) {
      it(`(${name}) sends a POST and a migration request once, and reports whether they were carried out`, async () => {
        desk.server.script(reply);
        const c = desk.client({ timeoutMs: 100 });
        for (const [operation, call] of [
          ["create a policy", () => c.createPolicy(ZONE, POLICY)],
          ["finish the WAF migration", () => c.migrate(ZONE, "pending", { rules: [] })],
          ["start the WAF validation", () => c.migrate(ZONE, "validation", { rules: [] })],
        ] as const) {
          const before = desk.server.received.length;
          const error = await failure(call());
          assert.ok(error.message.startsWith(`Failed to ${operation}: `), error.message);
          assert.equal(desk.server.received.length, before + 1);
          assert.deepEqual([error.code, error.outcome], [code, outcome]);
          assert.equal(/not known whether/.test(error.message), outcome === "unknown", error.message);
          assert.equal(/it is a redirect/.test(error.message), name === "a redirect");
        }
      });
    }

    it("(429) repeats a POST of a policy after the wait, because nothing was done, but never a migration request", async () => {
      const c = desk.client();
      const refused = refusal(429, 10100, "slow down", { "retry-after": "0" });
      desk.server.script(refused, ok(WIRE_POLICY));
      assert.equal((await c.createPolicy(ZONE, POLICY)).policyId, "p1");
      assert.deepEqual(each(desk.server.received, "method"), ["POST", "POST"]);
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
        desk.server.script(ok(on));
        await c.getSettings(ZONE);
      }
    });

    const again: [string, Reply][] = [
      ["a reset", reset],
      ["a body that is cut off", cutOff],
      ["JSON that is cut off", raw(200, '{"result":{"ena')],
      ["503", raw(503, "")],
      ["429 with Retry-After", refusal(429, 1, "x", { "retry-after": "0" })],
    ];
    for (const [name, reply] of again) {
      it(`(${name}) repeats reads and idempotent changes`, async () => {
        const c = desk.client();
        desk.server.script(reply, ok(on));
        assert.equal((await c.getSettings(ZONE)).enabled, true);
        desk.server.script(reply, ok(on));
        assert.equal((await c.updateSettings(ZONE, { enabled: true })).enabled, true);
        desk.server.script(reply, raw(204, ""));
        await c.deletePolicy(ZONE, "p");
        assert.equal(desk.server.received.length, 6);
        desk.server.script(reply);
        if (reply !== cutOff) return;
        const { message } = await failure(c.getSettings(ZONE));
        assert.match(message, / proxy or the service closed it.* Run again/s);
      });
    }

    it("(no server listens) reports that nothing was sent", async () => {
      const c = desk.client();
      await desk.server.stop();
      const error = await failure(c.createPolicy(ZONE, POLICY));
      assert.deepEqual([error.code, error.outcome], ["PG_NETWORK", "unsent"]);
      assert.match(error.message, / nothing answers at 127\.0\.0\.1[\s\S]*ECONNREFUSED[\s\S]*not sent/);
      assert.equal((await failure(c.getSettings(ZONE))).outcome, "unsent");
    });
  });

  it("limits the duration of each attempt to PAGE_GUARD_TIMEOUT_MS", async () => {
    const c = desk.client({ timeoutMs: 150 });
    desk.server.script(hang, ok(on));
    await c.getSettings(ZONE);
    assert.equal(desk.server.received.length, 2);
    desk.server.script(hang);
    const { message } = await failure(c.getSettings(ZONE));
    assert.match(message, /within 150 ms \(4 attempts\)/);
    assert.doesNotMatch(message, /not known whether/);
  });

  it("ends at once if the caller aborts: during a request, during a wait, or before either", async () => {
    const controller = new AbortController();
    let noteWait = (): void => undefined;
    const hasBegunToWait = new Promise<void>((resolve) => {
      noteWait = resolve;
    });
    const c = desk.client({ signal: controller.signal, onRateWait: () => noteWait() });
    desk.server.script(hang);
    const underWay = failure(c.createPolicy(ZONE, POLICY));
    while (desk.server.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    desk.server.script(refusal(429, 1, "x", { "retry-after": "60" }));
    const waiting = failure(c.getSettings(ZONE));
    await hasBegunToWait;
    controller.abort();
    assert.deepEqual([(await underWay).code, (await underWay).outcome], ["PG_ABORTED", "unknown"]);
    assert.equal((await waiting).code, "PG_ABORTED");
    const never = await failure(c.getSettings(ZONE));
    assert.deepEqual([never.code, never.outcome], ["PG_ABORTED", "unsent"]);
    assert.equal(desk.server.received.length, 2);
  });

  it("reuses its connection, and does not resend a POST if the service closes the connection at that moment", async () => {
    const c = desk.client();
    desk.server.script(ok(on));
    for (let n = 0; n < 20; n += 1) await c.getSettings(ZONE);
    assert.ok(new Set(desk.server.received.map(({ connection }) => connection)).size <= 2);
    // The service closes the connection at the moment when the client writes the POST to it.
    for (let n = 0; n < 30; n += 1) {
      await c.getSettings(ZONE);
      const before = desk.server.received.length;
      desk.server.script((_response, socket) => socket.destroy());
      const error = await failure(c.createPolicy(ZONE, POLICY));
      assert.equal(error.outcome, "unknown");
      assert.equal(desk.server.received.length, before + 1);
      desk.server.script(ok(on));
    }
  });

  it("does not resend a POST if the connection dies after the response to the previous request", async () => {
    const c = desk.client();
    let posts = 0;
    for (let n = 0; n < 40; n += 1) {
      // The service responds and closes the connection a moment later, as after an idle time-out.
      desk.server.script((response, socket, request) => {
        ok(on)(response, socket, request);
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
      const sent = desk.server.received.filter(({ method }) => method === "POST").length;
      assert.ok(sent <= posts, "none was sent twice");
    }
  });
});
