import assert from "node:assert/strict";
import fc from "fast-check";
import { isMatch, makeExactPattern, readPattern, urlKeys } from "../../../command/src/inventory/match";

describe("The field `match` of an inventory entry", () => {
  // A pattern, URLs that it matches (+), and URLs that it does not match (-).
  const cases = `
https://js.payments.example/v3/*
+ https://js.payments.example/v3/pay.js https://JS.payments.example:443/v3/ https://js.payments.example/v3/a.js#x
- https://js.payments.example/v3/sub/pay.js https://js.payments.example/v3 https://js.payments.example/v3/pay.js?id=1
- http://js.payments.example/v3/pay.js https://js.payments.example:8443/v3/pay.js https://evil.example/v3/pay.js
https://cdn-*.shop.example/*/app.*.js
+ https://cdn-7.shop.example/2024/app.3f2a.js https://cdn-.shop.example//app.a.b.js
- https://cdn-7.eu.shop.example/2024/app.3f2a.js https://cdn-7.shop.example/a/b/app.3f2a.js
- https://cdn-7.shop.example/2024/app.js
https://a.example/t.js?id=GTM-1&v=*
+ https://a.example/t.js?id=GTM-1&v=2
- https://a.example/t.js?id=GTM-2&v=2 https://a.example/t.js
https://a.example/t.js?*
+ https://a.example/t.js?x=/y/z https://a.example/t.js
- https://a.example/t.jsx
https://a.example/t.js
+ https://a.example/t.js https://a.example/t.js?
- https://a.example/t.js?x
https://a.example/x%2Ay.js
+ https://a.example/x*y.js https://a.example/x%2ay.js
- https://a.example/xzy.js
https://a.example/%c3%a4.js
+ https://a.example/ä.js
- https://a.example/a.js
https://münze.example/a.js
+ https://xn--mnze-0ra.example/a.js
https://a.example/a*a*a.js
+ https://a.example/aaa.js https://a.example/aXaYa.js
- https://a.example/aa.js
https://a.example/*ab*ab
+ https://a.example/abab https://a.example/xabxab
- https://a.example/ab https://a.example/aba
blob:https://shop.example/*
+ blob:https://shop.example/0d4c
- blob:https://evil.example/0d4c https://shop.example/0d4c
https://cdn.jsdelivr.net/npm/vue@*/dist/vue.js
+ https://cdn.jsdelivr.net/npm/vue@3.4.1/dist/vue.js
- https://cdn.jsdelivr.net/npm/evil/vue@3/dist/vue.js
https://unpkg.com/@shop/form@1.*/dist/*.js
+ https://unpkg.com/@shop/form@1.2.0/dist/a.js
- https://unpkg.com/@shop/form-evil@1.2.0/dist/a.js https://unpkg.com/@shop/form@1/x@1.0/dist/a.js
https://storage.googleapis.com/shop/*.js
+ https://storage.googleapis.com/shop/a.js
- https://storage.googleapis.com/shop/x%2fa.js https://storage.googleapis.com/shop/x%5Ca.js
https://cdn*.segment.com/analytics.js/v1/shop/*.js
+ https://cdn.segment.com/analytics.js/v1/shop/a.js
- https://cdn.segment.com/analytics.js/v1/evil/a.js
https://a.example/x%2fy.js
+ https://a.example/x%2Fy.js
- https://a.example/x/y.js
https://10.0.0.1/*
+ https://10.0.0.1/a.js
- https://10.0.0.12/a.js`;
  for (const one of cases.split(/\n(?=\w)/).slice(1)) {
    const [pattern = "", ...rows] = one.split("\n");
    it(`matches URLs by the pattern ${pattern}`, () => {
      const read = readPattern(pattern);
      assert.ok(!("fault" in read), JSON.stringify(read));
      for (const [sign, ...urls] of rows.map((row) => row.split(" ")))
        for (const url of urls) assert.equal(isMatch(read, urlKeys(url)), sign === "+", url);
    });
  }

  const faults: Readonly<Record<string, string>> = {
    "not a whole URL": " js.payments.example/v3/* *",
    "registrable domain":
      "https://*.example.com*/a.js https://*/a.js https://*.com/a.js https://cdn.*/a.js https://*.co.uk/a.js https://*.github.io/a.js https://*.cloudfront.net/a.js https://*.s3.amazonaws.com/a.js https://*.com./a.js https://*.github.io./a.js",
    "anyone may publish":
      "https://unpkg.com/* https://cdn.jsdelivr.net/npm/*/dist/a.js https://s3.amazonaws.com/*/a.js https://unpkg.com/good*/ https://unpkg.com/good*@1.0.0/a.js https://unpkg.com/@shop*/form/a.js https://ga.jspm.io/npm:@shop*/form/a.js https://cdn.jsdelivr.net/gh/org*/repo/a.js https://cdn.jsdelivr.net/gh/org/repo*/a.js https://cdn.jsdelivr.net/gh/org%2f*/a.js https://s3.amazonaws.com/shop-*/x.js https://storage.googleapis.com/shop-*/x.js https://shop-*.storage.googleapis.com/x.js https://shop-*.s3.wasabisys.com/x.js https://unpkg.com./* data:text/javascript,* data:text/javascript,1?*",
    "may publish":
      "https://s3.eu-central-003.backblazeb2.com/*/a.js https://shop-*.s3.eu-central-003.backblazeb2.com/a.js https://ipfs.io/ipfs/*",
    "everyone's tag manager container":
      "https://www.googletagmanager.com/gtm.js?id=* https://www.googletagmanager.com./gtm.js?id=* https://www.googletagmanager.com/gtag/js?*",
    "everyone's tag manager containers":
      "https://tags.tiqcdn.com/utag/*/main/prod/utag.js https://assets.adobedtm.com/*/launch.js https://assets.adobedtm.com/a/*/launch.js https://cdn.optimizely.com/js/*.js https://static.hotjar.com/c/hotjar-*.js https://js.hs-scripts.com/*.js https://cdn.segment.com/analytics.js/v1/*/analytics.min.js https://dev.visualwebsiteoptimizer.com/j.php?a=*",
    "tag manager containers":
      "https://tags*.tiqcdn.com/utag/*/x/prod/utag.js https://cdn*.segment.com/analytics.js/v1/*/a.js https://*.adobedtm.com/*/*/a.js https://*.optimizely.com/js/*.js https://js-*.hs-scripts.com/*.js https://js-ap1.hs-scripts.com/*.js https://dev*.visualwebsiteoptimizer.com/j.php?a=*",
    "anyone can have a host below":
      "https://shop-*.b-cdn.net/a.js https://shop-*.kxcdn.com/a.js https://cdn-*.azure.com/a.js https://*.kxcdn.com/a.js https://*.b-cdn.net/a.js",
    "can have a host below":
      "https://shop*.oss-cn-hangzhou.aliyuncs.com/a.js https://*.cos.ap-guangzhou.myqcloud.com/a.js https://shop.*.aliyuncs.com/a.js",
    "registrable domain, so":
      "https://*.blob.core.windows.net/c/a.js https://*.r2.dev/a.js https://shop-*.s3.eu-west-1.amazonaws.com/a.js",
    "user name or a password": "https://user@a.example/a.js https://:secret@a.example/a.js",
    fragment: "https://a.example/a.js#top",
    "space or a control": "https://a.example/a\tb.js https://a.example/\u202Ea.js",
    "longer than 2048": `https://a.example/${"a".repeat(3000)}`,
  };
  for (const [fault, texts] of Object.entries(faults))
    for (const text of texts.split(" "))
      it(`refuses ${JSON.stringify(text.slice(0, 60))}: ${fault}`, () => {
        const read = readPattern(text);
        assert.ok("fault" in read && read.fault.includes(fault), JSON.stringify(read));
      });

  it("matches only one URL if it is a URL", () => {
    fc.assert(
      fc.property(webUrl, webUrl, (text, other) => {
        const url = new URL(text.replace(/%/g, "*"));
        const exact = makeExactPattern(url);
        assert.ok(exact !== undefined);
        const read = readPattern(exact);
        assert.ok(!("fault" in read));
        assert.ok(read.keys.every((key) => !key.includes("*")));
        assert.ok(isMatch(read, urlKeys(url.href)));
        assert.equal(isMatch(read, urlKeys(other)), withoutFragment(new URL(other)) === withoutFragment(url));
      }),
      { numRuns: 40 },
    );
  });

  it("needs no backtracking, even for a hostile URL", () => {
    const read = readPattern(`https://a.example/${"a*".repeat(900)}b`);
    assert.ok(!("fault" in read));
    // Backtracking over all ways to place 900 stars in a million letters would never end.
    assert.equal(isMatch(read, urlKeys(`https://a.example/${"a".repeat(1_000_000)}`)), false);
  });
});

/** Random URLs. `fc.webUrl` would take half a second to build, because of its paths. */
const webUrl = fc
  .tuple(
    fc.webAuthority(),
    fc.stringMatching(/^(\/[\w.~%+-]{0,8}){0,4}$/),
    fc.webQueryParameters(),
    fc.webFragments(),
  )
  .map(([host, path, query, fragment]) => `https://${host}${path}?${query}#${fragment}`);

function withoutFragment({ href }: URL): string {
  return href.replace(/#.*/, "");
}
