import assert from "node:assert/strict";
import fc from "fast-check";
import { build, equalPolicies, matches, parse } from "../../csp/src";
import { holds, policyText, request } from "./random";

describe("equalPolicies", () => {
  const same: readonly [string, string][] = [
    ["script-src 'self'; img-src *", "  IMG-SRC\t* ;; Script-Src 'SELF';"],
    ["img-src a b", "img-src b a b"],
    ["img-src HTTPS://A.Example/Path", "img-src https://a.example/Path"],
    ["img-src https://a.example", "img-src https://a.example/"],
    ["img-src *.a.example:8443/", "img-src *.A.example:8443"],
    ["img-src 'none'", "img-src"],
    ["img-src a.example/%61", "img-src a.example/a"],
    ["img-src a/js%2F", "img-src a/js%2f"],
    ["img-src a; img-src b", "img-src a"],
    ["", " ; "],
    ["img-src a, img-src b", "img-src b , img-src a,"],
  ];
  for (const [a, b] of same) {
    it(`takes ${JSON.stringify(a)} and ${JSON.stringify(b)} for the same`, () => {
      assert.equal(equalPolicies(a, b), true);
      assert.equal(equalPolicies(b, a), true);
    });
  }

  const different: readonly [string, string][] = [
    ["img-src a", "img-src b"],
    ["img-src a", "font-src a"],
    ["img-src a/Path", "img-src a/path"],
    ["img-src a/b/", "img-src a/b"],
    ["img-src a", "img-src a; font-src a"],
    ["img-src 'none'", ""],
    ["img-src a; img-src b", "img-src b; img-src a"],
    ["img-src self", "img-src 'self'"],
    ["script-src 'nonce-AA'", "script-src 'nonce-aa'"],
    ["img-src bücher.example", "img-src bäcker.example"],
    ["sandbox a b", "sandbox b a"],
    ["img-src a, img-src b", "img-src a b"],
    ["img-src https://a", "img-src a"],
    ["img-src a/js%2F", "img-src a/js/"],
    ["img-src *", "img-src */"],
  ];
  for (const [a, b] of different) {
    it(`distinguishes ${JSON.stringify(a)} from ${JSON.stringify(b)}`, () => {
      assert.equal(equalPolicies(a, b), false);
      assert.equal(equalPolicies(b, a), false);
    });
  }

  it("means: the same requests are allowed, whatever they are", () => {
    const shuffled = policyText.chain((text) => {
      const directives = parse(text).directives.map(({ name, values }) =>
        fc
          .tuple(fc.shuffledSubarray([...values], { minLength: values.length }), fc.boolean())
          .map(([sources, upper]) => [upper ? name.toUpperCase() : name, ...sources].join("  ")),
      );
      return fc
        .tuple(...directives)
        .chain((parts) => fc.shuffledSubarray(parts, { minLength: parts.length }))
        .map((parts) => [text, parts.join(" ; ")] as const);
    });
    holds(
      fc.property(shuffled, request, ([text, other], one) => {
        assert.ok(equalPolicies(text, other), `${text} | ${other}`);
        assert.equal(matches(text, one), matches(other, one));
        assert.ok(equalPolicies(text, build(parse(text))));
      }),
      500,
    );
  });
});

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
