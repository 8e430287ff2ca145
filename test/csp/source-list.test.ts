import assert from "node:assert/strict";
import { SourceList } from "../../csp/src/match/source-list";

const list = (values: string) => new SourceList(values.split(" "));

describe("A list of sources, as a whole", () => {
  for (const [values, expected] of [
    ["*", true],
    ["https:", true],
    ["http:", true],
    ["wss:", false],
    ["*:*", true],
    ["*:*/", true],
    ["https://*:*", true],
    ["http://*:*", true],
    ["ws://*:*", false],
    ["*:*/a", false],
    ["*:443", false],
    ["https://*", false],
    ["*.example:*", false],
    ["cdn.example:*", false],
  ] as const) {
    it(`${values}: any host is ${expected ? "" : "not "}allowed`, () => {
      assert.equal(list(`'self' ${values}`).allowsAnyHost, expected);
    });
  }

  for (const [values, expected] of [
    ["'unsafe-inline'", true],
    ["'self'", false],
    ["'unsafe-inline' 'nonce-abc'", false],
    ["'unsafe-inline' 'sha256-abc'", false],
    // Those of URLs and of what is evaluated say nothing about what stands in the page.
    ["'unsafe-inline' 'url-sha256-abc'", true],
    ["'unsafe-inline' 'eval-sha256-abc'", true],
    ["'unsafe-inline' 'nonce-'", true],
  ] as const) {
    it(`${values}: what is in the page is ${expected ? "" : "not "}allowed`, () => {
      assert.equal(list(values).allowsAllInline, expected);
    });
  }
});
