import assert from "node:assert/strict";
import parseBySpec from "content-security-policy-parser";
import fc from "fast-check";
import { parse, toDirectives } from "../../csp/src";
import { holds, hostileText, policyText } from "./random";

describe("parse", () => {
  it("reads directives in their order, with lower-case names and the place of everything", () => {
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

  it("lets the first of two directives of a name count, and keeps the other for whoever asks", () => {
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

  it("takes __proto__ and its like for names as any other", () => {
    for (const name of ["__proto__", "constructor", "tostring", "hasownproperty"]) {
      const before = Object.getOwnPropertyNames(Object.prototype);
      const policy = parse(`${name} polluted; script-src 'self'`);
      assert.deepEqual(toDirectives(policy)["script-src"], ["'self'"]);
      assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), before);
      assert.equal(Object.getPrototypeOf(toDirectives(policy)), Object.prototype);
    }
    assert.deepEqual(parse("constructor a").directives[0]?.values, ["a"]);
  });

  it("reads what the parser of the Helmet project reads, for any policy", () => {
    holds(
      fc.property(policyText, (text) => {
        assert.deepEqual(Object.entries(toDirectives(parse(text))), [...parseBySpec(text)]);
      }),
    );
  });

  it("does not fail for any text, and every place it names holds what it says", () => {
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
