import assert from "node:assert/strict";
import fc from "fast-check";
import { compile, lint, matches, parse, type SeenItem, type SuggestOptions, suggest } from "../../csp/src";
import { pageUrlOf } from "../../csp/src/impact/seen-item";
import { anyConnection, anyScript, bad, connection, good, script } from "./items";
import { holds } from "./random";

const at = (url: string) => script({ url });
const SCRIPTS = [
  at("https://shop.example/js/own.js"),
  at("https://cdn.example/lib/v1/a.js?x=1"),
  at("https://cdn.example/lib/v1/b.js"),
  at("https://cdn.example:8443/c.js"),
];
const CONNECTIONS = ["wss://live.example/feed", "https://shop.example/api"].map((url) => connection({ url }));

describe("suggest", () => {
  it("allows the items that were seen: names each host once, the own host as 'self', in a stable order", () => {
    const { value, included, excluded } = suggest(SCRIPTS, CONNECTIONS);
    const expected = "script-src 'self' cdn.example cdn.example:8443; connect-src 'self' wss://live.example";
    assert.equal(value, expected);
    assert.deepEqual(included, { scripts: 4, connections: 2 });
    assert.deepEqual(excluded, []);
  });

  it("includes as much of the URL as requested, and names hosts in full if firstParty does not list them", () => {
    const suggested = (options: SuggestOptions) => suggest(SCRIPTS, [], options).value;
    const byPath = suggested({ granularity: "path" });
    assert.equal(byPath, "script-src 'self' cdn.example/lib/v1/ cdn.example:8443");
    const files = "cdn.example/lib/v1/a.js cdn.example/lib/v1/b.js cdn.example:8443/c.js";
    assert.equal(suggested({ granularity: "url" }), `script-src 'self' ${files}`);
    const inFull = suggested({ firstParty: ["other.example"] });
    assert.equal(inFull, "script-src cdn.example cdn.example:8443 shop.example");
  });

  it("sorts hosts by name, without their scheme, and does not report 'self' as wider than requested", () => {
    const live = ["wss://zz.example/", "https://live.example/", "wss://abc.example/"];
    const { value } = suggest(
      [],
      live.map((url) => connection({ url })),
    );
    assert.equal(value, "connect-src wss://abc.example live.example wss://zz.example");
    const own = suggest([script({ url: "https://shop.example/1.2.3/a.js" })], [], { granularity: "path" });
    assert.deepEqual([own.value, own.wider], ["script-src 'self'", []]);
  });

  it("writes the scheme only if the scheme of the page is not enough, as for a port, whose scheme is not upgraded", () => {
    for (const source of ["http://plain.example", "https://cdn.example:8443"]) {
      const item = script({ url: `${source}/a.js`, firstPageUrl: "http://shop.example/" });
      const { value, excluded } = suggest([item], []);
      assert.deepEqual([value, excluded], [`script-src ${source}`, []]);
    }
  });

  it("leaves out a folder that is inside another one", () => {
    const scripts = ["/lib/a.js", "/lib/v1/b.js", "/libs/c.js"].map((path) =>
      at(`https://cdn.example${path}`),
    );
    const { value } = suggest(scripts, [], { granularity: "path" });
    assert.equal(value, "script-src cdn.example/lib/ cdn.example/libs/");
  });

  it("encodes characters that a policy cannot contain", () => {
    const { value, excluded } = suggest([at("https://cdn.example/a;b,c.js")], [], { granularity: "url" });
    assert.deepEqual([value, excluded], ["script-src cdn.example/a%3Bb%2Cc.js", []]);
  });

  it("adds to the lists of a base policy, without sources for items that the base allows", () => {
    const base = { "object-src": ["'none'"], "script-src": ["*.example"], "connect-src": ["'none'"] };
    const { value } = suggest(SCRIPTS, CONNECTIONS, { base });
    const connections = "connect-src 'self' wss://live.example";
    assert.equal(value, `script-src *.example cdn.example:8443; ${connections}; object-src 'none'`);
  });

  it("omits a kind without items", () => {
    assert.equal(suggest([], CONNECTIONS).value, "connect-src 'self' wss://live.example");
    assert.equal(suggest([], []).value, "");
  });

  const options: fc.Arbitrary<SuggestOptions> = fc.record(
    {
      granularity: fc.constantFrom("host" as const, "path" as const, "url" as const),
      firstParty: fc.subarray(["a.example", "b.a.example"]),
      minAgeDays: fc.constantFrom(0, 7),
      now: fc.constant(new Date("2024-06-01T00:00:00Z")),
      threshold: fc.constantFrom(10, 50),
      base: fc.constantFrom(
        { "default-src": ["a.example"] },
        { "script-src": ["'strict-dynamic'"], "upgrade-insecure-requests": [] },
        { "Script-Src": ["'none'"], "connect-src": ["https:"] },
      ),
    },
    { requiredKeys: [] },
  );

  it("allows every item that it does not list as excluded, for any items", () => {
    holds(
      fc.property(fc.array(anyScript), fc.array(anyConnection), options, (scripts, connections, chosen) => {
        const found = suggest(scripts, connections, chosen);
        const { value, directives, excluded, included } = found;
        const left = new Set(excluded.map(({ item }) => item));
        const items = [
          ...scripts.map((item) => ({ kind: "script", item }) as const),
          ...connections.map((item) => ({ kind: "connection", item }) as const),
        ];
        for (const seen of items.filter(({ item }) => !left.has(item))) {
          const request = { kind: seen.kind, url: seen.item.url, pageUrl: pageUrlOf(seen) };
          assert.ok(matches(value, request), `${value} does not allow ${JSON.stringify(request)}`);
          assert.notEqual(seen.item.domainReportedMalicious, true);
        }
        // Excluded items that it allows nevertheless come first, each with the source.
        const compiled = compile(value);
        for (const { kind, item, allowedBy, ...rest } of excluded) {
          const seen = { kind, item, ...rest } as SeenItem;
          const sources = compiled.sourcesFor({ kind, url: item.url, pageUrl: pageUrlOf(seen) });
          assert.equal(allowedBy, sources[0], `${value} | ${item.url}`);
        }
        const firstBlocked = excluded.findIndex((one) => one.allowedBy === undefined);
        const blocked = firstBlocked === -1 ? [] : excluded.slice(firstBlocked);
        assert.ok(blocked.every((one) => one.allowedBy === undefined));
        const remarks = value === "" ? [] : lint(value);
        assert.deepEqual(
          found.findings,
          remarks.filter((one) => one.severity === "high"),
        );
        assert.equal(included.scripts + included.connections + excluded.length, items.length);
        assert.equal(Object.keys(directives).length, parse(value).directives.length);
        // Lint finds no syntax fault in the suggestion, except in the base.
        const faults = remarks.filter(({ syntax, ruleId }) => syntax && ruleId !== "over-long");
        if (chosen.base === undefined) assert.deepEqual(faults, []);
      }),
    );
  });

  it("allows a malicious item only by the exact URL of an item in use", () => {
    // Few hosts, folders and files, so that good and malicious items often share them.
    const url = fc
      .tuple(
        fc.constantFrom("https://a.example", "https://b.example", "https://shop.example"),
        fc.constantFrom("/", "/x/", "/x/y/"),
        fc.constantFrom("", "1.js", "2.js?q"),
      )
      .map((parts) => parts.join(""));
    const any = fc.tuple(url, fc.boolean()).map(([at, isBad]) => (isBad ? bad(at) : good(at)));
    holds(
      fc.property(fc.array(any, { maxLength: 8 }), (scripts) => {
        const found = suggest(scripts, []);
        const urls = scripts.filter(({ jsIntegrityScore = 0 }) => jsIntegrityScore >= 50);
        const narrowest = suggest(urls, [], { granularity: "url", firstParty: [] }).value;
        for (const { item, allowedBy } of found.excluded) {
          const request = { kind: "script", url: item.url, pageUrl: "https://shop.example/" } as const;
          if (allowedBy !== undefined) assert.ok(matches(narrowest, request), `${found.value} | ${item.url}`);
        }
      }),
      1000,
    );
  });

  it("returns the same policy for any order of the items", () => {
    const given = fc.array(anyScript, { minLength: 2 }).chain((scripts) => {
      const shuffled = fc.shuffledSubarray(scripts, { minLength: scripts.length });
      return fc.tuple(fc.constant(scripts), shuffled);
    });
    holds(
      fc.property(given, options, ([scripts, shuffled], chosen) => {
        assert.equal(suggest(scripts, [], chosen).value, suggest(shuffled, [], chosen).value);
      }),
    );
  });
});
