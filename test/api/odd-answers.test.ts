import assert from "node:assert/strict";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { createClient } from "../../provider/src/api/create-client";
import { withoutToken } from "../../provider/src/api/http/without-token";
import { iterateItems } from "../../provider/src/api/paging/iterate-items";
import { listAllItems } from "../../provider/src/api/paging/list-items";
import { readAnswer } from "../../provider/src/api/wire/envelope";
import { pathId } from "../../provider/src/api/wire/requests";
import { PageGuardError } from "../../provider/src/errors/page-guard-error";
import { json, raw, type ScriptedServer, startScriptedServer, TOKEN, ZONE } from "./scripted-server";

describe("Answers that are odd and right", () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await startScriptedServer();
  });
  afterEach(() => server.stop());

  const client = () => createClient({ baseUrl: server.baseUrl, token: TOKEN, service: "page_guard" });

  it("a deletion is done with 200 and an empty body", async () => {
    server.script(raw(200, ""));
    await client().deletePolicy(ZONE, "p1");
    server.script(raw(200, " \n"));
    await client().deletePolicy(ZONE, "p1");
  });

  it("an empty body to anything else is no answer", () => {
    const reading = readAnswer({ status: 200, headers: {}, body: "" }, "PUT");
    assert.equal(reading.kind, "unreadable");
  });

  it("an envelope without result is an answer: a deletion, a refusal, something not found", async () => {
    server.script(json(200, { success: true, errors: [], messages: [] }));
    await client().deletePolicy(ZONE, "p1");
    server.script(json(400, { success: false, errors: [{ code: 1, message: "no room" }] }));
    await assert.rejects(client().getSettings(ZONE), /no room/);
    server.script(
      json(404, { success: false, errors: [{ code: 10003, message: "could not find entrypoint" }] }),
    );
    assert.equal(await client().getEntrypoint(ZONE), undefined);
  });

  it("policies in pages are all read; a whole answer is requested once", async () => {
    const all = Array.from({ length: 5 }, (_, index) => ({
      ...{ id: index + 1, description: null, action: "log", enabled: true },
      ...(index === 4 ? { expression: null, value: null } : { expression: "true", value: "img-src x" }),
    }));
    for (const [size, requests] of [
      [2, 4],
      [5, 1],
    ] as const) {
      const before = server.received.length;
      server.script((response, _socket, { path }) => {
        const page = Number(new URL(path, "http://x/").searchParams.get("page") ?? 1);
        const result = all.slice((page - 1) * size, page * size);
        const total = { total_count: "5", total_pages: `${Math.ceil(5 / size)}` };
        const info = { page: `${page}`, per_page: `${size}`, count: result.length, ...total };
        response.end(
          `\ufeff${JSON.stringify({ success: true, errors: null, messages: null, result, result_info: info })}`,
        );
      });
      const policies = await client().listPolicies(ZONE);
      assert.deepEqual(
        policies.map(({ policyId }) => policyId),
        ["1", "2", "3", "4", "5"],
      );
      assert.equal(policies[4]?.value, "");
      assert.equal(server.received.length - before, requests);
    }
  });

  it("points in time may be seconds or milliseconds since 1970", async () => {
    const item = { id: "a".repeat(32), url: "https://x.example/", added_at: 1704067200 };
    server.script(json(200, { success: true, result: { ...item, last_seen_at: 1704067200123 } }));
    const { addedAt, lastSeenAt } = await client().getItem("connections", ZONE, item.id);
    assert.deepEqual([addedAt, lastSeenAt], ["2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00.123Z"]);
  });

  it("numbers may be written as text: one score so written makes no list unreadable", async () => {
    const item = {
      id: "a".repeat(32),
      url: "https://x.example/",
      js_integrity_score: "30",
      dataflow_score: "-1",
    };
    server.script(json(200, { success: true, result: item }));
    const { jsIntegrityScore, dataflowScore } = await client().getItem("scripts", ZONE, item.id);
    assert.deepEqual([jsIntegrityScore, dataflowScore], [30, -1]);
    server.script(json(200, { success: true, result: { ...item, js_integrity_score: "many" } }));
    await assert.rejects(client().getItem("scripts", ZONE, item.id), {
      message: /result\.js_integrity_score: expected a number/,
    });
    server.script(json(200, { success: true, result: { compatible: true, migration_state: 2 } }));
    assert.equal((await client().getCompatibility(ZONE)).migrationState, "2");
  });

  it("a coding of the body is not requested, and decoded where it comes nevertheless", async () => {
    const text = JSON.stringify({ success: true, result: { enabled: true } });
    for (const [coding, body] of [
      ["identity", Buffer.from(text)],
      ["GZIP", gzipSync(text)],
      ["deflate", deflateSync(text)],
      ["br", brotliCompressSync(text)],
    ] as const) {
      server.script((response) => response.setHeader("Content-Encoding", coding).end(body));
      assert.equal((await client().getSettings(ZONE)).enabled, true, coding);
    }
    assert.equal(server.received[0]?.headers["accept-encoding"], "identity");
    const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024));
    for (const body of [Buffer.from("not coded at all"), bomb]) {
      server.script((response) => response.setHeader("content-encoding", "gzip").end(body));
      await assert.rejects(client().getSettings(ZONE), { code: "PG_UNEXPECTED_ANSWER" });
    }
  });

  it("the token that an answer repeats is nowhere in what comes of it, however it is written", async () => {
    const inUrl = [...TOKEN].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join("");
    const inJson = [...TOKEN].map((sign) => `\\u00${sign.charCodeAt(0).toString(16)}`).join("");
    const texts = [TOKEN, `Bearer ${TOKEN}`, inUrl, `<${TOKEN}>`].map((text) => JSON.stringify(text));
    for (const text of [...texts, `"${inJson}"`]) {
      const policy = `{"id":"p1","description":${text},"action":"log","expression":"true","enabled":"true","value":"x"}`;
      server.script(raw(200, `{"success":true,"errors":[],"messages":[],"result":${policy}}`));
      const read = JSON.stringify(await client().getPolicy(ZONE, "p1"));
      assert.match(read, /\[token\]/);
      assert.ok(!decodeURIComponent(read).includes(TOKEN), read);
    }
    for (const before of ["", "a", "ab", "user:"]) {
      const encoded = Buffer.from(`${before}${TOKEN}:more`).toString("base64");
      const { body } = withoutToken({ status: 200, headers: {}, body: `"${encoded}"` }, TOKEN);
      const left = Buffer.from(body.replace(/\[token\]/, ""), "base64").toString();
      assert.ok(!left.includes(TOKEN.slice(3, -3)), left);
    }
    const { headers } = withoutToken(
      { status: 200, headers: { "x-request-id": `id-${TOKEN}` }, body: "" },
      TOKEN,
    );
    assert.deepEqual(headers, { "x-request-id": "id-[token]" });
  });

  it("leaves everything else of an answer as it is", () => {
    const body = JSON.stringify({ text: "nothing to see, test-token-0123456789abcde" });
    assert.equal(withoutToken({ status: 200, headers: {}, body }, TOKEN).body, body);
  });

  it("an id that would lead elsewhere is refused before anything is sent", async () => {
    for (const id of ["..", ".", "", "a/b", "%2e%2e", "a?b", "p#q", "\u202eid", "x".repeat(200)]) {
      assert.throws(() => pathId(id, "policyId"), PageGuardError);
      await assert.rejects(client().deletePolicy(ZONE, id), { code: "PG_INPUT" });
      await assert.rejects(client().getItem("scripts", ZONE, id), { code: "PG_INPUT" });
      await assert.rejects(client().getSettings(id), { code: "PG_INPUT" });
      await assert.rejects(client().putEntrypoint(id, { rules: [] }), { code: "PG_INPUT" });
    }
    assert.equal(server.received.length, 0);
  });
});

