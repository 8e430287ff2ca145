import assert from "node:assert/strict";
import { canonicalSource } from "../../csp/src/syntax/source-text";

describe("the one spelling of a source", () => {
  const spellings: readonly [string, string][] = [
    ["https://*", "https://*"],
    ["*:8080", "*:8080"],
    ["*.A.example", "*.a.example"],
    ["A.example:443/B%61", "a.example:443/Ba"],
    ["HTTPS:", "https:"],
  ];
  for (const [text, expected] of spellings)
    it(`of ${text} is ${expected}`, () => assert.equal(canonicalSource(text), expected));
});
