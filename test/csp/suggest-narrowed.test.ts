import assert from "node:assert/strict";
import { type Suggestion, suggest } from "../../csp/src";
import { bad, connection, good, script } from "./items";

/** Returns items that are allowed although they are not suggested, with the source that allows each. */
const stillAllowed = (found: Suggestion) =>
  found.excluded.flatMap(({ item, allowedBy }) => (allowedBy === undefined ? [] : [[item.url, allowedBy]]));

describe("a suggestion with narrowed sources", () => {
  it("names paths if a host also serves a malicious script, and reports this", () => {
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

  it("names URLs only if the malicious script is in the same folder", () => {
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

  it("names paths and URLs of the own host if 'self' would let something malicious in", () => {
    const scripts = [good("https://shop.example/js/own.js"), bad("https://shop.example/uploads/evil.js")];
    const found = suggest([...scripts, good("https://shop.example/uploads/fine.js")], []);
    assert.equal(found.value, "script-src shop.example/js/ shop.example/uploads/fine.js");
    assert.deepEqual(stillAllowed(found), []);
    assert.deepEqual(found.narrowed, [
      { source: "'self'", reason: "malicious" },
      { source: "shop.example/uploads/", reason: "malicious" },
    ]);
    // The next build has other file names in the same folder.
    const byPath = suggest(scripts, [], { granularity: "path" });
    assert.equal(byPath.value, "script-src shop.example/js/");
  });

  it("first reports malicious items that it cannot block because only their query differs, with the source that allows them", () => {
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

  it("reports excluded items that the base policy or another source allows", () => {
    const base = { "script-src": ["https:"] };
    assert.deepEqual(stillAllowed(suggest([bad("https://evil.example/x.js")], [], { base })), [
      ["https://evil.example/x.js", "https:"],
    ]);
    const old = script({ url: "https://cdn.example/old.js", status: "inactive" });
    assert.deepEqual(stillAllowed(suggest([good("https://cdn.example/a.js"), old], [])), [
      ["https://cdn.example/old.js", "cdn.example"],
    ]);
  });

  it("does not narrow connections because of a malicious script, or scripts because of a malicious connection", () => {
    const connections = [connection({ url: "https://cdn.example/api/v1" })];
    const found = suggest([bad("https://cdn.example/x.js")], connections);
    assert.equal(found.value, "script-src 'none'; connect-src cdn.example");
  });

  it("narrows connections if a host would allow a malicious one", () => {
    const connections = [
      connection({ url: "https://api.example/v1/pay" }),
      connection({ url: "https://api.example/collect", domainReportedMalicious: true }),
    ];
    const found = suggest([], connections);
    assert.equal(found.value, "connect-src api.example/v1/");
    assert.deepEqual(stillAllowed(found), []);
  });

  it("names paths on a host that is known to bypass policies, so that no finding of severity high is left", () => {
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
        // This folder also serves AngularJS, at about/js/main.min.js.
        ["www.google.com/recaptcha/", "bypass"],
      ],
    );
    // A connection cannot call these functions.
    const connections = [connection({ url: "https://www.google.com/recaptcha/api.js" })];
    assert.equal(suggest([], connections).value, "connect-src www.google.com");
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
      // This host has one owner.
      ["https://shop.workers.dev/a.js", "shop.workers.dev"],
    ] as const) {
      const { value, narrowed } = suggest([good(url)], []);
      assert.equal(value, `script-src ${source}`);
      assert.equal(narrowed[0]?.reason, source.includes("/") ? "anyone-publishes" : undefined, url);
    }
    // A connection runs no code.
    assert.equal(
      suggest([], [connection({ url: "https://s3.amazonaws.com/shop/x.json" })]).value,
      "connect-src s3.amazonaws.com",
    );
  });

  it("narrows a host with bypasses that need 'unsafe-eval' only if the list has 'unsafe-eval'", () => {
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

  it("reports a finding if the exact URL in use bypasses policies", () => {
    const found = suggest([good("https://accounts.google.com/o/oauth2/revoke?callback=x")], []);
    assert.equal(found.value, "script-src accounts.google.com/o/oauth2/revoke");
    assert.deepEqual(
      found.findings.map(({ ruleId }) => ruleId),
      ["security-bypass"],
    );
    assert.match(found.findings[0]?.message ?? "", /accounts\.google\.com is known to host JSONP endpoints/);
  });

  it("names URLs of the own host, with granularity url too, if 'self' would let something malicious in", () => {
    const scripts = [good("https://shop.example/js/own.js"), bad("https://shop.example/js/evil.js")];
    const found = suggest(scripts, [], { granularity: "url" });
    assert.equal(found.value, "script-src shop.example/js/own.js");
    assert.deepEqual(stillAllowed(found), []);
    assert.deepEqual(found.narrowed, [{ source: "'self'", reason: "malicious" }]);
  });

  it("allows the items of an own host that no source can name by 'self'", () => {
    const pageUrl = "https://my_shop.example/";
    const own = script({ url: `${pageUrl}a.js`, host: "my_shop.example", firstPageUrl: pageUrl });
    const found = suggest([own], []);
    assert.equal(found.value, "script-src 'self'");
    assert.deepEqual(found.excluded, []);
  });
});
