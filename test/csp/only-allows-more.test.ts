import assert from "node:assert/strict";
import fc from "fast-check";
import { matches, onlyAllowsMore } from "../../csp/src";
import { holds, policyText, request, source } from "./random";

describe("onlyAllowsMore", () => {
  const more: readonly [string, string][] = [
    ["script-src a", "script-src b a"],
    ["script-src 'none'", "script-src a"],
    ["script-src a; connect-src b", "script-src a"],
    ["script-src a", ""],
    ["default-src a", "script-src a"],
    ["default-src 'none'", "default-src 'none'; script-src a"],
    ["script-src https://a.example", "script-src http://a.example"],
    ["script-src b.a.example", "script-src *.a.example"],
    ["script-src *.b.a.example", "script-src *.a.example"],
    ["script-src a.example/js/app.js", "script-src a.example/js/"],
    ["script-src a.example/js/", "script-src a.example"],
    ["script-src a.example:8080", "script-src a.example:*"],
    ["script-src https://a.example", "script-src https:"],
    ["script-src a.example", "script-src http:"],
    ["connect-src wss://a.example", "connect-src ws:"],
    ["script-src 'self' a", "script-src *"],
    ["script-src A.Example", "script-src a.example"],
    ["script-src 'self' bad_host", "script-src 'self'"],
  ];
  for (const [a, b] of more) {
    it(`sees that ${JSON.stringify(b)} allows all of ${JSON.stringify(a)}`, () => {
      assert.equal(onlyAllowsMore(a, b), true);
    });
  }

  const notMore: readonly [string, string][] = [
    ["script-src a b", "script-src a"],
    ["", "script-src *"],
    ["script-src a", "default-src a"],
    ["default-src a", "default-src a; script-src b"],
    ["default-src a b", "default-src a; script-src a b"],
    ["script-src a.example", "script-src https://a.example"],
    ["script-src a.example", "script-src https:"],
    ["script-src data:", "script-src *"],
    ["script-src *", "script-src http: https:"],
    ["script-src a.example:8080", "script-src http://a.example:8080"],
    ["script-src a.example", "script-src *.a.example"],
    ["script-src a.example/js", "script-src a.example/js/"],
    ["script-src a.example", "script-src a.example/js/"],
    ["script-src a.example/%2541", "script-src a.example/%41"],
    ["script-src 'unsafe-inline'", "script-src 'unsafe-inline' 'sha256-AA'"],
    ["script-src a", "script-src a 'strict-dynamic'"],
    ["img-src a", "img-src a; upgrade-insecure-requests"],
    ["sandbox allow-scripts", "sandbox"],
    ["script-src a", "script-src a, script-src b"],
    ["script-src 'self'", "script-src https:"],
  ];
  for (const [a, b] of notMore) {
    it(`does not believe that ${JSON.stringify(b)} allows all of ${JSON.stringify(a)}`, () => {
      assert.equal(onlyAllowsMore(a, b), false);
    });
  }

  it("is false for the hash of a URL added beside 'strict-dynamic': connections lose their hosts", () => {
    const before = "connect-src 'strict-dynamic' *.a.example:*";
    assert.equal(onlyAllowsMore(before, `${before} 'url-sha256-abc'`), false);
  });

  it("is false for * and any host with a path: that has the scheme and port of the page", () => {
    assert.equal(onlyAllowsMore("script-src *", "script-src */"), false);
    assert.equal(onlyAllowsMore("script-src */", "script-src *"), true);
  });

  it("is never wrongly true: what the old policy allows, the new one allows", () => {
    // Half of the pairs grow out of each other: otherwise it would hardly ever say yes.
    const grown = fc.tuple(policyText, source, fc.nat()).map(([text, extra, at]) => {
      const directives = text.split("; ");
      const index = at % directives.length;
      return [text, directives.with(index, `${directives[index]} ${extra}`).join("; ")] as const;
    });
    const origin = fc.tuple(
      fc.constantFrom("", "http://", "https://", "wss://"),
      fc.constantFrom("a", "*.a", "b.a"),
    );
    const end = fc.tuple(
      fc.constantFrom("", "", ":80", ":443", ":*"),
      fc.constantFrom("", "", "/js/", "/js/app.js"),
    );
    const alike = fc
      .tuple(origin, end)
      .map(([[scheme, host], [port, path]]) => `${scheme}${host}.example${port}${path}`);
    const swapped = fc
      .tuple(
        fc.constantFrom("script-src", "connect-src", "default-src"),
        fc.oneof(alike, source),
        fc.oneof(alike, source),
      )
      .map(([name, a, b]) => [`${name} ${a}`, `${name} ${b}`] as const);
    const pairs = fc.oneof(grown, swapped, fc.tuple(policyText, policyText));
    let yes = 0;
    holds(
      fc.property(pairs, fc.array(request, { minLength: 20, maxLength: 20 }), ([before, after], requests) => {
        if (!onlyAllowsMore(before, after)) return;
        yes++;
        for (const one of requests) {
          assert.ok(
            !matches(before, one) || matches(after, one),
            `${before} | ${after} | ${JSON.stringify(one)}`,
          );
        }
      }),
      2000,
    );
    assert.ok(yes > 0, "it never said yes");
  });

  it("is true for a policy and itself, and for any policy and none", () => {
    holds(
      fc.property(policyText, (text) => {
        assert.equal(onlyAllowsMore(text, text), true);
        assert.equal(onlyAllowsMore(text.replace("; upgrade-insecure-requests", ""), ""), true);
      }),
    );
  });
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
