import assert from "node:assert/strict";
import { redact, withoutToken } from "../../../provider/src/api/http/without-token";

/** With everything that a regular expression, JSON, a URL or base64 writes in a way of its own. */
const cleaned = (text: string, token: string) =>
  withoutToken({ status: 200, headers: {}, body: text }, token).body;
const written = (text: string, write: (code: string) => string) =>
  [...text].map((one) => write(one.charCodeAt(0).toString(16).padStart(2, "0"))).join("");

describe("an answer that repeats the token", () => {
  const tokens = ["plain-Token_1", "a+b/c=d.e*f?g", "(x)[y]{z}|^$", "back\\slash/é"];
  for (const [index, token] of tokens.entries()) {
    // Another token each time: what was made for one is kept.
    const fresh = (form: string) => `${token}${index}${form.length}${form}`;
    const forms: readonly [string, (text: string) => string][] = [
      ["as it is", (text) => text],
      ["in JSON", (text) => JSON.stringify(text).slice(1, -1)],
      ["in JSON with slashes escaped", (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/")],
      ["in escapes of lower case", (text) => written(text, (code) => `\\u00${code.toLowerCase()}`)],
      ["in escapes of upper case", (text) => written(text, (code) => `\\u00${code.toUpperCase()}`)],
      ["percent-encoded in lower case", (text) => written(text, (code) => `%${code.toLowerCase()}`)],
      ["percent-encoded in upper case", (text) => written(text, (code) => `%${code.toUpperCase()}`)],
    ];
    for (const [form, write] of forms) {
      it(`${form}: ${token}`, () => {
        const secret = fresh(form);
        assert.equal(cleaned(`x${write(secret)}y`, secret), "x[token]y");
        assert.equal(cleaned(`${write(secret)}${write(secret)}`, secret), "[token][token]", "each time");
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
    it(`in ${name}, wherever it is in what was encoded, with each character that is partly of it`, () => {
      for (const before of ["", "a", "ab", "abc", "user:", "Bearer "]) {
        for (const after of ["", "z", "zz", "zzz"]) {
          for (const end of ["", "A", "Ab"]) {
            // These have both signs in which the alphabets differ.
            const token = `~~~??>>>${before}${after}~?>${end}`;
            const text = cleaned(`<${write(Buffer.from(before + token + after))}>`, token);
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

  it("in base64 twice, one right behind the other", () => {
    for (const token of ["token-of-12ch", "token-of-13chr", "token-of-14char"]) {
      const encoded = Buffer.from(token).toString("base64url");
      assert.equal(cleaned(`${encoded}${encoded}`, token), "[token][token]");
    }
  });

  it("in base64 with characters in it that are not seen, once they are taken out for a message", () => {
    const encoded = Buffer.from("Bearer token-of-a-message").toString("base64");
    const hidden = `${encoded.slice(0, 20)}\u200b${encoded.slice(20)}`;
    const message = redact(`refused: ${hidden}!`, "token-of-a-message");
    assert.match(message, /^refused: \w{0,10}\[token\]!$/);
  });

  it("in headers, and leaves the rest as it is", () => {
    const token = "secret-of-headers";
    const headers = { "x-a": `a ${token} b`, "x-b": "b", "x-c": undefined };
    assert.deepEqual(withoutToken({ status: 201, headers, body: "{}" }, token), {
      status: 201,
      headers: { "x-a": "a [token] b", "x-b": "b", "x-c": undefined },
      body: "{}",
    });
  });

  it("looks for no token that is as short as a word", () => {
    assert.equal(cleaned("1234567", "1234567"), "1234567");
    assert.equal(cleaned("12345678", "12345678"), "[token]");
  });

  it("takes no sign of the token for one of a pattern", () => {
    assert.equal(cleaned("axbxcxdxe", "a.b.c.d.e"), "axbxcxdxe");
    assert.equal(cleaned("abcdefgh", "abcdefg+"), "abcdefgh");
  });
});
