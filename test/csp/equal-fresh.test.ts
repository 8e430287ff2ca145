import assert from "node:assert/strict";
import { equalPolicies, onlyAllowsMore } from "../../provider/src/csp/index";
import { canonicalSource } from "../../provider/src/csp/syntax/source-text";

let count = 0;
/** A host that no text had before: what a text means is kept for the next time. */
const fresh = () => `h${process.pid}-${process.hrtime.bigint()}-${count++}.example`;

describe("equalPolicies, of texts that were never seen", () => {
  const pairs: readonly [string, (host: string) => string, (host: string) => string, boolean][] = [
    ["order of sources", (h) => `img-src a ${h} b`, (h) => `img-src b a ${h}`, true],
    ["order of directives", (h) => `img-src ${h}; font-src a`, (h) => `font-src a; img-src ${h}`, true],
    ["order of what is no list of sources", (h) => `sandbox a ${h}`, (h) => `sandbox ${h} a`, false],
    ["a source less", (h) => `img-src a ${h}`, (h) => `img-src ${h}`, false],
    ["another directive", (h) => `img-src ${h}`, (h) => `font-src ${h}`, false],
    ["a directive that is overridden", (h) => `img-src ${h}; img-src b`, (h) => `img-src ${h}`, true],
    ["one that cannot be read", (h) => `img-src ${h}; font-src ü`, (h) => `img-src ${h}`, false],
    ["a policy twice", (h) => `img-src ${h}, img-src ${h}`, (h) => `img-src ${h}`, true],
    ["an empty policy", (h) => `img-src ${h}, `, (h) => `img-src ${h}`, true],
    ["a policy more", (h) => `img-src ${h}, font-src a`, (h) => `img-src ${h}`, false],
    ["a wildcard", (h) => `img-src *.${h}`, (h) => `img-src ${h}`, false],
    ["a port", (h) => `img-src ${h}:8080`, (h) => `img-src ${h}`, false],
  ];
  for (const [what, a, b, expected] of pairs) {
    it(`${what}: ${expected ? "the same" : "another policy"}`, () => {
      const host = fresh();
      assert.equal(equalPolicies(a(host), b(host)), expected);
      const other = fresh();
      assert.equal(equalPolicies(b(other), a(other)), expected);
    });
  }
});

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

describe("onlyAllowsMore, of what is odd", () => {
  const cases: readonly [string, string, boolean][] = [
    ["img-src a; font-src ü", "img-src a b; font-src ü", false],
    ["img-src a; img-src ü", "img-src a b", true],
    ["script-src 'unsafe-inline' 'sha256-AA'", "script-src 'unsafe-inline' 'sha256-AA' a", true],
    ["script-src 'unsafe-eval'", "script-src *", false],
    ["script-src ws:", "script-src *", true],
    ["script-src wss://a", "script-src *", true],
    ["script-src x-mine:", "script-src *", false],
    ["script-src x-mine://a", "script-src *", false],
    ["script-src a", "script-src * b", true],
    ["script-src https://a", "script-src a b", false],
    ["img-src ü", "img-src ü", true],
    ["script-src 'none'", "script-src a, script-src 'none'", false],
    [
      "sandbox; upgrade-insecure-requests; img-src a",
      "upgrade-insecure-requests; sandbox; img-src a b",
      true,
    ],
    ["script-src *:8080", "script-src *:*", true],
    ["connect-src wss://a", "connect-src ws://a", true],
    ["script-src a:8080", "script-src a", false],
    ["script-src https://a:8080", "script-src http://a", false],
    ["script-src https://a:8080", "script-src http://a:*", true],
  ];
  for (const [before, after, expected] of cases)
    it(`${before} and ${after}: ${expected}`, () => assert.equal(onlyAllowsMore(before, after), expected));
});
