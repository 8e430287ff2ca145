import assert from "node:assert/strict";
import fc from "fast-check";
import { hostsOf } from "../../csp/src";
import { holds, hostileText } from "./random";

describe("hostsOf", () => {
  /** An expression, hosts that it selects, hosts that it does not select, and hosts that it may select. */
  const tests: readonly [string, readonly string[], readonly string[], (readonly string[])?][] = [
    ['http.host eq "shop.example"', ["shop.example"], ["www.shop.example", "a"]],
    ["http.host eq shop.example", ["shop.example"], ["a"]],
    ['http.host=="Shop.Example"', [], ["shop.example"]],
    ['(http.host eq "a") or (http.host eq b)', ["a", "b"], ["c"]],
    ['http.host eq "a" || http.host eq "b" or http.host eq "a"', ["a", "b"], ["c"]],
    ['http.host in {"a" "b"}', ["a", "b"], ["c", "A"]],
    ['ends_with(http.host, ".shop.example")', ["a.shop.example"], ["shop.example", "ashop.example"]],
    ['lower(http.host) eq "a" or upper(http.host) eq "B"', ["a", "b"], ["c"]],
    ['ends_with(lower(http.host), ".x")', ["a.x"], ["x"]],
    ['http.host wildcard "*.Shop.example"', ["a.shop.example"], ["shop.example"]],
    ['http.host strict wildcard "*.Shop.example"', [], ["a.shop.example"]],
    ['http.host wildcard "a*b*c.x"', ["abc.x", "a1b2c.x"], ["ab.x", "acb.x", "abc.xy", "zabc.x"]],
    ['http.host wildcard "ab*ba"', ["abba", "abcba"], ["aba"]],
    ['http.host wildcard r"a\\*" or http.host wildcard "b\\\\\\\\"', ["a*", "b\\"], ["ab", "b"]],
    ['http.host wildcard r"foo?*\\*\\\\"', ["foo?*\\", "foo?bar*\\"], ["foo?x\\"]],
    ['http.host wildcard "foo?*\\\\*\\\\\\\\"', ["foo?*\\", "foo?bar*\\"], ["foo?x\\"]],
    ['http.host strict wildcard r"¯\\\\_(ツ*)_/¯"', ["¯\\_(ツ)_/¯"], ["¯_(ツ)_/¯"]],
    ['http.host wildcard "?"', ["?"], ["x"]],
    ['http.host contains "shop"', ["my-shop.x"], ["a"]],
    ['http.host ne "a"', ["b"], ["a"]],
    ['not http.host eq "a"', ["b"], ["a"]],
    ['!(http.host in {"a" "b"})', ["c"], ["a", "b"]],
    ['http.host eq "a" xor http.host wildcard "*"', ["b"], ["a"]],
    ['ends_with(http.host, ".x") and not http.host eq "a.x"', ["b.x"], ["a.x", "a"]],
    ['http.host eq "a" and http.host eq "b"', [], ["a", "b"]],
    ['http.host eq "a" and http.request.uri.path eq "/pay"', [], ["b"], ["a"]],
    ['ssl and (http.host eq "a" or http.host eq "b")', [], ["c"], ["a", "b"]],
    ['http.host eq "a" or (ssl and http.host eq "b")', ["a"], ["c"], ["b"]],
    ['http.host ne "a" and http.host in $hosts', [], ["a"], ["b"]],
    ['http.host eq "a" and any(http.request.headers["x"][*] eq ")")', [], ["b"], ["a"]],
    ['http.host in {"a" ")" "}"}', ["a", ")", "}"], ["b"]],
    ["http.host in {}", [], ["a"]],
    [`${"(".repeat(99)}http.host eq "a"${")".repeat(99)}`, ["a"], ["b"]],
    [Array(150).fill("http.host eq a").join(" or "), ["a"], ["b"]],
    [`http.host eq "a"${" ".repeat(4080)}`, ["a"], ["b"]],
  ];
  for (const [expression, selected, others, possible = []] of tests) {
    it(`reads ${expression.slice(0, 80)}`, () => {
      const selection = hostsOf(expression);
      assert.ok(selection.decided, JSON.stringify(selection));
      assert.equal(selection.isSuperset, possible.length > 0);
      for (const host of selected) assert.equal(selection.selects(host), true, host);
      for (const host of others) assert.equal(selection.selects(host), false, host);
      for (const host of possible) assert.equal(selection.selects(host), undefined, host);
    });
  }

  const undecided: readonly [string, RegExp][] = [
    ["true", /^it selects every host$/],
    ["", /empty/],
    ['http.host wildcard "*"', /^it selects every host$/],
    ['http.host ne "a" or http.host ne "b"', /^it selects every host$/],
    ['http.request.uri.path eq "/pay"', /^it tests http\.request\.uri\.path$/],
    ['http.host eq "a" or http.request.uri.path eq "/pay"', /http\.request\.uri\.path/],
    ["http.host in $hosts", /^it refers to the list \$hosts$/],
    ['http.host matches "a|b"', /^it tests http\.host with matches$/],
    ['http.host gt "a"', /^it tests http\.host with gt$/],
    ['http.host eq "a" or', /^it ends where a test belongs, after or/],
    ['(http.host eq "a"', /never closed/],
    ['ends_with(http.request.uri.path, ".x")', /^it tests ends_with\(…\)$/],
    ["ends_with(http.host, x)", /^it tests ends_with\(…\)$/],
    ['ends_with(http.host, ".x", ".y")', /^it tests ends_with\(…\)$/],
    ["ends_with(http.host)", /^it tests ends_with\(…\)$/],
    ['ends_with(http.host, ".x")[0]', /^it tests ends_with\[…\]$/],
    ['constructor(http.host, "x")', /^it tests constructor\(…\)$/],
    ['lower(ssl) eq "a"', /^it tests lower\(…\)$/],
    ['lower() eq "a"', /^it tests lower\(…\)$/],
    ['lower(http.host, "b") eq "a"', /^it tests lower\(…\)$/],
    ['http.request.headers["a"][0] eq "b"', /^it tests http\.request\.headers\[…\]$/],
    ["ssl and http.request.version", /^it tests ssl$/],
    [`http.host eq "a"${" ".repeat(4081)}`, /^it is longer than 4096 characters$/],
    ["(".repeat(5000), /too deeply/],
    ["not ".repeat(5000), /too deeply/],
    ["{".repeat(5000), /where a test belongs/],
    [`a in ${"{".repeat(5000)}`, /too deeply/],
    ["a[".repeat(5000), /too deeply/],
  ];
  for (const [expression, reason] of undecided) {
    it(`does not decide ${expression.slice(0, 60)}`, () => {
      const selection = hostsOf(expression);
      assert.equal(selection.decided, false);
      if (!selection.decided) assert.match(selection.reason, reason);
    });
  }

  it("decides about each host as an evaluation of the expression does", () => {
    const hosts = ["a.x", "b.x", "a.y", "b.b.x", "x", "unnamed"];
    type Test = { text: string; selects: (host: string, isSecure: boolean) => boolean };
    const test: fc.Arbitrary<Test> = fc.oneof(
      fc
        .constantFrom(...hosts.slice(0, -1))
        .chain((host) =>
          fc.constantFrom<Test>(
            { text: `http.host eq "${host}"`, selects: (actual) => actual === host },
            { text: `http.host != "${host}"`, selects: (actual) => actual !== host },
            { text: `http.host in {"x" "${host}"}`, selects: (actual) => actual === host || actual === "x" },
          ),
        ),
      fc
        .constantFrom(".x", ".b.x", "x")
        .chain((end) =>
          fc.constantFrom<Test>(
            { text: `ends_with(http.host, "${end}")`, selects: (actual) => actual.endsWith(end) },
            { text: `http.host wildcard "*${end.toUpperCase()}"`, selects: (actual) => actual.endsWith(end) },
            { text: `http.host contains "${end}"`, selects: (actual) => actual.includes(end) },
          ),
        ),
      fc.constant<Test>({ text: "ssl", selects: (_, isSecure) => isSecure }),
    );
    const { expression } = fc.letrec<{ expression: Test }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 4, depthIdentifier: "expression" },
        test,
        fc
          .tuple(tie("expression"), fc.constantFrom("and", "or", "xor", "&&", "||"), tie("expression"))
          .map(([a, operator, b]) => ({
            text: `(${a.text} ${operator} ${b.text})`,
            selects: (host: string, isSecure: boolean) => {
              const [left, right] = [a.selects(host, isSecure), b.selects(host, isSecure)];
              if (operator === "xor") return left !== right;
              return operator === "and" || operator === "&&" ? left && right : left || right;
            },
          })),
        tie("expression").map((inner) => ({
          text: `not ${inner.text}`,
          selects: (host: string, isSecure: boolean) => !inner.selects(host, isSecure),
        })),
      ),
    }));
    holds(
      fc.property(expression, ({ text, selects }) => {
        const selection = hostsOf(text);
        for (const host of hosts) {
          const actual = selection.selects(host);
          assert.ok(actual !== undefined || text.includes("ssl"), `${text} is not decided for ${host}`);
          for (const isSecure of [true, false])
            if (actual !== undefined) assert.equal(actual, selects(host, isSecure), `${text}, ${host}`);
        }
      }),
      1000,
    );
  });

  it("never fails, for any text", () => {
    holds(
      fc.property(hostileText, (text) => typeof hostsOf(text).decided === "boolean"),
      1000,
    );
  });
});
