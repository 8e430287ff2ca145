import assert from "node:assert/strict";
import { lint } from "../../csp/src";

const HASH = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/** Rule, policy, and each place that it is found at: the text that an editor underlines, and the directive. */
const PLACES: readonly (readonly [string, string, readonly (readonly [string, string | undefined])[]])[] = [
  ["empty-policy", " ; ", [[" ; ", undefined]]],
  ["empty-policy", "a_b; img-src 'self'", []],
  [
    "unknown-directive",
    "img-src *; scrip-src 'self'; a b",
    [
      ["scrip-src", "scrip-src"],
      ["a", "a"],
    ],
  ],
  ["unsupported-directive", "img-src *; style-src-attr 'self'", [["style-src-attr", "style-src-attr"]]],
  ["unsupported-directive", "sandbox allow-scripts", [["sandbox", "sandbox"]]],
  ["duplicate-directive", "img-src a; img-src b c d", [["img-src b c d", "img-src"]]],
  ["duplicate-directive", "img-src a; font-src \u0007", []],
  ["missing-semicolon", "img-src a script-src b", [["script-src", "img-src"]]],
  [
    "missing-semicolon",
    "img-src a IMG-SRC worker-src",
    [
      ["IMG-SRC", "img-src"],
      ["worker-src", "img-src"],
    ],
  ],
  ["missing-semicolon", "img-src a-b sandbox", []],
  [
    "value-not-allowed",
    "img-src *; upgrade-insecure-requests yes",
    [["upgrade-insecure-requests yes", "upgrade-insecure-requests"]],
  ],
  ["value-not-allowed", "upgrade-insecure-requests img-src *", []],
  ["none-with-others", "img-src a 'NONE'; font-src 'none'", [["'NONE'", "img-src"]]],
  ["none-with-others", "script-src 'none' 'report-sample'", []],
  ["none-with-others", "sandbox 'none' a", []],
  ["empty-source-list", "img-src a; font-src; sandbox", [["font-src", "font-src"]]],
  ["strict-dynamic", "img-src a; script-src 'self' 'STRICT-dynamic'", [["'STRICT-dynamic'", "script-src"]]],
  ["strict-dynamic", "sandbox 'strict-dynamic'", []],
  ["wrong-quotes", 'img-src a; script-src "self"', [['"self"', "script-src"]]],
  ["unquoted-keyword", "img-src a; script-src a self", [["self", "script-src"]]],
  ["unknown-keyword", "img-src a; script-src a 'slef'", [["'slef'", "script-src"]]],
  [
    "nonce",
    "img-src a; script-src nonce-AB 'NONCE-ab'",
    [
      ["nonce-AB", "script-src"],
      ["'NONCE-ab'", "script-src"],
    ],
  ],
  ["hash-format", "img-src a; script-src 'sha384-abc'", [["'sha384-abc'", "script-src"]]],
  ["frame-ancestors-source", "img-src a; frame-ancestors 'self' a b", [["a", "frame-ancestors"]]],
  ["frame-ancestors-source", "frame-ancestors b\u0007 a", [["a", "frame-ancestors"]]],
  ["unquoted-keyword", "frame-ancestors a self", [["self", "frame-ancestors"]]],
  ["wildcard-in-host", "img-src a a.*.b", [["a.*.b", "img-src"]]],
  ["wildcard-in-path", "img-src a a/*", [["a/*", "img-src"]]],
  ["invalid-source", "img-src a a_b:80", [["a_b:80", "img-src"]]],
  ["comma", "img-src a, b", [["a,", "img-src"]]],
  ["comma", "sandbox a,b", [["a,b", "sandbox"]]],
  [
    "control-character",
    "img-src a b\u0007 c\u007f",
    [
      ["b\u0007", "img-src"],
      ["c\u007f", "img-src"],
    ],
  ],
  ["non-ascii", "img-src a bücher.example", [["bücher.example", "img-src"]]],
  [
    "query-in-source",
    "img-src a a/b?c a/d#e",
    [
      ["a/b?c", "img-src"],
      ["a/d#e", "img-src"],
    ],
  ],
  [
    "dead-unsafe-inline",
    `img-src a; style-src a 'unsafe-inline' ${HASH}`,
    [["'unsafe-inline'", "style-src"]],
  ],
  ["unlisted-keyword", "script-src 'self' 'wasm-unsafe-eval'", [["'wasm-unsafe-eval'", "script-src"]]],
  ["script-scheme", "img-src blob:; script-src a blob:", [["blob:", "script-src"]]],
  [
    "http-source",
    "img-src a ws://b http:",
    [
      ["ws://b", "img-src"],
      ["http:", "img-src"],
    ],
  ],
  ["ip-source", "img-src a 192.0.2.7 127.0.0.1", [["192.0.2.7", "img-src"]]],
  [
    "duplicate-source",
    "img-src a b 'SELF' 'self' a A/b a/b",
    [
      ["'self'", "img-src"],
      ["a", "img-src"],
      ["a/b", "img-src"],
    ],
  ],
  [
    "covered-source",
    "img-src a/x A https://a/y b",
    [
      ["a/x", "img-src"],
      ["https://a/y", "img-src"],
    ],
  ],
  [
    "ftp-source",
    "img-src 'self' ftp: FTP://a; sandbox ftp:",
    [
      ["ftp:", "img-src"],
      ["FTP://a", "img-src"],
    ],
  ],
  ["missing-base-uri", "script-src 'self'", [["script-src 'self'", "base-uri"]]],
  [
    "missing-form-action",
    "img-src a; default-src 'self'",
    [["img-src a; default-src 'self'", "form-action"]],
  ],
  ["blocks-inline", "img-src a; script-src 'self'", [["script-src 'self'", "script-src"]]],
];

describe("lint: the place of a finding", () => {
  for (const [ruleId, policy, places] of PLACES) {
    it(`${ruleId} in ${JSON.stringify(policy)}`, () => {
      const found = lint(policy).filter((finding) => finding.ruleId === ruleId);
      assert.deepEqual(
        found.map(({ position: { offset, length }, directive }) => [
          policy.slice(offset, offset + length),
          directive,
        ]),
        places,
      );
    });
  }

  it("is the second one where a source is there twice", () => {
    const [finding] = lint("img-src a.example a.example").filter(
      ({ ruleId }) => ruleId === "duplicate-source",
    );
    assert.deepEqual(finding?.position, { offset: 18, length: 9 });
  });
});
