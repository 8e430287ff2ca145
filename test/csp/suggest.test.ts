import assert from "node:assert/strict";
import fc from "fast-check";
import { lint, matches, parse, type SuggestOptions, suggest } from "../../provider/src/csp/index";
import { pageUrlOf } from "../../provider/src/csp/seen-item";
import { anyConnection, anyScript, connection, script } from "./items";
import { holds } from "./random";

const SCRIPTS = [
  script({ url: "https://shop.example/js/own.js" }),
  script({ url: "https://cdn.example/lib/v1/a.js?x=1" }),
  script({ url: "https://cdn.example/lib/v1/b.js" }),
  script({ url: "https://cdn.example:8443/c.js" }),
];
const CONNECTIONS = [
  connection({ url: "wss://live.example/feed" }),
  connection({ url: "https://shop.example/api" }),
];

describe("suggest", () => {
  it("allows what was seen: hosts once, one's own as 'self', in a stable order", () => {
    const { value, included, excluded } = suggest(SCRIPTS, CONNECTIONS);
    assert.equal(
      value,
      "script-src 'self' cdn.example cdn.example:8443; connect-src 'self' wss://live.example",
    );
    assert.deepEqual(included, { scripts: 4, connections: 2 });
    assert.deepEqual(excluded, []);
  });

  it("goes as far into the URL as is asked", () => {
    assert.equal(
      suggest(SCRIPTS, [], { granularity: "path" }).value,
      "script-src 'self' cdn.example/lib/v1/ cdn.example:8443",
    );
    assert.equal(
      suggest(SCRIPTS, [], { granularity: "url" }).value,
      "script-src 'self' cdn.example/lib/v1/a.js cdn.example/lib/v1/b.js cdn.example:8443/c.js",
    );
  });

  it("names hosts of others in full when only some are one's own", () => {
    const { value } = suggest(SCRIPTS, [], { firstParty: ["other.example"] });
    assert.equal(value, "script-src cdn.example cdn.example:8443 shop.example");
  });

  it("writes the scheme only where the page's would not do", () => {
    const scripts = [script({ url: "http://plain.example/a.js", firstPageUrl: "http://shop.example/" })];
    assert.equal(suggest(scripts, []).value, "script-src http://plain.example");
  });

  it("writes the scheme beside a port, which browsers do not upgrade", () => {
    const url = "https://cdn.example:8443/a.js";
    const { value, excluded } = suggest([script({ url, firstPageUrl: "http://shop.example/" })], []);
    assert.equal(value, "script-src https://cdn.example:8443");
    assert.deepEqual(excluded, []);
  });

  it("leaves out a folder that is within another one", () => {
    const scripts = ["/lib/a.js", "/lib/v1/b.js", "/libs/c.js"].map((path) =>
      script({ url: `https://cdn.example${path}` }),
    );
    assert.equal(
      suggest(scripts, [], { granularity: "path" }).value,
      "script-src cdn.example/lib/ cdn.example/libs/",
    );
  });

  it("takes an item that has no status, whichever are asked for", () => {
    const { status: _, ...item } = script({ url: "https://cdn.example/a.js" });
    assert.deepEqual(suggest([item], [], { statuses: ["infrequent"] }).excluded, []);
  });

  it("encodes what a policy cannot hold", () => {
    const scripts = [script({ url: "https://cdn.example/a;b,c.js" })];
    const { value, excluded } = suggest(scripts, [], { granularity: "url" });
    assert.equal(value, "script-src cdn.example/a%3Bb%2Cc.js");
    assert.deepEqual(excluded, []);
  });

  const reasons: readonly [string, Parameters<typeof script>[0], SuggestOptions, RegExp][] = [
    [
      "malicious",
      { url: "https://a.example/", domainReportedMalicious: true, maliciousDomainCategories: ["Malware"] },
      {},
      /domain.*Malware/,
    ],
    ["malicious", { url: "https://a.example/", urlReportedMalicious: true }, {}, /URL is reported/],
    ["malicious", { url: "https://a.example/", jsIntegrityScore: 49 }, {}, /score is 49, below 50/],
    ["malicious", { url: "https://a.example/", jsIntegrityScore: 50 }, { threshold: 60 }, /below 60/],
    ["status", { url: "https://a.example/", status: "inactive" }, {}, /inactive/],
    ["status", { url: "https://a.example/", status: "infrequent" }, { statuses: ["active"] }, /infrequent/],
    [
      "too-new",
      { url: "https://a.example/" },
      { minAgeDays: 8, now: new Date("2024-01-08T00:00:00Z") },
      /2024-01-01/,
    ],
    ["too-new", { url: "https://a.example/", firstSeenAt: "never" }, { minAgeDays: 0 }, /never/],
    ["unsafe-scheme", { url: "data:text/javascript,0" }, {}, /any script/],
    ["not-expressible", { url: "https://[::1]/a.js" }, {}, /no source/],
    ["not-expressible", { url: "https://a_b.example/a.js" }, {}, /no source/],
    ["not-expressible", { url: "not a url", host: "", firstPageUrl: "" }, {}, /no source/],
  ];
  for (const [reason, item, options, message] of reasons) {
    it(`leaves out what is ${reason} and says why: ${JSON.stringify({ ...item, ...options })}`, () => {
      const { value, excluded, included } = suggest([script(item)], [], options);
      assert.deepEqual(
        excluded.map((one) => [one.reason, one.kind]),
        [[reason, "script"]],
      );
      assert.match(excluded[0]?.message ?? "", message);
      assert.equal(value, "script-src 'none'");
      assert.equal(included.scripts, 0);
    });
  }

  it("takes an item that is just old enough", () => {
    const options = { minAgeDays: 7, now: new Date("2024-01-08T00:00:00Z") };
    assert.deepEqual(suggest([script({ url: "https://a.example/" })], [], options).excluded, []);
  });

  it("adds to the lists of a base policy and repeats nothing that it allows", () => {
    const base = { "object-src": ["'none'"], "script-src": ["*.example"], "connect-src": ["'none'"] };
    const { value } = suggest(SCRIPTS, CONNECTIONS, { base });
    assert.equal(
      value,
      "script-src *.example cdn.example:8443; connect-src 'self' wss://live.example; object-src 'none'",
    );
  });

  it("says nothing about a kind of which nothing was given", () => {
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

  it("allows everything that it was given and did not list as excluded, and nothing malicious decides it", () => {
    holds(
      fc.property(fc.array(anyScript), fc.array(anyConnection), options, (scripts, connections, chosen) => {
        const { value, directives, excluded, included } = suggest(scripts, connections, chosen);
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
        assert.equal(included.scripts + included.connections + excluded.length, items.length);
        assert.equal(Object.keys(directives).length, parse(value).directives.length);
        // What is suggested can be read: nothing in it that lint calls a fault of syntax, but for the base.
        if (chosen.base === undefined && value !== "") {
          assert.deepEqual(
            lint(value).filter(({ syntax, ruleId }) => syntax && ruleId !== "over-long"),
            [],
          );
        }
      }),
    );
  });

  it("gives the same policy whatever order the items have", () => {
    const given = fc
      .array(anyScript, { minLength: 2 })
      .chain((scripts) =>
        fc.tuple(fc.constant(scripts), fc.shuffledSubarray(scripts, { minLength: scripts.length })),
      );
    holds(
      fc.property(given, options, ([scripts, shuffled], chosen) => {
        assert.equal(suggest(scripts, [], chosen).value, suggest(shuffled, [], chosen).value);
      }),
    );
  });
});
