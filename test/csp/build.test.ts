import assert from "node:assert/strict";
import fc from "fast-check";
import { build, lint, parse, toDirectives } from "../../csp/src";
import { CspError } from "../../csp/src/syntax/build";
import { holds, policyText } from "./random";

const name = fc.stringMatching(/^[a-z0-9-]{1,12}$/);
const value = fc.stringMatching(/^[!-+\--:<-~]{1,20}$/);
const directives = fc.dictionary(fc.oneof(name, fc.constantFrom("img-src", "constructor")), fc.array(value));

describe("build", () => {
  it("returns a text that parses to the same directives, for any directives", () => {
    holds(
      fc.property(directives, (given) => {
        assert.deepEqual(toDirectives(parse(build(given))), { ...given });
      }),
      1000,
    );
  });

  it("returns the same text for the parsed policy, so the text is canonical", () => {
    holds(
      fc.property(policyText, (text) => {
        const policy = parse(text);
        const built = build(policy);
        assert.deepEqual(toDirectives(parse(built)), toDirectives(policy));
        assert.equal(build(parse(built)), built);
      }),
    );
  });

  it("ignores the order and the case of names", () => {
    const given = { "X-mine": ["1"], "img-src": [], "Script-Src": ["b", "a"], "default-src": ["'self'"] };
    assert.equal(build(given), "default-src 'self'; script-src b a; img-src; x-mine 1");
  });

  it("puts directives that the service does not support last, sorted by name", () => {
    for (const order of ["bac", "cba", "abc"]) {
      const names = [...order].map((letter) => `x-${letter}`);
      const given = Object.fromEntries([...names, "img-src"].map((one) => [one, ["'self'"]]));
      assert.equal(build(given), "img-src 'self'; x-a 'self'; x-b 'self'; x-c 'self'");
    }
  });

  const refused: readonly [string, string][] = [
    ["a b", "white space"],
    ["a\tb", "white space"],
    ["a;b", "%3B"],
    ["a,b", "%2C"],
    ["", "as its own string"],
    ["bücher.example", "punycode"],
    ["a\u0000", "punycode"],
    // The message shows only the beginning of a long value.
    [`${"a".repeat(79)};`, `"${"a".repeat(79)};" cannot be a source of img-src.`],
    [`${"a".repeat(80)};`, `"${"a".repeat(80)}…" cannot be a source of img-src.`],
  ];
  for (const [bad, advice] of refused) {
    it(`refuses ${JSON.stringify(bad)}, and names the directive and the fix`, () => {
      assert.throws(
        () => build({ "img-src": ["'self'", bad] }),
        (error: unknown) =>
          error instanceof CspError &&
          error.code === "PG_CSP" &&
          error.facts.property === "directives.img-src[1]" &&
          error.message.includes(advice),
      );
    });
  }

  it("refuses invalid names, and one name in two spellings", () => {
    for (const bad of ["__proto__", "", "a b", "img-src;", "ä"]) {
      assert.throws(() => build(JSON.parse(`{${JSON.stringify(bad)}: ["a"]}`)), CspError, bad);
    }
    assert.throws(() => build({ "img-src": ["a"], "IMG-SRC": ["b"] }), /img-src is given more than once/);
  });

  it("never lets a value end its directive, for any value", () => {
    holds(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        let built: string;
        try {
          built = build({ "img-src": [text], "script-src": ["'none'"] });
        } catch (error) {
          assert.ok(error instanceof CspError);
          return;
        }
        assert.deepEqual(toDirectives(parse(built)), { "img-src": [text], "script-src": ["'none'"] });
        assert.ok(!lint(built).some(({ ruleId }) => ruleId === "comma"));
      }),
    );
  });
});
