import assert from "node:assert/strict";
import fc from "fast-check";
import { hostsOf } from "../../csp/src";
import { holds, hostileText } from "./random";

function decided(expression: string): readonly [readonly string[], readonly string[], boolean] {
  const selection = hostsOf(expression);
  assert.ok(selection.decided, JSON.stringify(selection));
  return [selection.hosts, selection.suffixes, selection.isSuperset];
}

describe("hostsOf", () => {
  const tests: readonly [string, readonly string[], readonly string[], boolean?][] = [
    ['http.host eq "shop.example"', ["shop.example"], []],
    ["http.host eq shop.example", ["shop.example"], []],
    ['http.host=="Shop.Example"', ["shop.example"], []],
    ['HTTP.HOST EQ "a"', ["a"], []],
    ['(http.host eq "a") or (http.host eq b)', ["a", "b"], []],
    ['http.host eq "a" || http.host eq "b" or http.host eq "a"', ["a", "b"], []],
    ['http.host in {"a" "b"}', ["a", "b"], []],
    ["http.host in {a b}", ["a", "b"], []],
    ['ends_with(http.host, ".shop.example")', [], [".shop.example"]],
    ['ends_with(http.host,".x") or http.host eq "x"', ["x"], [".x"]],
    ['lower(http.host) eq "a"', ["a"], []],
    ['http.host wildcard "*.shop.example"', [], [".shop.example"]],
    ['http.host strict wildcard r"shop.example"', ["shop.example"], []],
    ['http.host eq r#"a"#', ["a"], []],
    ['http.host eq "a" and http.request.uri.path eq "/pay"', ["a"], [], true],
    ['ssl and (http.host eq "a" or http.host eq "b")', ["a", "b"], [], true],
    ['http.host in {"a.x" "b.y"} and ends_with(http.host, ".x")', ["a.x"], []],
    ['ends_with(http.host, ".x") && ends_with(http.host, ".y.x")', [], [".y.x"]],
    ['http.host eq "a" and http.host eq "b"', [], []],
    ['http.host eq "a" and not http.request.uri.path contains "x"', ["a"], [], true],
    ['http.host eq "a" xor http.host eq "b"', ["a", "b"], [], true],
    ['http.host wildcard "**.shop.example"', [], [".shop.example"]],
    ['http.host eq "a" or (ssl and http.host eq "b")', ["a", "b"], [], true],
    ['(ssl and http.host eq "a") and http.host in {"a" "b"}', ["a"], [], true],
    [
      '(http.host in {"a.x" "b.y"} or ends_with(http.host, ".x")) and (http.host eq "b.y" or ends_with(http.host, ".x"))',
      ["b.y"],
      [".x"],
    ],
    ['http.host in {"a" ")" "}"}', ["a", ")", "}"], []],
    [`${"(".repeat(99)}http.host eq "a"${")".repeat(99)}`, ["a"], []],
    [Array(150).fill("http.host eq a").join(" or "), ["a"], []],
    ['http.host eq "a" and any(http.request.headers["x"][*] eq ")")', ["a"], [], true],
  ];
  for (const [expression, hosts, suffixes, isSuperset = false] of tests) {
    it(`reads ${expression}`, () => {
      assert.deepEqual(decided(expression), [hosts, suffixes, isSuperset]);
    });
  }

  const undecided: readonly [string, RegExp][] = [
    ["true", /selects every request/],
    ["", /empty/],
    ['http.request.uri.path eq "/pay"', /http\.request\.uri\.path/],
    ['http.host eq "a" or http.request.uri.path eq "/pay"', /http\.request\.uri\.path/],
    ['http.host ne "a"', /by ne/],
    ['http.host contains "a"', /by contains/],
    ['not http.host eq "a"', /does not select/],
    ['!(http.host eq "a")', /does not select/],
    ["http.host in $hosts", /the list \$hosts/],
    ['http.host matches "a|b"', /by matches/],
    ['http.host wildcard "a*b"', /pattern/],
    ['starts_with(http.host, "a")', /starts_with/],
    ['http.host eq "a" or', /ends too early/],
    ['(http.host eq "a"', /ends too early/],
    ['http.host eq "a") or ssl', /cannot be read at \)/],
    ['http.host eq "a" http.host eq "b"', /cannot be read at/],
    ['"a"', /cannot be read/],
    ['http.host in {"a"', /ends too early/],
    ['http.host wildcard "*"', /^it selects every host$/],
    [`http.host wildcard "a*${"b".repeat(80)}"`, /^it tests http\.host by the pattern a\*b{58}$/],
    ['ends_with(http.request.uri.path, ".x")', /^it tests ends_with\(…\)$/],
    ['ends_with(http.host; ".x")', /^it tests ends_with\(…\)$/],
    ["ends_with(http.host, x)", /^it tests ends_with\(…\)$/],
    ['ends_with(http.host, ".x", ".y")', /^it tests ends_with\(…\)$/],
    ["ends_with(http.host)", /^it tests ends_with\(…\)$/],
    ['ends_with(http.host eq ".x")', /^it tests ends_with\(…\)$/],
    ["ends_with(http.host,)", /^it tests ends_with\(…\)$/],
    ['upper(http.host) eq "A"', /^it tests upper\(…\)$/],
    ['lower(ssl) eq "a"', /^it tests lower\(…\)$/],
    ['lower() eq "a"', /^it tests lower\(…\)$/],
    ['lower(http.host, "b") eq "a"', /^it tests lower\(…\)$/],
    ['lower(lower(http.host)) eq "a"', /^it tests lower\(…\)$/],
    ['http.request.headers["a"][0] eq "b"', /^it tests http\.request\.headers\[…\]$/],
    ['http.host "eq" "a"', /^it cannot be read at "eq"$/],
    ['http.host eq wildcard "a"', /^it cannot be read at "a"$/],
    ['http.host eq "a" "and" http.host eq "b"', /^it cannot be read at "and"$/],
    ["http.host eq (", /^it cannot be read at \($/],
    ['http.host in {"a" , "b"}', /^it cannot be read at ,$/],
    [`http.host eq "a" ${"b".repeat(50)}`, /^it cannot be read at b{40}$/],
    ["http.host eq", /^it ends too early$/],
    ["ssl and http.request.version", /^it tests ssl$/],
    [`${"(".repeat(100)}http.host eq "a"${")".repeat(100)}`, /too deeply/],
    ["(".repeat(5000), /too deeply/],
    ["not ".repeat(5000), /too deeply/],
  ];
  for (const [expression, reason] of undecided) {
    it(`does not decide ${expression.slice(0, 60)}`, () => {
      const selection = hostsOf(expression);
      assert.equal(selection.decided, false);
      if (!selection.decided) assert.match(selection.reason, reason);
    });
  }

  it("never leaves out a host that the expression selects", () => {
    const hosts = ["a.x", "b.x", "a.y", "b.b.x", "x"];
    const test = fc.oneof(
      fc.constantFrom(...hosts).map((host) => ({
        text: `http.host eq "${host}"`,
        selects: (actual: string) => actual === host,
      })),
      fc.constantFrom(".x", ".b.x", "x").map((end) => ({
        text: `ends_with(http.host, "${end}")`,
        selects: (actual: string) => actual.endsWith(end),
      })),
      fc.boolean().map((is) => ({ text: "ssl", selects: () => is })),
    );
    type Test = { text: string; selects: (host: string) => boolean };
    const { expression } = fc.letrec<{ expression: Test }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 4, depthIdentifier: "expression" },
        test,
        fc
          .tuple(tie("expression"), fc.constantFrom("and", "or", "xor", "&&", "||"), tie("expression"))
          .map(([a, operator, b]) => ({
            text: `(${a.text} ${operator} ${b.text})`,
            selects: (host: string) => {
              if (operator === "xor") return a.selects(host) !== b.selects(host);
              return operator === "and" || operator === "&&"
                ? a.selects(host) && b.selects(host)
                : a.selects(host) || b.selects(host);
            },
          })),
        tie("expression").map((inner) => ({
          text: `not ${inner.text}`,
          selects: (host: string) => !inner.selects(host),
        })),
      ),
    }));
    holds(
      fc.property(expression, ({ text, selects }) => {
        const selection = hostsOf(text);
        if (!selection.decided) return;
        for (const host of hosts) {
          const isIn = selection.hosts.includes(host) || selection.suffixes.some((end) => host.endsWith(end));
          if (selects(host)) assert.ok(isIn, `${text} selects ${host}`);
          else assert.ok(!isIn || selection.isSuperset, `${text} does not select ${host}`);
        }
      }),
      1000,
    );
  });

  it("does not fail for any text", () => {
    holds(
      fc.property(hostileText, (text) => typeof hostsOf(text).decided === "boolean"),
      1000,
    );
  });
});
