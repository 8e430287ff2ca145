import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { lint } from "../../csp/src";

const found = (source: string) =>
  lint(`script-src ${source}`).filter(({ ruleId }) => ruleId === "security-anyone-publishes");

describe("lint: hosts where anyone can publish", () => {
  const whole = [
    ...[
      "unpkg.com",
      "https://unpkg.com",
      "unpkg.com/",
      "esm.sh",
      "cdn.skypack.dev",
      "cdn.jsdelivr.net",
      "ga.jspm.io",
    ],
    ...["cdn.jsdelivr.net/npm/", "cdn.jsdelivr.net/gh/", "cdn.jsdelivr.net/gh/vuejs/"],
    ...[
      "raw.githack.com",
      "raw.githack.com/vuejs/",
      "cdn.statically.io",
      "cdn.statically.io/gh/",
      "deno.land/x/",
    ],
    ...[
      "s3.amazonaws.com",
      "s3.eu-west-1.amazonaws.com",
      "s3-us-west-2.amazonaws.com",
      "storage.googleapis.com",
    ],
    ...[
      "firebasestorage.googleapis.com",
      "firebasestorage.googleapis.com/v0/b/",
      "f002.backblazeb2.com/file/",
    ],
    ...["cdn.shopify.com", "cdn.shopify.com/s/files/1/0123/4567/", "res.cloudinary.com", "UNPKG.com:443"],
    ...["codepen.io/shop/", "script.google.com/macros/", "http://unpkg.com"],
    // Folders of the service itself, below which everything is.
    ...["cdn.skypack.dev/-/", "cdn.skypack.dev/pin/", "esm.sh/v135/", "esm.sh/stable/", "esm.sh/jsr/"],
    ...["esm.sh/stable/gh/vuejs/", "esm.sh/v135/jsr/", "rawcdn.githack.com/repo/vuejs/", "unpkg.com/browse/"],
    ...["npm.elemecdn.com", "cdn.npmmirror.com", "unpkg.zhimg.com", "cdn.jsdmirror.com/npm/"],
    ...["static1.squarespace.com/static/", "static.wixstatic.com/media/", "cdn2.hubspot.net/hubfs/"],
  ];
  for (const source of whole) {
    it(`${source}: medium, with the reason and what to write`, () => {
      const [finding, ...more] = found(source);
      assert.deepEqual(more, []);
      assert.equal(finding?.severity, "medium");
      assert.match(finding?.message ?? "", / serves .* Name the folder of your own/);
    });
  }

  const wildcards = [
    ...["*.workers.dev", "*.pages.dev", "*.netlify.app", "*.vercel.app", "*.web.app", "*.github.io"],
    ...[
      "*.amazonaws.com",
      "*.s3.amazonaws.com",
      "*.compute.amazonaws.com",
      "*.googleapis.com",
      "*.myshopify.com",
    ],
    ...[
      "*.blob.core.windows.net",
      "*.core.windows.net",
      "*.windows.net",
      "*.cloudfront.net",
      "*.azureedge.net",
    ],
    ...[
      "*.b-cdn.net",
      "*.on.aws",
      "*.eu-west-1.on.aws",
      "*.cdn77.org",
      "*.rsc.cdn77.org",
      "*.gcdn.co",
      "*.codesandbox.io",
      "*.squarespace.com",
      "*.hubspotusercontent-na1.net",
      "*.com",
      "*.co.uk",
      "*.jsdelivr.net",
      "https://*.workers.dev/js/",
      "*.githack.com",
      "*.firebaseapp.com",
    ],
  ];
  for (const source of wildcards) {
    it(`${source}: high, for there each owner has a host`, () => {
      const [finding, ...more] = found(source);
      assert.deepEqual(more, []);
      assert.equal(finding?.severity, "high");
      assert.match(finding?.message ?? "", /Name your own host below/);
    });
  }

  const own = [
    ...["unpkg.com/vue@3.4.21/", "unpkg.com/@vue/runtime@3/", "unpkg.com/vue@3", "esm.sh/v135/vue@3.4.21/"],
    ...[
      "cdn.jsdelivr.net/npm/vue@3/",
      "cdn.jsdelivr.net/npm/@vue/shared@3/dist/",
      "cdn.jsdelivr.net/gh/vuejs/core@v3/",
    ],
    ...["raw.githack.com/vuejs/core/", "cdn.statically.io/gh/vuejs/core/main/", "s3.amazonaws.com/bucket/"],
    ...["firebasestorage.googleapis.com/v0/b/shop.appspot.com/", "cdn.shopify.com/s/files/1/0123/4567/8901/"],
    ...["cdn.shopify.com/s/files/1/0123/4567/t/2/", "cdn.shopify.com/shopifycloud/", "codepen.io/shop/a.js"],
    ...[
      "cdn.skypack.dev/-/vue@v3/",
      "esm.sh/jsr/@std/path@1/",
      "esm.sh/stable/vue@3/",
      "esm.sh/gh/vuejs/core/",
    ],
    ...["static1.squarespace.com/static/5f0c/", "cdn2.hubspot.net/hubfs/12345/", "npm.elemecdn.com/vue@3/"],
    // A scope of npm is one owner's.
    ...["unpkg.com/@vue/", "cdn.jsdelivr.net/npm/@vue/"],
    // One owner's hosts.
    ...["shop.workers.dev", "*.shop.workers.dev", "bucket.s3.amazonaws.com", "d111111abcdef8.cloudfront.net"],
    ...[
      "*.example.com",
      "*.clarity.ms",
      "*.shop.co.uk",
      "*.localhost",
      "*.test",
      "cdnjs.cloudflare.com",
      "*",
      "https:",
    ],
  ];
  for (const source of own) it(`${source}: nothing`, () => assert.deepEqual(found(source), []));

  it("know each domain that the Public Suffix List names only what is below of", async () => {
    const { suffixFile, suffixText } = await import("../../tools/suffixes.mjs" as string);
    assert.equal(readFileSync(suffixFile, "utf8"), suffixText(), "Run: npm run suffixes");
  });

  it("are found for scripts only, and not where hosts do not count", () => {
    assert.deepEqual(
      lint("img-src unpkg.com *.workers.dev; script-src 'self'").filter(({ message }) =>
        /attacker/.test(message),
      ),
      [],
    );
    assert.deepEqual(found("'strict-dynamic' unpkg.com"), []);
  });
});
