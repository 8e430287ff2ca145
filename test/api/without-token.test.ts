import assert from "node:assert/strict";
import { withoutToken } from "../../provider/src/api/without-token";

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

  it("in base64 of either alphabet, wherever it stands in what was encoded", () => {
    for (const before of ["", "a", "ab", "abc", "user:"]) {
      for (const after of ["", "z", "zz"]) {
        // These have both signs in which the alphabets differ.
        const token = `~~~??>>>${before}${after}ÿ`.replace("ÿ", "~?>");
        const encoded = Buffer.from(`${before}${token}${after}`);
        for (const alphabet of ["base64", "base64url"] as const) {
          const text = cleaned(`<${encoded.toString(alphabet)}>`, token);
          assert.ok(text.includes("[token]"), `${alphabet} after ${JSON.stringify(before)}: ${text}`);
          // What is left at the ends is of what stood beside it, and a character that both share.
          assert.ok(text.length < before.length * 2 + after.length * 2 + 18, text);
        }
      }
    }
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
