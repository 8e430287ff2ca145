import assert from "node:assert/strict";
import parseBySpec from "content-security-policy-parser";
import fc from "fast-check";
import { parse, toDirectives } from "../../csp/src";
import { holds, hostileText, policyText } from "./random";

describe("parse", () => {
  it("reads directives in their order, with names in lower case and all positions", () => {
    const text = " Script-Src 'self'  cdn.example.com ;img-src *";
    const { directives, ignored } = parse(text);
    assert.deepEqual(
      directives.map(({ name, values }) => [name, ...values]),
      [
        ["script-src", "'self'", "cdn.example.com"],
        ["img-src", "*"],
      ],
    );
    assert.deepEqual(ignored, []);
    const [first] = directives;
    assert.ok(first);
    const cut = ({ offset, length }: { offset: number; length: number }) =>
      text.slice(offset, offset + length);
    assert.equal(cut(first.position), "Script-Src 'self'  cdn.example.com");
    assert.deepEqual(first.valuePositions.map(cut), ["'self'", "cdn.example.com"]);
  });

  it("uses the first of two directives with the same name, and returns the other as ignored", () => {
    const { directives, ignored } = parse("img-src a; IMG-SRC b");
    assert.deepEqual(
      directives.map(({ values }) => values),
      [["a"]],
    );
    assert.deepEqual(
      ignored.map(({ reason, values }) => [reason, ...values]),
      [["duplicate", "b"]],
    );
  });

  it("reports why browsers ignore a directive", () => {
    const { directives, ignored } = parse("a_b x; img-src bücher.example; font-src a\u0007; IMG-SRC b");
    assert.deepEqual(directives, []);
    assert.deepEqual(
      ignored.map(({ name, reason }) => [name, reason]),
      [
        ["a_b", "bad-name"],
        ["img-src", "bad-character"],
        ["font-src", "bad-character"],
        ["img-src", "duplicate"],
      ],
    );
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
          assert.equal(
            text.slice(position.offset, position.offset + name.length).toLowerCase(),
            name.toLowerCase(),
          );
          for (const [index, { offset, length }] of valuePositions.entries()) {
            assert.equal(text.slice(offset, offset + length), values[index]);
          }
        }
      }),
      1000,
    );
  });
});
