import assert from "node:assert/strict";
import { inspect } from "node:util";
import fc from "fast-check";
import type { PageGuardClient } from "../../../provider/src/api/create-client";
import { createClient } from "../../../provider/src/api/create-client";
import type { Transport, TransportResult } from "../../../provider/src/api/http/transport";
import { redact, removeToken } from "../../../provider/src/api/http/without-token";
import { RateLimiter } from "../../../provider/src/api/rate-limit/rate-limiter";
import { ApiError } from "../../../provider/src/errors/api-error";
import { check } from "../../support/random-runs";
import { FakeClock } from "../virtual-time/fake-clock";
import { POLICY } from "./scripted-client";
import { ZONE } from "./scripted-server";

const TOKEN = "v1.0-SeCrEt_tOkEn-0123456789";

/** Returns every text of an error that could reach a log: message, stack, own properties, JSON. */
function everything(error: unknown): string {
  assert.ok(error instanceof Error);
  const shown = inspect(error, { depth: 20, showHidden: true });
  return [shown, error.stack, JSON.stringify(error), String(error)].join("\n");
}

const calls: ((c: PageGuardClient) => Promise<unknown>)[] = [
  (c) => c.getSettings(ZONE),
  (c) => c.createPolicy(ZONE, POLICY),
  (c) => c.deletePolicy(ZONE, "p"),
  (c) => c.getEntrypoint(ZONE),
  (c) => c.migrate(ZONE, "pending", { rules: [] }),
  (c) => c.listAll("scripts", ZONE),
  (c) => c.getItem("cookies", ZONE, "c"),
];

/** Texts that contain the token, possibly with an invisible character in it. */
const leaking = fc
  .tuple(
    fc.string({ unit: "binary" }),
    fc.nat(TOKEN.length),
    fc.constantFrom("", "\u0000", "\u200b", "\u001b", "\u00ad"),
  )
  .map(([around, cut, between]) => `${around}${TOKEN.slice(0, cut)}${between}${TOKEN.slice(cut)}${around}`);

/** Returns envelopes with a text that contains the token. */
const inEnvelope = (write: (text: string) => object) => leaking.map((text) => JSON.stringify(write(text)));

const body = fc.oneof(
  leaking,
  inEnvelope((text) => ({ success: false, errors: [{ code: 1, message: text }], result: null })),
  inEnvelope((text) => ({ success: false, errors: [{ source: { pointer: text } }, { message: text }] })),
  inEnvelope((text) => ({ success: true, result: { [text]: text, enabled: text, id: [text] } })),
  inEnvelope((text) => ({ success: true, result: [{ [text]: text, url: { [text]: 1 } }] })),
  leaking.map((text) => `<html>${text}</html>`),
);

const result: fc.Arbitrary<TransportResult> = fc.record({
  answer: fc.record({
    status: fc.constantFrom(200, 200, 204, 302, 400, 401, 403, 404, 408, 409, 410, 429, 500, 503),
    headers: fc.record({
      "cf-ray": fc.option(leaking, { nil: undefined }),
      "x-request-id": leaking,
      "retry-after": fc.constantFrom(undefined, "0", "9999", TOKEN),
      "content-type": leaking,
    }),
    body,
  }),
});

describe("The token", () => {
  it("does not appear in any error, whatever the service sends back", async () => {
    let failures = 0;
    await check(
      fc.asyncProperty(result, fc.nat(calls.length - 1), async (answer, index) => {
        const clock = new FakeClock();
        const transport: Transport = () => Promise.resolve(answer);
        const limiter = new RateLimiter(clock);
        const connection = { baseUrl: "https://x.example/v4", token: TOKEN, service: "page_guard" } as const;
        const call = calls[index]?.(createClient(connection, { transport, limiter, clock }));
        const outcome = call?.then(() => undefined).catch((error: unknown) => error);
        await clock.run(3_600_000);
        const error = await outcome;
        if (error === undefined) return;
        failures += 1;
        assert.ok(error instanceof ApiError, everything(error));
        const shown = everything(error);
        assert.ok(!shown.includes(TOKEN), shown);
        assert.ok(!shown.replace(/[^\x21-\x7e]/g, "").includes(TOKEN), "not even in pieces");
      }),
    );
    assert.ok(failures > 0);
  });

  it("does not appear in part at the end of a long text that is cut", () => {
    for (let before = 150; before < 210; before += 1) {
      const text = redact(`${"x".repeat(before)}${TOKEN} and more ${"y".repeat(300)}`, TOKEN);
      assert.ok(text.length <= 200);
      assert.ok(!text.includes(TOKEN.slice(0, 4)), text);
    }
  });
});

/** Returns the body of a response after the token was removed from it. */
const clean = (text: string, token: string) =>
  removeToken({ status: 200, headers: {}, body: text }, token).body;
