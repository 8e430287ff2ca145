import assert from "node:assert/strict";
import fc from "fast-check";
import { build, equalPolicies, matches, onlyAllowsMore, parse } from "../../provider/src/csp/index";
import { canonicalSource } from "../../provider/src/csp/syntax/source-text";
import { holds, policyText, request, source } from "./random";

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
