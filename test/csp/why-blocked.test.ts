import assert from "node:assert/strict";
import { matches, type PolicyRequest } from "../../provider/src/csp/index";
import { WhyBlocked } from "../../provider/src/csp/why-blocked";

const script = (url: string, pageUrl = "https://shop.example/"): PolicyRequest => ({
  kind: "script",
  url,
  pageUrl,
});

describe("why a policy blocks a request", () => {
  const rows: readonly [string, string, string][] = [
    ["script-src 'self'", "https://cdn.example/a.js", "no source of script-src names the host"],
    ["default-src 'none'", "https://cdn.example/a.js", "no source of default-src names the host"],
    ["script-src example", "https://cdn.example/a.js", "no source of script-src names the host"],
    ["script-src cdn.example/lib/", "https://cdn.example/x/a.js", "the path differs from cdn.example/lib/"],
    [
      "script-src cdn.example/other/ cdn.example/lib/v1/ *.example/lib/x/",
      "https://cdn.example/lib/v2/a.js",
      "the path differs from cdn.example/lib/v1/",
    ],
    ["script-src *.example/lib/", "https://cdn.example/x/a.js?lib", "the path differs from *.example/lib/"],
    ["script-src cdn.example", "http://cdn.example/a.js", "the scheme or the port differs from cdn.example"],
    [
      "script-src cdn.example/lib/",
      "https://cdn.example:8443/lib/a.js",
      "the scheme or the port differs from cdn.example/lib/",
    ],
    ["script-src https:", "blob:https://cdn.example/1", "no source of script-src names blob:"],
    ["script-src 'self'", "data:text/javascript,0", "no source of script-src names data:"],
    [
      "script-src 'strict-dynamic' cdn.example",
      "https://cdn.example/a.js",
      "hosts do not count beside 'strict-dynamic' in script-src",
    ],
    ["script-src cdn.example", "https://", "its URL cannot be read"],
    // Each of several policies must allow: that of the one that blocks.
    [
      "script-src cdn.example, script-src a.example",
      "https://cdn.example/a.js",
      "no source of script-src names the host",
    ],
    ["script-src cdn.example/%5Ba/", "https://cdn.example/b.js", "the path differs from cdn.example/%5Ba/"],
    ["script-src cdn.example/a%3Fb/", "https://cdn.example/b.js", "the path differs from cdn.example/a%3Fb/"],
  ];
  for (const [policy, url, expected] of rows) {
    it(`${policy} and ${url}: ${expected}`, () => {
      assert.ok(!matches(policy, script(url)));
      assert.equal(new WhyBlocked(policy).of(script(url)), expected);
    });
  }

  it("is told of a URL that is relative to its page, and says so where nothing blocks", () => {
    const why = new WhyBlocked("script-src cdn.example; connect-src 'none'");
    assert.equal(why.of(script("/a.js")), "no source of script-src names the host");
    assert.equal(
      why.of({ ...script("//cdn.example/x"), kind: "connection" }),
      "no source of connect-src names the host",
    );
    assert.equal(why.of(script("https://cdn.example/a.js")), "nothing blocks it");
  });
});
