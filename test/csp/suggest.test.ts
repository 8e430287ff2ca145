import assert from "node:assert/strict";
import fc from "fast-check";
import {
  compile,
  lint,
  matches,
  parse,
  type SeenItem,
  type Suggestion,
  type SuggestOptions,
  suggest,
} from "../../csp/src";
import { pageUrlOf } from "../../csp/src/impact/seen-item";
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

  it("includes as much of the URL as requested", () => {
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

  it("includes an item without a status", () => {
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
    ["too-new", { url: "https://a.example/", firstSeenAt: "never" }, { minAgeDays: 0 }, /not known/],
    ["unsafe-scheme", { url: "data:text/javascript,0" }, {}, /any injected script/],
    ["unsafe-scheme", { url: "chrome-extension://abcdef/a.js" }, {}, /extension of a visitor's browser/],
    ["unsafe-scheme", { url: "moz-extension://abcdef/a.js" }, {}, /extension of a visitor's browser/],
    ["unsafe-scheme", { url: "about:blank" }, {}, /not come from the web/],
    ["unsafe-scheme", { url: "file:///etc/a.js" }, {}, /not come from the web/],
    ["unsafe-scheme", { url: "filesystem:https://a.example/temporary/a.js" }, {}, /not come from the web/],
    ["unsafe-scheme", { url: "javascript:0" }, {}, /not come from the web/],
    ...[
      "localhost:3000",
      "a.localhost",
      "127.0.0.1",
      "0x7f.1",
      "10.0.0.1",
      "172.31.0.1",
      "192.168.0.1",
      "printer.local",
    ].map((host): (typeof reasons)[number] => [
      "local-address",
      { url: `http://${host}/a.js` },
      {},
      /machine or network/,
    ]),
    ["local-address", { url: "http://169.254.169.254/latest" }, {}, /machine or network/],
    ["local-address", { url: "https://[::1]/a.js" }, {}, /machine or network/],
    ["local-address", { url: "https://[fe80::1]/a.js" }, {}, /machine or network/],
    ["not-expressible", { url: "https://[2001:db8::1]/a.js" }, {}, /no source/],
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

  const bad = (url: string, firstPageUrl = "https://shop.example/") =>
    script({ url, firstPageUrl, jsIntegrityScore: 3 });
  const good = (url: string) => script({ url });
  /** What is not suggested and allowed all the same, with the source that does it. */
  const stillAllowed = (found: Suggestion) =>
    found.excluded.flatMap(({ item, allowedBy }) => (allowedBy === undefined ? [] : [[item.url, allowedBy]]));

  it("names paths where a host also serves a malicious script, and reports it", () => {
    const found = suggest(
      [
        good("https://cdn.example/shop/a.js"),
        good("https://ok.example/a.js"),
        bad("https://cdn.example/x/evil.js"),
      ],
      [],
    );
    assert.equal(found.value, "script-src cdn.example/shop/ ok.example");
    assert.deepEqual(stillAllowed(found), []);
    assert.deepEqual(found.narrowed, [{ source: "cdn.example", reason: "malicious" }]);
    assert.deepEqual(found.included, { scripts: 2, connections: 0 });
  });

  it("names URLs where the malicious one lies in the same folder, and only there", () => {
    const found = suggest(
      [
        good("https://cdn.example/x/a.js"),
        good("https://cdn.example/y/b.js"),
        bad("https://cdn.example/x/evil.js"),
      ],
      [],
    );
    assert.equal(found.value, "script-src cdn.example/x/a.js cdn.example/y/");
    assert.deepEqual(stillAllowed(found), []);
  });

  it("names paths and URLs of one's own host, too, where 'self' would let something malicious in", () => {
    const scripts = [good("https://shop.example/js/own.js"), bad("https://shop.example/uploads/evil.js")];
    const found = suggest([...scripts, good("https://shop.example/uploads/fine.js")], CONNECTIONS);
    assert.equal(
      found.value,
      "script-src shop.example/js/ shop.example/uploads/fine.js; connect-src 'self' wss://live.example",
    );
    assert.deepEqual(stillAllowed(found), []);
    assert.deepEqual(found.narrowed, [
      { source: "'self'", reason: "malicious" },
      { source: "shop.example/uploads/", reason: "malicious" },
    ]);
  });

  it("reports first what it cannot block, with its source: the same URL, whose query no policy checks", () => {
    const found = suggest(
      [
        bad("https://evil.example/x.js"),
        good("https://cdn.example/a.js?v=1"),
        bad("https://cdn.example/a.js?v=2"),
      ],
      [],
    );
    assert.equal(found.value, "script-src cdn.example/a.js");
    assert.deepEqual(
      found.excluded.map(({ item, allowedBy }) => [item.url, allowedBy]),
      [
        ["https://cdn.example/a.js?v=2", "cdn.example/a.js"],
        ["https://evil.example/x.js", undefined],
      ],
    );
    assert.deepEqual(found.included, { scripts: 1, connections: 0 });
  });

  it("reports what a base policy allows, and what was left out for other reasons and is allowed", () => {
    const base = { "script-src": ["https:"] };
    assert.deepEqual(stillAllowed(suggest([bad("https://evil.example/x.js")], [], { base })), [
      ["https://evil.example/x.js", "https:"],
    ]);
    const old = script({ url: "https://cdn.example/old.js", status: "inactive" });
    assert.deepEqual(stillAllowed(suggest([good("https://cdn.example/a.js"), old], [])), [
      ["https://cdn.example/old.js", "cdn.example"],
    ]);
  });

  it("does not narrow connections for a malicious script, nor the other way round", () => {
    const connections = [connection({ url: "https://cdn.example/api/v1" })];
    const found = suggest([bad("https://cdn.example/x.js")], connections);
    assert.equal(found.value, "script-src 'none'; connect-src cdn.example");
  });

  it("narrows connections, too, where a host would let a malicious one out", () => {
    const connections = [
      connection({ url: "https://api.example/v1/pay" }),
      connection({ url: "https://api.example/collect", domainReportedMalicious: true }),
    ];
    const found = suggest([], connections);
    assert.equal(found.value, "connect-src api.example/v1/");
    assert.deepEqual(stillAllowed(found), []);
  });

  it("names paths on a host that is known to bypass policies: no finding of severity high is left", () => {
    const scripts = [
      good("https://ajax.googleapis.com/ajax/libs/jquery/3.7.1/jquery.min.js"),
      good("https://www.google.com/recaptcha/api.js"),
    ];
    const found = suggest(scripts, []);
    assert.equal(
      found.value,
      "script-src ajax.googleapis.com/ajax/libs/jquery/ www.google.com/recaptcha/api.js",
    );
    assert.deepEqual(found.findings, []);
    assert.deepEqual(
      found.narrowed.map(({ source, reason }) => [source, reason]),
      [
        ["ajax.googleapis.com", "bypass"],
        ["ajax.googleapis.com/ajax/", "bypass"],
        ["ajax.googleapis.com/ajax/libs/", "bypass"],
        ["www.google.com", "bypass"],
        // It serves AngularJS as well, at about/js/main.min.js.
        ["www.google.com/recaptcha/", "bypass"],
      ],
    );
    // Nobody can call them by connecting.
    const connections = [connection({ url: "https://www.google.com/recaptcha/api.js" })];
    assert.equal(suggest([], connections).value, "connect-src www.google.com");
  });

  it("names the widest folder that is safe, so that the vendor's next release is allowed", () => {
    const rows: readonly [string, string, string][] = [
      [
        "https://www.gstatic.com/recaptcha/releases/hfUfsXWZFeg83qqxrK27GB8P/recaptcha__en.js",
        "www.gstatic.com/recaptcha/releases/",
        "https://www.gstatic.com/recaptcha/releases/pPK749sccDmVW_9DSeTMVvh2/recaptcha__de.js",
      ],
      [
        "https://ajax.googleapis.com/ajax/libs/jquery/3.7.1/jquery.min.js",
        "ajax.googleapis.com/ajax/libs/jquery/",
        "https://ajax.googleapis.com/ajax/libs/jquery/3.8.0/jquery.min.js",
      ],
      [
        "https://securepubads.g.doubleclick.net/pagead/managed/js/gpt/m202401090101/pubads_impl.js",
        "securepubads.g.doubleclick.net/pagead/",
        "https://securepubads.g.doubleclick.net/pagead/managed/js/gpt/m202402060101/pubads_impl.js",
      ],
      [
        "https://cdn.shopify.com/s/files/1/0123/4567/8901/t/12/assets/theme.js",
        "cdn.shopify.com/s/files/1/0123/4567/8901/",
        "https://cdn.shopify.com/s/files/1/0123/4567/8901/t/13/assets/theme.js",
      ],
      [
        "https://www.paypal.com/sdk/js?client-id=x",
        "www.paypal.com/sdk/",
        "https://www.paypal.com/sdk/js?client-id=y",
      ],
    ];
    for (const [url, source, next] of rows) {
      const { value, ofOneRelease, findings } = suggest([good(url)], []);
      assert.equal(value, `script-src ${source}`);
      assert.deepEqual([findings, ofOneRelease.length], [[], /\/\d{4}\//.test(source) ? 1 : 0], source);
      assert.ok(matches(value, { kind: "script", url: next, pageUrl: "https://shop.example/" }), next);
    }
  });

  it("names what is of one release only where nothing wider is safe, and says so", () => {
    const found = suggest(
      [
        good("https://unpkg.com/vue@3.4.21/dist/vue.js"),
        good("https://unpkg.com/@vue/shared@3.4.21/dist/shared.js"),
        good("https://cdn.example/build/9f86d081/app.js"),
        bad("https://cdn.example/build/0a1b2c3d/evil.js"),
      ],
      [],
    );
    assert.equal(found.value, "script-src cdn.example/build/9f86d081/ unpkg.com/@vue/ unpkg.com/vue@3.4.21/");
    assert.deepEqual(found.ofOneRelease, ["cdn.example/build/9f86d081/", "unpkg.com/vue@3.4.21/"]);
    assert.deepEqual(stillAllowed(found), []);
  });

  it("allows only your own folder of a host where anyone can publish", () => {
    for (const [url, source] of [
      ["https://s3.eu-west-1.amazonaws.com/shop-assets/js/a.js", "s3.eu-west-1.amazonaws.com/shop-assets/"],
      ["https://raw.githack.com/shop/lib/main/a.js", "raw.githack.com/shop/lib/"],
      ["https://cdn.jsdelivr.net/gh/shop/lib@v3/a.js", "cdn.jsdelivr.net/gh/shop/lib@v3/"],
      [
        "https://firebasestorage.googleapis.com/v0/b/shop/o/a.js",
        "firebasestorage.googleapis.com/v0/b/shop/",
      ],
      ["https://codepen.io/shop/a.js", "codepen.io/shop/a.js"],
      // A host of one's own.
      ["https://shop.workers.dev/a.js", "shop.workers.dev"],
    ] as const) {
      const { value, narrowed } = suggest([good(url)], []);
      assert.equal(value, `script-src ${source}`);
      assert.equal(narrowed[0]?.reason, source.includes("/") ? "anyone-publishes" : undefined, url);
    }
    // A connection runs nothing.
    assert.equal(
      suggest([], [connection({ url: "https://s3.amazonaws.com/shop/x.json" })]).value,
      "connect-src s3.amazonaws.com",
    );
  });

  it("by path: ends before what the next release renames", () => {
    const byPath = (url: string) => suggest([good(url)], [], { granularity: "path" }).value;
    assert.equal(byPath("https://cdn.example/lib/v1/a.js"), "script-src cdn.example/lib/v1/");
    assert.equal(byPath("https://cdn.example/lib/1.2.3/js/a.js"), "script-src cdn.example/lib/");
    assert.equal(byPath("https://cdn.example/1.2.3/a.js"), "script-src cdn.example");
    assert.equal(
      byPath("https://js.stripe.com/v3/fingerprinted/js/a-3f2a91bc.js"),
      "script-src js.stripe.com/v3/fingerprinted/js/",
    );
    // Its folder is known for a way around policies.
    assert.equal(
      byPath("https://www.google.com/recaptcha/api.js"),
      "script-src www.google.com/recaptcha/api.js",
    );
  });

  const life = (url: string, first: number, last: number) =>
    script({
      url,
      firstSeenAt: new Date(Date.UTC(2024, 0, first)).toISOString(),
      lastSeenAt: new Date(Date.UTC(2024, 0, last)).toISOString(),
    });
  const on15th = { now: new Date("2024-01-15T00:00:00Z") };

  it("allows all hosts of a kind where two of them were seen and one owner has them all", () => {
    const suggested = (...urls: readonly string[]) =>
      suggest(
        urls.map((url) => good(url)),
        [],
      );
    const rows: readonly [readonly string[], string][] = [
      [
        ["https://ws4.vendor.example.com/a.js", "https://ws12.vendor.example.com/a.js"],
        "*.vendor.example.com",
      ],
      [["https://a.tile.example.org/a.js", "https://c.tile.example.org/a.js"], "*.tile.example.org"],
      [["https://api.eu.example.org/a.js", "https://api.us.example.org/a.js"], "*.example.org"],
      [["https://in-eu-west-1.example.org/a.js", "https://in-us-east-2.example.org/a.js"], "*.example.org"],
      // Words are not numbers, and each may be another service.
      [["https://api.example.org/a.js", "https://cdn.example.org/a.js"], "api.example.org cdn.example.org"],
      // Each has another owner.
      [
        ["https://shop1.workers.dev/a.js", "https://shop2.workers.dev/a.js"],
        "shop1.workers.dev shop2.workers.dev",
      ],
      [["https://a1.b-cdn.net/a.js", "https://a2.b-cdn.net/a.js"], "a1.b-cdn.net a2.b-cdn.net"],
    ];
    for (const [urls, sources] of rows) assert.equal(suggested(...urls).value, `script-src ${sources}`);
    assert.deepEqual(suggested(...(rows[0]?.[0] ?? [])).wider, [
      { source: "*.vendor.example.com", instead: ["ws12.vendor.example.com", "ws4.vendor.example.com"] },
    ]);
  });

  it("takes hosts by id for customers' as long as all of them are in use", () => {
    const customers = [
      life("https://o4479.in.example.org/a.js", 1, 15),
      life("https://o5512.in.example.org/a.js", 1, 15),
    ];
    assert.equal(
      suggest(customers, [], on15th).value,
      "script-src o4479.in.example.org o5512.in.example.org",
    );
    const visitors = [
      life("https://f3a91c2b.in.example.org/a.js", 1, 3),
      life("https://0c77de41.in.example.org/a.js", 9, 11),
      life("https://x.example/a.js", 1, 15),
    ];
    assert.equal(suggest(visitors, [], on15th).value, "script-src *.in.example.org x.example");
  });

  it("names what may be one of many, where one was seen or no wildcard can be", () => {
    const { mayChange } = suggest(
      [
        good("https://ws4.vendor.example.com/a.js"),
        good("https://www.vendor.de/a.js"),
        good("https://www.vendor.fr/a.js"),
        good("https://cdn.example.org/a.js"),
      ].map((one) => ({ ...one, firstSeenAt: "2024-04-20T00:00:00Z" })),
      [],
    );
    assert.deepEqual(mayChange, ["ws4.vendor.example.com", "www.vendor.de", "www.vendor.fr"]);
  });

  it("by path: what was seen beside a folder decides whether it stays", () => {
    const byPath = (...scripts: Parameters<typeof suggest>[0]) =>
      suggest(scripts, [], { granularity: "path", ...on15th });
    const other = life("https://x.example/lib/a.js", 1, 15);
    // One after the other: releases of an interface whose name alone does not say so.
    assert.equal(
      byPath(life("https://cdn.example/lib/v3/a.js", 1, 8), life("https://cdn.example/lib/v4/a.js", 8, 15))
        .value,
      "script-src cdn.example/lib/",
    );
    // Beside each other all the time: two customers.
    assert.equal(
      byPath(life("https://cdn.example/4711/a.js", 1, 15), life("https://cdn.example/9321/a.js", 1, 15))
        .value,
      "script-src cdn.example/4711/ cdn.example/9321/",
    );
    // Alone and there all the time: a customer. A version is a version.
    assert.equal(
      byPath(life("https://cdn.example/12345678/a.js", 1, 15)).value,
      "script-src cdn.example/12345678/",
    );
    assert.equal(
      byPath(other, life("https://cdn.example/12345678/a.js", 9, 15)).value,
      "script-src cdn.example x.example/lib/",
    );
    const { value, wider } = byPath(life("https://cdn.example/1.2.3/a.js", 1, 15));
    assert.equal(value, "script-src cdn.example");
    assert.deepEqual(wider, [{ source: "cdn.example", instead: ["cdn.example/1.2.3/"] }]);
    assert.equal(
      byPath(life("https://cdn.example/lib/nov/a.js", 1, 15)).value,
      "script-src cdn.example/lib/",
    );
  });

  it("needs no source for what is new where older ones are, and leaves new places out", () => {
    const { value, excluded } = suggest(
      [
        life("https://cdn.example/a.js", 1, 15),
        life("https://cdn.example/b.js", 14, 15),
        life("https://new.example/a.js", 14, 15),
      ],
      [],
      on15th,
    );
    assert.equal(value, "script-src cdn.example");
    assert.deepEqual(
      excluded.map(({ item, reason }) => [item.url, reason]),
      [["https://new.example/a.js", "too-new"]],
    );
  });

  it("says whether malice and ages are known at all", () => {
    const bare = (url: string) => ({
      id: url,
      url,
      host: "shop.example",
      firstSeenAt: "2024-01-14T12:00:00Z",
    });
    const { isAllNew, isMaliceKnown } = suggest([bare("https://a.example/")], [], on15th);
    assert.deepEqual([isAllNew, isMaliceKnown], [true, false]);
    const known = suggest([life("https://a.example/", 1, 15)], [], on15th);
    assert.deepEqual([known.isAllNew, known.isMaliceKnown], [false, true]);
  });

  it("regards what is of use to an attacker with 'unsafe-eval' only", () => {
    const scripts = [good("https://ssl.google-analytics.com/ga.js")];
    assert.equal(suggest(scripts, []).value, "script-src ssl.google-analytics.com");
    assert.equal(
      suggest(scripts, [], { base: { "script-src": ["'unsafe-eval'"] } }).value,
      "script-src 'unsafe-eval' ssl.google-analytics.com/ga.js",
    );
    assert.equal(
      suggest(scripts, [], { base: { "script-src": ["'self'"] } }).value,
      "script-src 'self' ssl.google-analytics.com",
    );
  });

  it("says why where the exact URL in use bypasses policies", () => {
    const found = suggest([good("https://accounts.google.com/o/oauth2/revoke?callback=x")], []);
    assert.equal(found.value, "script-src accounts.google.com/o/oauth2/revoke");
    assert.deepEqual(
      found.findings.map(({ ruleId }) => ruleId),
      ["security-bypass"],
    );
    assert.match(found.findings[0]?.message ?? "", /accounts\.google\.com is known to host JSONP endpoints/);
  });

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

  it("allows everything that it was given and did not list as excluded, and nothing malicious decides it", () => {
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
        // And what it allows all the same is said, with the source, before all that is blocked.
        const compiled = compile(value);
        for (const { kind, item, allowedBy, ...rest } of excluded) {
          const seen = { kind, item, ...rest } as SeenItem;
          const sources = compiled.sourcesFor({ kind, url: item.url, pageUrl: pageUrlOf(seen) });
          assert.equal(allowedBy, sources[0], `${value} | ${item.url}`);
        }
        const firstBlocked = excluded.findIndex(({ allowedBy }) => allowedBy === undefined);
        assert.ok(
          firstBlocked === -1 ||
            excluded.slice(firstBlocked).every(({ allowedBy }) => allowedBy === undefined),
        );
        assert.deepEqual(
          found.findings,
          value === "" ? [] : lint(value).filter(({ severity }) => severity === "high"),
        );
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

  it("lets something malicious in only by the exact URL of something that is in use", () => {
    // A small world, so that good and bad meet on hosts, in folders and by URL.
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
