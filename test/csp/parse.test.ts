import assert from "node:assert/strict";
import parseBySpec from "content-security-policy-parser";
import fc from "fast-check";
import { parse, toDirectives } from "../../csp/src";
import { each } from "../support/each";
import { holds, hostileText, policyText } from "./random";

describe("parse", () => {
  const told = (all: readonly { readonly name: string; readonly values: readonly string[] }[]) =>
    all.map(({ name, values }) => [name, ...values].join(" "));

  it("reads directives in their order, with names in lower case and all positions", () => {
    const text = " Script-Src 'self'  cdn.example.com ;img-src *";
    const { directives, ignored } = parse(text);
    assert.deepEqual(told(directives), ["script-src 'self' cdn.example.com", "img-src *"]);
    assert.deepEqual(ignored, []);
    const [first] = directives;
    assert.ok(first);
    const cut = ({ offset, length }: { offset: number; length: number }) =>
      text.slice(offset, offset + length);
    assert.equal(cut(first.position), "Script-Src 'self'  cdn.example.com");
    assert.deepEqual(first.valuePositions.map(cut), ["'self'", "cdn.example.com"]);
  });

  it("uses the first of two directives with the same name, and reports why browsers ignore others", () => {
    const { directives, ignored } = parse(
      "img-src a; IMG-SRC b; a_b x; img-src b\u00fc.example; font-src a\u0007",
    );
    assert.deepEqual(told(directives), ["img-src a"]);
    assert.deepEqual(told(ignored), ["img-src b", "a_b x", "img-src b\u00fc.example", "font-src a\u0007"]);
    assert.deepEqual(each(ignored, "reason"), ["duplicate", "bad-name", "duplicate", "bad-character"]);
  });

  it("ignores a directive with a bad character, and the next one with its name", () => {
    const { directives, ignored } = parse("img-src bücher.example; IMG-SRC b");
    assert.deepEqual([directives, each(ignored, "reason")], [[], ["bad-character", "duplicate"]]);
  });

  it("treats __proto__ and similar names like any other name", () => {
    for (const name of ["__proto__", "constructor", "tostring", "hasownproperty"]) {
      const before = Object.getOwnPropertyNames(Object.prototype);
      const policy = parse(`${name} polluted; script-src 'self'`);
      assert.deepEqual(toDirectives(policy)["script-src"], ["'self'"]);
      assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), before);
      assert.equal(Object.getPrototypeOf(toDirectives(policy)), Object.prototype);
    }
    assert.deepEqual(parse("constructor a").directives[0]?.values, ["a"]);
  });

  it("reads the same as the parser of the Helmet project, for any policy", () => {
    holds(
      fc.property(policyText, (text) => {
        assert.deepEqual(Object.entries(toDirectives(parse(text))), [...parseBySpec(text)]);
      }),
    );
  });

  it("never fails, and each position has the text that it should have, for any text", () => {
    holds(
      fc.property(hostileText, (text) => {
        const { directives, ignored } = parse(text);
        for (const { name, values, position, valuePositions } of [...directives, ...ignored]) {
          const start = text.slice(position.offset, position.offset + name.length);
          assert.equal(start.toLowerCase(), name.toLowerCase());
          for (const [index, { offset, length }] of valuePositions.entries()) {
            assert.equal(text.slice(offset, offset + length), values[index]);
          }
        }
      }),
      1000,
    );
  });
});