const encodeAll = (text: string, write: (code: string) => string) =>
  [...text].map((one) => write(one.charCodeAt(0).toString(16).padStart(2, "0"))).join("");

describe("A token in a response is removed", () => {
  // Together they have every character that a regular expression, JSON, a URL or base64 treats specially.
  const tokens = ["plain-Token_1", "a+b/c=d.e*f?g", "(x)[y]{z}|^$", "back\\slash/é"];
  for (const [index, token] of tokens.entries()) {
    // Each case needs its own token, because the module caches the patterns of a token.
    const fresh = (form: string) => `${token}${index}${form.length}${form}`;
    const forms: readonly [string, (text: string) => string][] = [
      ["as plain text", (text) => text],
      ["in JSON", (text) => JSON.stringify(text).slice(1, -1)],
      ["in JSON with slashes escaped", (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/")],
      ["as lower-case Unicode escapes", (text) => encodeAll(text, (code) => `\\u00${code.toLowerCase()}`)],
      ["as upper-case Unicode escapes", (text) => encodeAll(text, (code) => `\\u00${code.toUpperCase()}`)],
      ["percent-encoded in lower case", (text) => encodeAll(text, (code) => `%${code.toLowerCase()}`)],
      ["percent-encoded in upper case", (text) => encodeAll(text, (code) => `%${code.toUpperCase()}`)],
    ];
    for (const [form, write] of forms) {
      it(`${form}: ${token}`, () => {
        const secret = fresh(form);
        assert.equal(clean(`x${write(secret)}y`, secret), "x[token]y");
        assert.equal(clean(`${write(secret)}${write(secret)}`, secret), "[token][token]", "each time");
      });
    }
  }

  const writings: Record<string, (encoded: Buffer) => string> = {
    base64: (encoded) => encoded.toString("base64"),
    "base64 for URLs": (encoded) => encoded.toString("base64url"),
    "base64 with escaped slashes": (encoded) => encoded.toString("base64").replaceAll("/", "\\/"),
    "base64 in a URL": (encoded) => encodeURIComponent(encoded.toString("base64")),
  };
  for (const [name, write] of Object.entries(writings)) {
    it(`in ${name}, at any offset in the encoded text, with each character that encodes a part of it`, () => {
      for (const before of ["", "a", "ab", "abc", "user:", "Bearer "]) {
        for (const after of ["", "z", "zz", "zzz"]) {
          for (const end of ["", "A", "Ab"]) {
            // The encoded token contains both characters in which the two base64 alphabets differ.
            const token = `~~~??>>>${before}${after}~?>${end}`;
            const text = clean(`<${write(Buffer.from(before + token + after))}>`, token);
            const [left = "", right = ""] = text.slice(1, -1).split("[token]");
            assert.ok(text.includes("[token]"), text);
            assert.ok(left.length <= Math.floor((before.length * 4) / 3), `${before} before it: ${text}`);
            assert.ok(
              right.replace(/=|%3D/g, "").length <= Math.ceil((after.length * 4) / 3),
              `${after} behind it: ${text}`,
            );
          }
        }
      }
    });
  }

  it("in base64, if it occurs twice in a row", () => {
    for (const token of ["token-of-12ch", "token-of-13chr", "token-of-14char"]) {
      const encoded = Buffer.from(token).toString("base64url");
      assert.equal(clean(`${encoded}${encoded}`, token), "[token][token]");
    }
  });

  it("in base64 with invisible characters in it, which a message does not show", () => {
    const encoded = Buffer.from("Bearer token-of-a-message").toString("base64");
    const hidden = `${encoded.slice(0, 20)}\u200b${encoded.slice(20)}`;
    const message = redact(`refused: ${hidden}!`, "token-of-a-message");
    assert.match(message, /^refused: \w{0,10}\[token\]!$/);
  });

  it("from headers, and the other headers stay as they are", () => {
    const token = "secret-of-headers";
    const headers = { "x-a": `a ${token} b`, "x-b": "b", "x-c": undefined };
    assert.deepEqual(removeToken({ status: 201, headers, body: "{}" }, token), {
      status: 201,
      headers: { "x-a": "a [token] b", "x-b": "b", "x-c": undefined },
      body: "{}",
    });
  });

  it("only if it is long enough not to be an ordinary word", () => {
    assert.equal(clean("1234567", "1234567"), "1234567");
    assert.equal(clean("12345678", "12345678"), "[token]");
  });

  it("literally, although it contains characters of regular expressions", () => {
    assert.equal(clean("axbxcxdxe", "a.b.c.d.e"), "axbxcxdxe");
    assert.equal(clean("abcdefgh", "abcdefg+"), "abcdefgh");
  });
});
