import assert from "node:assert/strict";
import type { PageGuardClient } from "../../provider/src/api/client-types";
import { ApiError } from "../../provider/src/errors/api-error";
import { failure, POLICY, useScriptedServer, WIRE_POLICY } from "./scripted-client";
import { ok, raw, refusal, TOKEN, ZONE } from "./scripted-server";

describe("the client, over a real socket", () => {
  const desk = useScriptedServer();

  describe("sends exactly what the documents say", () => {
    const rule = { action: "execute", expression: "true", enabled: true };
    const entrypoint = "rulesets/phases/http_request_firewall_managed/entrypoint";
    const operations: [string, (c: PageGuardClient) => Promise<unknown>, unknown, string, unknown][] = [
      ["getSettings", (c) => c.getSettings(ZONE), { enabled: true }, "GET page_guard", undefined],
      [
        "updateSettings",
        (c) => c.updateSettings(ZONE, { enabled: true }),
        { enabled: true, updated_at: "t" },
        "PUT page_guard",
        { enabled: true },
      ],
      ["listPolicies", (c) => c.listPolicies(ZONE), [WIRE_POLICY], "GET page_guard/policies", undefined],
      ["getPolicy", (c) => c.getPolicy(ZONE, "p1"), WIRE_POLICY, "GET page_guard/policies/p1", undefined],
      [
        "createPolicy",
        (c) => c.createPolicy(ZONE, POLICY),
        WIRE_POLICY,
        "POST page_guard/policies",
        { ...POLICY, enabled: "true" },
      ],
      [
        "updatePolicy",
        (c) => c.updatePolicy(ZONE, "p1", { ...POLICY, enabled: false }),
        WIRE_POLICY,
        "PUT page_guard/policies/p1",
        { ...POLICY, enabled: "false" },
      ],
      ["deletePolicy", (c) => c.deletePolicy(ZONE, "p1"), {}, "DELETE page_guard/policies/p1", undefined],
      ["getEntrypoint", (c) => c.getEntrypoint(ZONE), { rules: [] }, `GET ${entrypoint}`, undefined],
      [
        "putEntrypoint",
        (c) => c.putEntrypoint(ZONE, { rules: [rule] }),
        { rules: [rule] },
        `PUT ${entrypoint}`,
        { rules: [rule] },
      ],
      [
        "getCompatibility",
        (c) => c.getCompatibility(ZONE),
        { compatible: true },
        "GET waf_migration/check?phase_two=1",
        undefined,
      ],
      [
        "getWafConfiguration",
        (c) => c.getWafConfiguration(ZONE),
        { name: "default", rules: [] },
        "GET waf_migration/config?phase_two=1",
        undefined,
      ],
      ["getWafStatus", (c) => c.getWafStatus(ZONE), {}, "GET waf_migration/status", undefined],
      [
        "listUriOverrides",
        (c) => c.listUriOverrides(ZONE),
        [],
        "GET firewall/waf/overrides?page=1&per_page=50",
        undefined,
      ],
      [
        "migrate",
        (c) =>
          c.migrate(ZONE, "pending", { name: "default", rules: [{ ...rule, id: "", version: "", ref: "" }] }),
        null,
        `PUT ${entrypoint}?waf_migration=pending&phase_two=1`,
        { name: "default", rules: [{ id: "", version: "", ref: "", ...rule }] },
      ],
      [
        "migrate (validation)",
        (c) => c.migrate(ZONE, "validation", { name: "default", rules: [rule] }),
        null,
        `PUT ${entrypoint}?waf_migration=validation&phase_two=1`,
        { name: "default", rules: [rule] },
      ],
      [
        "listAll",
        (c) =>
          c.listAll("scripts", ZONE, { status: "all", excludeUrls: ["*a", "b*"], hosts: "x", perPage: 50 }),
        [],
        "GET page_guard/scripts?status=active%2Cinfrequent%2Cinactive&exclude_urls=*a%2Cb*&hosts=x&page=1&per_page=50",
        undefined,
      ],
      [
        "getItem",
        (c) => c.getItem("cookies", ZONE, "c1"),
        { id: "c1", name: "n" },
        "GET page_guard/cookies/c1",
        undefined,
      ],
    ];
    for (const [name, call, result, expected, body] of operations) {
      it(name, async () => {
        desk.server.script(ok(result));
        await call(desk.client());
        assert.equal(desk.server.received.length, 1);
        const request = desk.server.received[0];
        assert.ok(request);
        assert.equal(`${request.method} ${request.path}`, expected.replace(" ", ` zones/${ZONE}/`));
        assert.equal(request.headers.authorization, `Bearer ${TOKEN}`);
        assert.equal(request.headers["content-type"], body === undefined ? undefined : "application/json");
        assert.deepEqual(request.body === "" ? undefined : JSON.parse(request.body), body);
      });
    }

    it("in the other spelling of the service: path, boolean and field name", async () => {
      const c = desk.client({ service: "page_shield" });
      desk.server.script(ok({ ...WIRE_POLICY, enabled: true }));
      assert.equal((await c.createPolicy(ZONE, POLICY)).enabled, true);
      desk.server.script(ok({ enabled: true, use_cloudflare_reporting_endpoint: false }));
      await c.updateSettings(ZONE, { useVendorReportingEndpoint: false });
      assert.deepEqual(
        desk.server.received.map(({ path, body }) => [path, JSON.parse(body)]),
        [
          [`zones/${ZONE}/page_shield/policies`, POLICY],
          [`zones/${ZONE}/page_shield`, { use_cloudflare_reporting_endpoint: false }],
        ],
      );
    });
  });

  it("reads back what the answer of an update does not show", async () => {
    desk.server.script(
      ok({ enabled: true, updated_at: "t" }),
      ok({ enabled: true, use_connection_url_path: true }),
    );
    const settings = await desk.client().updateSettings(ZONE, { enabled: true, useConnectionUrlPath: true });
    assert.equal(settings.useConnectionUrlPath, true);
    assert.deepEqual(
      desk.server.received.map(({ method }) => method),
      ["PUT", "GET"],
    );
    desk.server.script(ok({ enabled: true, updated_at: "t" }));
    await desk.client().updateSettings(ZONE, { enabled: true });
    assert.equal(desk.server.received.length, 3, "nothing to read back");
  });

  it("reads a policy, and an entry point, back when the update answers with something else", async () => {
    desk.server.script(ok({}), ok(WIRE_POLICY));
    assert.equal((await desk.client().updatePolicy(ZONE, "p1", POLICY)).policyId, "p1");
    const rule = { action: "skip", expression: "true" };
    desk.server.script(ok(null), ok({ id: "e", rules: [rule] }));
    assert.equal((await desk.client().putEntrypoint(ZONE, { rules: [rule] })).rulesetId, "e");
  });

  it("reports that a change may be in force when it was accepted and reading it back fails", async () => {
    const changes: readonly (() => Promise<unknown>)[] = [
      () => desk.client().updateSettings(ZONE, { enabled: true, useConnectionUrlPath: true }),
      () => desk.client().updatePolicy(ZONE, "p1", POLICY),
      () => desk.client().putEntrypoint(ZONE, { rules: [{ action: "skip", expression: "true" }] }),
    ];
    for (const change of changes) {
      for (const status of [400, 403, 404]) {
        desk.server.script(ok({ enabled: true }), refusal(status, 1, "no reading today"));
        const error = await failure(change());
        assert.equal(error.code, "PG_READ_BACK");
        assert.ok(error instanceof ApiError && error.outcome === "unknown");
        assert.match(error.message, /accepted the change, but reading it back failed: .*no reading today/);
      }
    }
  });

  it("counts a deletion as done with 204, with 200, and when the object does not exist", async () => {
    desk.server.script(raw(204, ""), ok(null), refusal(404, 10007, "not found"));
    for (let n = 0; n < 3; n += 1) await desk.client().deletePolicy(ZONE, "p1");
  });

  it("does not mistake a gateway's own 404 for a deleted object", async () => {
    for (const body of ["<html>not here</html>", "", "no"]) {
      desk.server.script(raw(404, body));
      assert.equal((await failure(desk.client().deletePolicy(ZONE, "p1"))).code, "PG_UNEXPECTED_ANSWER");
      assert.equal((await failure(desk.client().getEntrypoint(ZONE))).code, "PG_UNEXPECTED_ANSWER");
      assert.equal((await failure(desk.client().getPolicy(ZONE, "p1"))).code, "PG_UNEXPECTED_ANSWER");
    }
  });

  it("returns undefined for an entry point that was never configured, but not for a malformed zone id", async () => {
    desk.server.script(refusal(404, 10003, "could not find entrypoint ruleset"));
    assert.equal(await desk.client().getEntrypoint(ZONE), undefined);
    desk.server.script(refusal(400, 10003, "could not find entrypoint ruleset"));
    assert.equal(await desk.client().getEntrypoint(ZONE), undefined);
    desk.server.script(refusal(404, 7003, "Could not route to /zones/x"));
    assert.equal((await failure(desk.client().getEntrypoint("x"))).code, "PG_NOT_FOUND");
    assert.equal((await failure(desk.client().deletePolicy("x", "p"))).code, "PG_NOT_FOUND");
  });

  it("has no overrides where the old API no longer exists, and otherwise all pages of them", async () => {
    for (const gone of [refusal(404, 1, "x"), raw(410, "Gone"), raw(404, "<html>")]) {
      desk.server.script(gone);
      assert.deepEqual(await desk.client().listUriOverrides(ZONE), []);
    }
    const page = (n: number) => ok([{ id: `o${n}`, urls: [] }], { page: n, per_page: 1, total_pages: 3 });
    desk.server.script(page(1), page(2), page(3));
    assert.deepEqual(
      (await desk.client().listUriOverrides(ZONE)).map(({ id }) => id),
      ["o1", "o2", "o3"],
    );
  });

  it("explains how long an item is kept when it no longer exists", async () => {
    desk.server.script(refusal(404, 10404, "not found"));
    const error = await failure(desk.client().getItem("scripts", ZONE, "abc"));
    assert.equal(error.code, "PG_ITEM_GONE");
    assert.match(error.message, /abc[\s\S]*5 days[\s\S]*7 days[\s\S]*30/);
  });
});
