import assert from "node:assert/strict";
import { evaluatorSpelling } from "../../csp/src/lint/evaluator-spelling";

describe("a source as csp_evaluator can read it", () => {
  const spellings: readonly [string, string | undefined][] = [
    ["https://A.Example:8443/", "a.example"],
    ["http://*.A.example", "*.a.example"],
    ["a.example/Path", "a.example/Path"],
    ["a.example/", "a.example"],
    ["https://*", "*"],
    ["*:*", "*"],
    ["*", "*"],
    ["HTTPS:", "https:"],
    ["'Unsafe-Inline'", "'unsafe-inline'"],
    ["'nonce-AbC'", "'nonce-AbC'"],
    [
      "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
      "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    ],
    ["a_b.example", undefined],
    ["'slef'", undefined],
    // A host by the grammar, and none that a URL could have.
    ["1.2.3.999", undefined],
  ];
  for (const [source, expected] of spellings) {
    it(`takes ${source} for ${expected ?? "nothing"}`, () => {
      assert.equal(evaluatorSpelling(source), expected);
    });
  }
});
