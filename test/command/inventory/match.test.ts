import assert from "node:assert/strict";
import fc from "fast-check";
import { exactPattern, isMatch, readPattern, urlKeys } from "../../../command/src/inventory/match";

describe("What `match` of an inventory entry matches", () => {
  const cases: readonly (readonly [
    pattern: string,
    matching: readonly string[],
    others: readonly string[],
  ])[] = [
    [
      "https://js.payments.example/v3/*",
      [
        "https://js.payments.example/v3/pay.js",
        "https://JS.payments.example:443/v3/",
        "https://js.payments.example/v3/a.js#x",
      ],
      [
        "https://js.payments.example/v3/sub/pay.js",
        "https://js.payments.example/v3",
        "https://js.payments.example/v3/pay.js?id=1",
        "http://js.payments.example/v3/pay.js",
        "https://js.payments.example:8443/v3/pay.js",
        "https://evil.example/v3/pay.js",
      ],
    ],
    [
      "https://cdn-*.shop.example/*/app.*.js",
      ["https://cdn-7.shop.example/2024/app.3f2a.js", "https://cdn-.shop.example//app.a.b.js"],
      [
        "https://cdn-7.eu.shop.example/2024/app.3f2a.js",
        "https://cdn-7.shop.example/a/b/app.3f2a.js",
        "https://cdn-7.shop.example/2024/app.js",
      ],
    ],
    [
      "https://a.example/t.js?id=GTM-1&v=*",
      ["https://a.example/t.js?id=GTM-1&v=2"],
      ["https://a.example/t.js?id=GTM-2&v=2", "https://a.example/t.js"],
    ],
    [
      "https://a.example/t.js?*",
      ["https://a.example/t.js?x=/y/z", "https://a.example/t.js"],
      ["https://a.example/t.jsx"],
    ],
    [
      "https://a.example/t.js",
      ["https://a.example/t.js", "https://a.example/t.js?"],
      ["https://a.example/t.js?x"],
    ],
    [
      "https://a.example/x%2Ay.js",
      ["https://a.example/x*y.js", "https://a.example/x%2ay.js"],
      ["https://a.example/xzy.js"],
    ],
    ["https://a.example/%c3%a4.js", ["https://a.example/ä.js"], ["https://a.example/a.js"]],
    ["https://münze.example/a.js", ["https://xn--mnze-0ra.example/a.js"], []],
    [
      "https://a.example/a*a*a.js",
      ["https://a.example/aaa.js", "https://a.example/aXaYa.js"],
      ["https://a.example/aa.js"],
    ],
    [
      "https://a.example/*ab*ab",
      ["https://a.example/abab", "https://a.example/xabxab"],
      ["https://a.example/ab", "https://a.example/aba"],
    ],
    [
      "blob:https://shop.example/*",
      ["blob:https://shop.example/0d4c"],
      ["blob:https://evil.example/0d4c", "https://shop.example/0d4c"],
    ],
    [
      "https://cdn.jsdelivr.net/npm/vue@*/dist/vue.js",
      ["https://cdn.jsdelivr.net/npm/vue@3.4.1/dist/vue.js"],
      ["https://cdn.jsdelivr.net/npm/evil/vue@3/dist/vue.js"],
    ],
    [
      "https://unpkg.com/@shop/form@1.*/dist/*.js",
      ["https://unpkg.com/@shop/form@1.2.0/dist/a.js"],
      ["https://unpkg.com/@shop/form-evil@1.2.0/dist/a.js", "https://unpkg.com/@shop/form@1/x@1.0/dist/a.js"],
    ],
    [
      "https://storage.googleapis.com/shop/*.js",
      ["https://storage.googleapis.com/shop/a.js"],
      ["https://storage.googleapis.com/shop/x%2fa.js", "https://storage.googleapis.com/shop/x%5Ca.js"],
    ],
    ["https://a.example/x%2fy.js", ["https://a.example/x%2Fy.js"], ["https://a.example/x/y.js"]],
    ["https://10.0.0.1/*", ["https://10.0.0.1/a.js"], ["https://10.0.0.12/a.js"]],
  ];
  for (const [pattern, matching, others] of cases) {
    it(pattern, () => {
      const read = readPattern(pattern);
      assert.ok(!("fault" in read), JSON.stringify(read));
      assert.deepEqual(
        [...matching, ...others].filter((url) => isMatch(read, urlKeys(url))),
        matching,
      );
    });
  }

  const faults: readonly (readonly [string, RegExp])[] = [
    ["", /not a whole URL/],
    ["js.payments.example/v3/*", /not a whole URL/],
    ["*", /not a whole URL/],
    ["https://*.example.com*/a.js", /registrable domain/],
    ["https://*/a.js", /registrable domain/],
    ["https://*.com/a.js", /registrable domain/],
    ["https://cdn.*/a.js", /registrable domain/],
    ["https://*.co.uk/a.js", /registrable domain/],
    ["https://*.github.io/a.js", /registrable domain/],
    ["https://*.cloudfront.net/a.js", /registrable domain/],
    ["https://*.s3.amazonaws.com/a.js", /registrable domain/],
    ["https://unpkg.com/*", /anyone may publish: unpkg\.com serves/],
    ["https://cdn.jsdelivr.net/npm/*/dist/a.js", /anyone may publish/],
    ["https://s3.amazonaws.com/*/a.js", /anyone may publish/],
    ...[
      "https://unpkg.com/good*/",
      "https://unpkg.com/good*@1.0.0/a.js",
      "https://unpkg.com/@shop*/form/a.js",
      "https://ga.jspm.io/npm:@shop*/form/a.js",
      "https://cdn.jsdelivr.net/gh/org*/repo/a.js",
      "https://cdn.jsdelivr.net/gh/org/repo*/a.js",
      "https://cdn.jsdelivr.net/gh/org%2f*/a.js",
      "https://s3.amazonaws.com/shop-*/x.js",
      "https://storage.googleapis.com/shop-*/x.js",
      "https://shop-*.storage.googleapis.com/x.js",
      "https://shop-*.s3.wasabisys.com/x.js",
    ].map((text) => [text, /anyone may publish/] as const),
    ["https://www.googletagmanager.com/gtm.js?id=*", /anyone may publish: .*container/],
    ["https://www.googletagmanager.com/gtag/js?*", /anyone may publish: .*container/],
    ["https://user@a.example/a.js", /user name/],
    ["https://:secret@a.example/a.js", /password/],
    ["https://a.example/a.js#top", /fragment/],
    ["https://a.example/a b.js", /space/],
    ["https://a.example/\u202Ea.js", /control/],
    [`https://a.example/${"a".repeat(3000)}`, /longer than 2048/],
  ];
  for (const [text, fault] of faults) {
    it(`refuses ${JSON.stringify(text.slice(0, 60))}`, () => {
      const read = readPattern(text);
      assert.ok("fault" in read);
      assert.match(read.fault, fault);
    });
  }

  it("a URL as its own pattern matches just that URL", () => {
    fc.assert(
      fc.property(webUrl, webUrl, (text, other) => {
        const url = new URL(text.replace(/%/g, "*"));
        const exact = exactPattern(url);
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

  it("takes a URL built against it without looking back", () => {
    const read = readPattern(`https://a.example/${"a*".repeat(900)}b`);
    assert.ok(!("fault" in read));
    // Trying every way to place 900 stars in a million letters would not end.
    assert.equal(isMatch(read, urlKeys(`https://a.example/${"a".repeat(1_000_000)}`)), false);
  });
});

/** `fc.webUrl` takes half a second to be made, because of its paths. */
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