describe("Lists that do not end", () => {
  const page = (from: number, size: number) =>
    Array.from({ length: size }, (_, index) => ({ id: `item-${from + index}` }));

  it("a service that claims a million items and has one page gets few requests", async () => {
    for (const again of [page(0, 100), []]) {
      let asked = 0;
      const read = async (number: number) => {
        asked += 1;
        return { items: number === 1 ? page(0, 100) : again, info: { totalCount: 1_000_000, perPage: 100 } };
      };
      const items = await listAllItems(read);
      assert.equal(items.length, 100);
      assert.ok(asked < 100, `${asked} requests`);
      asked = 0;
      let handed = 0;
      for await (const _ of iterateItems(read)) handed += 1;
      assert.equal(handed, 100);
      assert.ok(asked < 100, `${asked} requests`);
    }
  });

  it("a list that never ends is stopped with an error that says so", async () => {
    const endless = async (number: number, perPage: number) => ({
      items: page(number * perPage, perPage),
      info: { totalCount: Number.MAX_SAFE_INTEGER },
    });
    const code = { code: "PG_ENDLESS_LIST", message: /did not end after 10000 pages/ };
    await assert.rejects(listAllItems(endless), code);
    await assert.rejects(async () => {
      for await (const _ of iterateItems(endless));
    }, code);
    assert.equal((await listAllItems(endless, { limit: 250 })).length, 250);
  });
});
