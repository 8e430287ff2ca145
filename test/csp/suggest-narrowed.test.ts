import assert from "node:assert/strict";
import { type Suggestion, suggest } from "../../csp/src";
import { each } from "../support/each";
import { bad, connection, good, script } from "./items";
import { words } from "./random";

/** Suggests sources for scripts in use, beside scripts of an attacker. */
const suggestFor = (used: readonly string[], malicious: readonly string[] = [], options = {}) =>
  suggest([...used.map((url) => good(url)), ...malicious.map((url) => bad(url))], [], options);
/** Returns items that are allowed although they are not suggested, with the source that allows each. */
const stillAllowed = ({ excluded }: Suggestion) =>
  excluded.flatMap(({ item, allowedBy }) => (allowedBy === undefined ? [] : [`${item.url} by ${allowedBy}`]));

describe("a suggestion with narrowed sources", () => {
  it("names paths if a host also serves a malicious script, and reports this", () => {
    const used = ["https://cdn.example/shop/a.js", "https://ok.example/a.js"];
    const found = suggestFor(used, ["https://cdn.example/x/evil.js"]);
    assert.equal(found.value, "script-src cdn.example/shop/ ok.example");
    assert.deepEqual(stillAllowed(found), []);
    assert.deepEqual(found.narrowed, [{ source: "cdn.example", reason: "malicious" }]);
    assert.deepEqual(found.included, { scripts: 2, connections: 0 });
  });

  it("names URLs only if the malicious script is in the same folder", () => {
    const used = ["https://cdn.example/x/a.js", "https://cdn.example/y/b.js"];
    const found = suggestFor(used, ["https://cdn.example/x/evil.js"]);
    assert.equal(found.value, "script-src cdn.example/x/a.js cdn.example/y/");
    assert.deepEqual(stillAllowed(found), []);
  });

  it("names paths and URLs of the own host if 'self' would let something malicious in", () => {
    const [own, evil] = ["https://shop.example/js/own.js", "https://shop.example/uploads/evil.js"];
    const found = suggestFor([own, "https://shop.example/uploads/fine.js"], [evil]);
    assert.equal(found.value, "script-src shop.example/js/ shop.example/uploads/fine.js");
    assert.deepEqual(stillAllowed(found), []);
    assert.deepEqual(each(found.narrowed, "source"), ["'self'", "shop.example/uploads/"]);
    assert.deepEqual(each(found.narrowed, "reason"), ["malicious", "malicious"]);
    // The next build has other file names in the same folder.
    const byPath = suggestFor([own], [evil], { granularity: "path" });
    assert.equal(byPath.value, "script-src shop.example/js/");
    const byUrl = suggestFor([own], ["https://shop.example/js/evil.js"], { granularity: "url" });
    assert.equal(byUrl.value, "script-src shop.example/js/own.js");
    assert.deepEqual(stillAllowed(byUrl), []);
    assert.deepEqual(byUrl.narrowed, [{ source: "'self'", reason: "malicious" }]);
  });

  it("first reports malicious items that it cannot block because only their query differs, with the source that allows them", () => {
    const same = "https://cdn.example/a.js?v=2";
    const found = suggestFor(["https://cdn.example/a.js?v=1"], ["https://evil.example/x.js", same]);
    assert.equal(found.value, "script-src cdn.example/a.js");
    assert.deepEqual(each(found.excluded, "allowedBy"), ["cdn.example/a.js", undefined]);
    assert.equal(found.excluded[0]?.item.url, same);
    assert.deepEqual(found.included, { scripts: 1, connections: 0 });
  });

  it("reports excluded items that the base policy or another source allows", () => {
    const base = { "script-src": ["https:"] };
    const evil = suggestFor([], ["https://evil.example/x.js"], { base });
    assert.deepEqual(stillAllowed(evil), ["https://evil.example/x.js by https:"]);
    const old = script({ url: "https://cdn.example/old.js", status: "inactive" });
    const beside = suggest([good("https://cdn.example/a.js"), old], []);
    assert.deepEqual(stillAllowed(beside), ["https://cdn.example/old.js by cdn.example"]);
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
    const jquery = "ajax.googleapis.com/ajax/libs/jquery/";
    const recaptcha = "www.google.com/recaptcha/api.js";
    const found = suggestFor([`https://${jquery}3.7.1/jquery.min.js`, `https://${recaptcha}`]);
    assert.equal(found.value, `script-src ${jquery} ${recaptcha}`);
    assert.deepEqual(found.findings, []);
    // The last folder also serves AngularJS, at about/js/main.min.js.
    const parents = `ajax.googleapis.com ajax.googleapis.com/ajax/ ajax.googleapis.com/ajax/libs/
      www.google.com www.google.com/recaptcha/`;
    assert.deepEqual(each(found.narrowed, "source"), words(parents));
    assert.deepEqual(new Set(each(found.narrowed, "reason")), new Set(["bypass"]));
    // A connection cannot call these functions.
    const connections = [connection({ url: `https://${recaptcha}` })];
    assert.equal(suggest([], connections).value, "connect-src www.google.com");
  });

  it("allows only your own folder of a host where anyone can publish", () => {
    for (const [url, source] of [
      ["s3.eu-west-1.amazonaws.com/shop-assets/js/a.js", "s3.eu-west-1.amazonaws.com/shop-assets/"],
      ["raw.githack.com/shop/lib/main/a.js", "raw.githack.com/shop/lib/"],
      ["cdn.jsdelivr.net/gh/shop/lib@v3/a.js", "cdn.jsdelivr.net/gh/shop/lib@v3/"],
      ["firebasestorage.googleapis.com/v0/b/shop/o/a.js", "firebasestorage.googleapis.com/v0/b/shop/"],
      ["codepen.io/shop/a.js", "codepen.io/shop/a.js"],
      // This host has one owner.
      ["shop.workers.dev/a.js", "shop.workers.dev"],
    ] as const) {
      const { value, narrowed } = suggestFor([`https://${url}`]);
      assert.equal(value, `script-src ${source}`);
      assert.equal(narrowed[0]?.reason, source.includes("/") ? "anyone-publishes" : undefined, url);
    }
    // A connection runs no code.
    const file = connection({ url: "https://s3.amazonaws.com/shop/x.json" });
    assert.equal(suggest([], [file]).value, "connect-src s3.amazonaws.com");
  });

  it("narrows a host with bypasses that need 'unsafe-eval' only if the list has 'unsafe-eval'", () => {
    const host = "ssl.google-analytics.com";
    const suggested = (options = {}) => suggestFor([`https://${host}/ga.js`], [], options).value;
    assert.equal(suggested(), `script-src ${host}`);
    const unsafe = { base: { "script-src": ["'unsafe-eval'"] } };
    assert.equal(suggested(unsafe), `script-src 'unsafe-eval' ${host}/ga.js`);
    assert.equal(suggested({ base: { "script-src": ["'self'"] } }), `script-src 'self' ${host}`);
  });

  it("reports a finding if the exact URL in use bypasses policies", () => {
    const found = suggest([good("https://accounts.google.com/o/oauth2/revoke?callback=x")], []);
    assert.equal(found.value, "script-src accounts.google.com/o/oauth2/revoke");
    assert.deepEqual(each(found.findings, "ruleId"), ["security-bypass"]);
    assert.match(found.findings[0]?.message ?? "", /accounts\.google\.com is known to host JSONP endpoints/);
  });

  it("allows the items of an own host that no source can name by 'self'", () => {
    const pageUrl = "https://my_shop.example/";
    const own = script({ url: `${pageUrl}a.js`, host: "my_shop.example", firstPageUrl: pageUrl });
    const found = suggest([own], []);
    assert.equal(found.value, "script-src 'self'");
    assert.deepEqual(found.excluded, []);
  });
});
