import assert from "node:assert/strict";
import { redact, removeToken } from "../../../provider/src/api/http/without-token";

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
