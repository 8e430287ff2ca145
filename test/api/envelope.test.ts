import assert from "node:assert/strict";
import { readAnswer } from "../../provider/src/api/wire/envelope";

const read = (status: number, body: unknown, method?: string, type = "application/json") =>
  readAnswer(
    {
      status,
      headers: { "content-type": type },
      body: typeof body === "string" ? body : JSON.stringify(body),
    },
    method,
  );

describe("readAnswer", () => {
  it("removes the envelope, and keeps what it says about the list", () => {
    const info = { page: 2, per_page: 20, total_count: 90, total_pages: 5, count: 20 };
    assert.deepEqual(read(200, { success: true, result: { id: "a" }, result_info: info }), {
      kind: "ok",
      result: { id: "a" },
      info: { page: 2, perPage: 20, totalCount: 90, totalPages: 5 },
    });
    assert.deepEqual(read(299, { success: true, result: [], result_info: { page: null } }), {
      kind: "ok",
      result: [],
      info: {},
    });
    assert.deepEqual(read(200, { success: true, result: 1 }), { kind: "ok", result: 1, info: undefined });
  });

  it("accepts an empty answer to a deletion, and to nothing else", () => {
    const nothing = { kind: "ok", result: undefined, info: undefined };
    assert.deepEqual(read(204, "", "PUT"), nothing);
    assert.deepEqual(read(200, " ", "DELETE"), nothing);
    assert.deepEqual(read(299, "", "DELETE"), nothing);
    assert.equal(read(300, "", "DELETE").kind, "unreadable");
    assert.equal(read(199, "", "DELETE").kind, "refusal");
    assert.equal(read(200, "x", "DELETE").kind, "unreadable");
    assert.equal(read(200, "", "GET").kind, "unreadable");
    assert.equal(read(200, "").kind, "unreadable");
  });

  it("reads a refusal in the service's own words: all messages, the first code and pointer", () => {
    const errors = [
      { code: "10003", message: "one", source: { pointer: "/a" } },
      { code: 7, message: null },
      { code: 8, message: "two", source: { pointer: "/b" } },
    ];
    const refusal = { kind: "refusal", enveloped: true, apiCode: 10003, message: "one; two", pointer: "/a" };
    assert.deepEqual(read(404, { success: false, errors }), { ...refusal, status: 404 });
    // Either word of failure is enough.
    assert.deepEqual(read(200, { success: false, errors }), { ...refusal, status: 200 });
    assert.deepEqual(read(500, { success: true, errors }), { ...refusal, status: 500 });
    assert.deepEqual(read(300, { success: true, errors }), { ...refusal, status: 300 });
    assert.deepEqual(read(400, { success: false, errors: [] }), {
      ...{ kind: "refusal", status: 400, enveloped: true },
      ...{ apiCode: undefined, message: "", pointer: undefined },
    });
    assert.deepEqual(read(400, { success: false, errors: [{ code: "x" }] }), {
      ...{ kind: "refusal", status: 400, enveloped: true },
      ...{ apiCode: undefined, message: "", pointer: undefined },
    });
  });

  it("takes a failure in other words for that of a gateway, and a redirect for no answer", () => {
    for (const status of [199, 400, 404, 502])
      assert.deepEqual(read(status, "<html>"), { kind: "refusal", status, enveloped: false });
    for (const status of [300, 302, 399])
      assert.deepEqual(read(status, "<html>"), {
        kind: "unreadable",
        cut: false,
        problem: "it is a redirect to another address",
      });
  });

  const unreadable: readonly [string, string, object][] = [
    ["", "application/json", { cut: false, problem: "its body is empty" }],
    [" \n", "application/json", { cut: false, problem: "its body is empty" }],
    [" <p>", "text/plain", { cut: false, problem: "it is an HTML page instead of JSON" }],
    ["hello", "text/html", { cut: false, problem: "it is an HTML page instead of JSON" }],
    [' {"success": tr', "application/json", { cut: true, problem: "its JSON is cut off or damaged" }],
    ["hello", "text/plain", { cut: false, problem: "it is not JSON" }],
    ["[]", "application/json", { cut: false, problem: "it is JSON without the usual envelope" }],
    ["null", "application/json", { cut: false, problem: "it is JSON without the usual envelope" }],
    ["1", "application/json", { cut: false, problem: "it is JSON without the usual envelope" }],
    ["{}", "application/json", { cut: false, problem: "it should be true or false", field: "success" }],
  ];
  for (const [body, type, expected] of unreadable) {
    it(`explains why ${JSON.stringify(body)} as ${type} cannot be read`, () => {
      assert.deepEqual(read(200, body, "GET", type), { kind: "unreadable", ...expected });
    });
  }
});
