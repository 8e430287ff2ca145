import assert from "node:assert/strict";
import fc from "fast-check";
import { matches, onlyAllowsMore } from "../../csp/src";
import { holds, policyText, request, source } from "./random";

describe("onlyAllowsMore", () => {
  const pairs: readonly [before: string, after: string, isMore: boolean][] = [
    ["script-src a", "script-src b a", true],
    ["script-src 'none'", "script-src a", true],
    ["script-src a; connect-src b", "script-src a", true],
    ["script-src a", "", true],
    ["default-src a", "script-src a", true],
    ["default-src 'none'", "default-src 'none'; script-src a", true],
    ["script-src https://a.example", "script-src http://a.example", true],
    ["script-src b.a.example", "script-src *.a.example", true],
    ["script-src *.b.a.example", "script-src *.a.example", true],
    ["script-src a.example/js/app.js", "script-src a.example/js/", true],
    ["script-src a.example/js/", "script-src a.example", true],
    ["script-src a.example:8080", "script-src a.example:*", true],
    ["script-src https://a.example", "script-src https:", true],
    ["script-src a.example", "script-src http:", true],
    ["connect-src wss://a.example", "connect-src ws:", true],
    ["script-src 'self' a", "script-src *", true],
    ["script-src A.Example", "script-src a.example", true],
    ["script-src 'self' bad_host", "script-src 'self'", true],
    ["script-src a b", "script-src a", false],
    ["", "script-src *", false],
    ["script-src a", "default-src a", false],
    ["default-src a", "default-src a; script-src b", false],
    ["default-src a b", "default-src a; script-src a b", false],
    ["script-src a.example", "script-src https://a.example", false],
    ["script-src a.example", "script-src https:", false],
    ["script-src data:", "script-src *", false],
    ["script-src *", "script-src http: https:", false],
    ["script-src a.example:8080", "script-src http://a.example:8080", false],
    ["script-src a.example", "script-src *.a.example", false],
    ["script-src a.example/js", "script-src a.example/js/", false],
    ["script-src a.example", "script-src a.example/js/", false],
    ["script-src a.example/%2541", "script-src a.example/%41", false],
    ["script-src 'unsafe-inline'", "script-src 'unsafe-inline' 'sha256-AA'", false],
    ["script-src a", "script-src a 'strict-dynamic'", false],
    ["img-src a", "img-src a; upgrade-insecure-requests", false],
    ["sandbox allow-scripts", "sandbox", false],
    ["script-src a", "script-src a, script-src b", false],
    ["script-src 'self'", "script-src https:", false],
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
    // The hash of a URL disables the hosts of connections.
    ["connect-src 'strict-dynamic' a", "connect-src 'strict-dynamic' a 'url-sha256-abc'", false],
    // A host source `*/` allows only the scheme and port of the page.
    ["script-src *", "script-src */", false],
    ["script-src */", "script-src *", true],
  ];
  for (const [before, after, expected] of pairs)
    it(`is ${expected} for ${JSON.stringify(before)} and ${JSON.stringify(after)}`, () =>
      assert.equal(onlyAllowsMore(before, after), expected));

  it("is never wrongly true: the new policy allows everything that the old one allows", () => {
    // In half of the pairs one policy extends the other, because the answer would hardly ever be true otherwise.
    const grown = fc.tuple(policyText, source, fc.nat()).map(([text, extra, at]) => {
      const directives = text.split("; ");
      const index = at % directives.length;
      return [text, directives.with(index, `${directives[index]} ${extra}`).join("; ")] as const;
    });
    const any = (...texts: readonly string[]) => fc.constantFrom(...texts);
    const origin = fc.tuple(any("", "http://", "https://", "wss://"), any("a", "*.a", "b.a"));
    const end = fc.tuple(any("", "", ":80", ":443", ":*"), any("", "", "/js/", "/js/app.js"));
    const alike = fc
      .tuple(origin, end)
      .map(([[scheme, host], [port, path]]) => `${scheme}${host}.example${port}${path}`);
    const one = fc.oneof(alike, source);
    const swapped = fc
      .tuple(any("script-src", "connect-src", "default-src"), one, one)
      .map(([name, a, b]) => [`${name} ${a}`, `${name} ${b}`] as const);
    const pairs = fc.oneof(grown, swapped, fc.tuple(policyText, policyText));
    let yes = 0;
    holds(
      fc.property(pairs, fc.array(request, { minLength: 20, maxLength: 20 }), ([before, after], requests) => {
        if (!onlyAllowsMore(before, after)) return;
        yes++;
        for (const each of requests)
          assert.ok(!matches(before, each) || matches(after, each), `${before} | ${after} | ${each.url}`);
      }),
      2000,
    );
    assert.ok(yes > 0, "it never said yes");
  });

  it("is true for any policy and itself, and for any policy and no policy", () => {
    holds(
      fc.property(policyText, (text) => {
        assert.equal(onlyAllowsMore(text, text), true);
        assert.equal(onlyAllowsMore(text.replace("; upgrade-insecure-requests", ""), ""), true);
      }),
    );
  });
});
