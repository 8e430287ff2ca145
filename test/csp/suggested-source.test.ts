import assert from "node:assert/strict";
import { byReadingOrder, sourceOf, withoutCovered } from "../../csp/src/suggest/suggested-source";
import { toRequestUrl } from "../../csp/src/syntax/request-url";

describe("The source that allows a URL", () => {
  const rows: readonly [string, string, string, string | undefined][] = [
    ["https://a.example/x/y.js", "https", "", "a.example"],
    ["https://a.example/x/y.js", "http", "", "a.example"],
    // An extension's page: its scheme says nothing about the web.
    ["https://a.example/x/y.js", "app", "", "https://a.example"],
    ["http://a.example/", "http", "", "http://a.example"],
    ["wss://a.example/", "https", "", "wss://a.example"],
    ["https://a.example:8443/", "https", "", "a.example:8443"],
    ["https://a.example:8443/", "http", "", "https://a.example:8443"],
    ["https://a.example/x/y.js", "https", "/x/", "a.example/x/"],
    ["https://a.example/y.js", "https", "/", "a.example"],
    ["https://a.example/x/y.js", "https", "/x/y.js", "a.example/x/y.js"],
    ["blob:https://a.example/1", "https", "", "blob:"],
    ["https://[::1]/", "https", "", undefined],
    ["https://a_b.example/", "https", "", undefined],
  ];
  for (const [url, pageScheme, path, expected] of rows) {
    it(`${url} on a page on ${pageScheme}, at ${path || "the host"}: ${expected}`, () => {
      const read = toRequestUrl(url) ?? assert.fail(url);
      assert.equal(sourceOf(read, path, pageScheme), expected);
    });
  }
});

describe("Sources that others cover", () => {
  const rows: readonly [readonly string[], readonly string[]][] = [
    [["a.example", "a.example/x"], ["a.example"]],
    [["a", "a/x"], ["a"]],
    [["https://a.example/x", "https://a.example"], ["https://a.example"]],
    [["a.example/x/y.js", "a.example/x/"], ["a.example/x/"]],
    [["a.example/x/y/z.js", "a.example/x/"], ["a.example/x/"]],
    [
      ["a.example/xx", "a.example/x"],
      ["a.example/x", "a.example/xx"],
    ],
    [["a.example/x/"], ["a.example/x/"]],
    [
      ["a.exampl", "a.example"],
      ["a.exampl", "a.example"],
    ],
    [
      ["a.b.example", "*.b.example", "b.example"],
      ["*.b.example", "b.example"],
    ],
    // Another scheme is another source.
    [
      ["a.example", "http://a.example/x"],
      ["a.example", "http://a.example/x"],
    ],
  ];
  for (const [given, left] of rows) {
    it(`of ${given.join(" ")} are left out but for ${left.join(" ")}`, () =>
      assert.deepEqual(withoutCovered(new Set(given)), left));
  }
});

describe("The order of a suggestion", () => {
  it("is 'self' and the like, schemes, and hosts by name, whatever order they came in", () => {
    const ordered = [
      "'self'",
      "'unsafe-eval'",
      "blob:",
      "data:",
      "a.example",
      "http://a.example",
      "https://a.example",
      "http://b.example",
      "c.example",
    ];
    assert.deepEqual([...ordered].reverse().sort(byReadingOrder), ordered);
    assert.deepEqual([...ordered].sort(byReadingOrder), ordered);
    const mixed = [3, 8, 1, 6, 0, 4, 7, 2, 5].map((at) => ordered[at] ?? "");
    assert.deepEqual(mixed.sort(byReadingOrder), ordered);
  });
});
