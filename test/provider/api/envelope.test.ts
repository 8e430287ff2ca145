import assert from "node:assert/strict";
import { encodePathId } from "../../../provider/src/api/wire/requests";
import { InputError } from "../../../provider/src/errors/page-guard-error";
import { each } from "../../support/each";
import { failure, useScriptedServer } from "./scripted-client";
import { json, ZONE } from "./scripted-server";

describe("Unusual responses that are valid:", () => {
  const desk = useScriptedServer();
  const { client } = desk;

  it("an envelope without a result means a refusal or an object that was not found", async () => {
    desk.server.script(json(400, { success: false, errors: [{ code: 1, message: "no room" }] }));
    await assert.rejects(client().getSettings(ZONE), /no room/);
    const never = [{ code: 10003, message: "could not find entrypoint" }];
    desk.server.script(json(404, { success: false, errors: never }));
    assert.equal(await client().getEntrypoint(ZONE), undefined);
  });

  it("errors are quoted in every form, and one without a code does not hide the code of another", async () => {
    const full = { code: "1004", message: "no room", source: { pointer: "/value" } };
    for (const errors of [["no room"], [null, full], [{ message: "first" }, "second", full], [7, full]]) {
      desk.server.script(json(400, { success: false, errors, result: null }));
      const error = await failure(client().getSettings(ZONE));
      assert.match(error.message, errors.length > 1 ? /because of \/value[\s\S]*no room/ : /no room/);
      assert.equal(error.facts.apiCode, errors.length > 1 ? 1004 : undefined);
    }
    const never = [{ message: "no rules" }, { code: 10003, message: "could not find entrypoint ruleset" }];
    desk.server.script(json(404, { success: false, errors: never }));
    assert.equal(await client().getEntrypoint(ZONE), undefined);
  });

  it("all pages of a list of policies are read, and a list with one page needs one request", async () => {
    const all = Array.from({ length: 5 }, (_, index) => ({
      id: index + 1,
      description: null,
      action: "add_reporting_directives",
      enabled: true,
      ...(index === 4 ? { expression: null, value: null } : { expression: "true", value: "img-src x" }),
    }));
    for (const [size, requests] of [
      [2, 4],
      [5, 1],
    ] as const) {
      const before = desk.server.received.length;
      desk.server.script((response, _socket, { path }) => {
        const page = Number(new URL(path, "http://x/").searchParams.get("page") ?? 1);
        const result = all.slice((page - 1) * size, page * size);
        const total = { total_count: "5", total_pages: `${Math.ceil(5 / size)}` };
        const info = { page: `${page}`, per_page: `${size}`, count: result.length, ...total };
        const envelope = { success: true, errors: null, messages: null, result, result_info: info };
        response.end(`\ufeff${JSON.stringify(envelope)}`);
      });
      const policies = await client().listPolicies(ZONE);
      assert.deepEqual(each(policies, "policyId"), ["1", "2", "3", "4", "5"]);
      assert.equal(policies[4]?.value, "");
      assert.equal(desk.server.received.length - before, requests);
    }
  });

  it("times may be seconds or milliseconds since 1970", async () => {
    const item = { id: "a".repeat(32), url: "https://x.example/", added_at: 1704067200 };
    desk.server.script(json(200, { success: true, result: { ...item, last_seen_at: 1704067200123 } }));
    const { addedAt, lastSeenAt } = await client().getItem("connections", ZONE, item.id);
    assert.deepEqual([addedAt, lastSeenAt], ["2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00.123Z"]);
  });

  it("numbers may be strings, so that one score in a string does not make a list unreadable", async () => {
    const scores = { js_integrity_score: "30", dataflow_score: "-1" };
    const item = { id: "a".repeat(32), url: "https://x.example/", ...scores };
    desk.server.script(json(200, { success: true, result: item }));
    const { jsIntegrityScore, dataflowScore } = await client().getItem("scripts", ZONE, item.id);
    assert.deepEqual([jsIntegrityScore, dataflowScore], [30, -1]);
    desk.server.script(json(200, { success: true, result: { ...item, js_integrity_score: "many" } }));
    const message = /result\.js_integrity_score\): expected a number/;
    await assert.rejects(client().getItem("scripts", ZONE, item.id), { message });
    desk.server.script(json(200, { success: true, result: { compatible: true, migration_state: 2 } }));
    assert.equal((await client().getCompatibility(ZONE)).migrationState, "2");
  });

  it("an id that would change the path of a request is refused before anything is sent", async () => {
    for (const id of ["..", ".", "", "a/b", "%2e%2e", "a?b", "p#q", "\u202eid", "x".repeat(129)]) {
      const isShort = (error: Error) => error instanceof InputError && error.message.length < 260;
      assert.throws(() => encodePathId(id, "policyId"), isShort);
      await assert.rejects(client().deletePolicy(ZONE, id), { code: "PG_INPUT" });
      await assert.rejects(client().getItem("scripts", ZONE, id), { code: "PG_INPUT" });
      await assert.rejects(client().getSettings(id), { code: "PG_INPUT" });
      await assert.rejects(client().putEntrypoint(id, { rules: [] }), { code: "PG_INPUT" });
    }
    // White space would otherwise be invisible in the message.
    assert.throws(() => encodePathId("zone\n", "zoneId"), /cannot be an id: "zone\\n"\./);
    assert.equal(desk.server.received.length, 0);
    for (const id of ["a-B_9", "a".repeat(128)]) assert.equal(encodePathId(id, "id"), id);
  });
});
