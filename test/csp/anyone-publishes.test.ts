import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { lint } from "../../csp/src";

const found = (source: string) =>
  lint(`script-src ${source}`).filter(({ ruleId }) => ruleId === "security-anyone-publishes");

/**
 * The severity, then sources that get a finding of it. Medium: folders of the service, which contain everyone's files; high:
 * domains below which each owner has a host; none: places of one owner, such as a scope of npm.
 */
const SOURCES = `
medium | unpkg.com https://unpkg.com unpkg.com/ esm.sh cdn.skypack.dev cdn.jsdelivr.net ga.jspm.io
medium | cdn.jsdelivr.net/npm/ cdn.jsdelivr.net/gh/ cdn.jsdelivr.net/gh/vuejs/ raw.githack.com
medium | raw.githack.com/vuejs/ cdn.statically.io cdn.statically.io/gh/ deno.land/x/ s3.amazonaws.com
medium | s3.eu-west-1.amazonaws.com s3-us-west-2.amazonaws.com storage.googleapis.com
medium | firebasestorage.googleapis.com firebasestorage.googleapis.com/v0/b/ f002.backblazeb2.com/file/
medium | cdn.shopify.com cdn.shopify.com/s/files/1/0123/4567/ res.cloudinary.com UNPKG.com:443
medium | codepen.io/shop/ script.google.com/macros/ http://unpkg.com cdn.skypack.dev/-/ cdn.skypack.dev/pin/
medium | esm.sh/v135/ esm.sh/stable/ esm.sh/jsr/ esm.sh/stable/gh/vuejs/ esm.sh/v135/jsr/
medium | rawcdn.githack.com/repo/vuejs/ unpkg.com/browse/ npm.elemecdn.com cdn.npmmirror.com unpkg.zhimg.com
medium | cdn.jsdmirror.com/npm/ static1.squarespace.com/static/ static.wixstatic.com/media/
medium | cdn2.hubspot.net/hubfs/ s3.eu-central-003.backblazeb2.com ipfs.io ipfs.io/ipfs/ dweb.link/ipns/
high | *.workers.dev *.pages.dev *.netlify.app *.vercel.app *.web.app *.github.io *.amazonaws.com
high | *.s3.amazonaws.com *.compute.amazonaws.com *.googleapis.com *.myshopify.com *.blob.core.windows.net
high | *.core.windows.net *.windows.net *.cloudfront.net *.azureedge.net *.b-cdn.net *.on.aws
high | *.eu-west-1.on.aws *.cdn77.org *.rsc.cdn77.org *.gcdn.co *.codesandbox.io *.squarespace.com
high | *.hubspotusercontent-na1.net *.com *.co.uk *.jsdelivr.net https://*.workers.dev/js/ *.githack.com
high | *.firebaseapp.com *.oss-cn-hangzhou.aliyuncs.com *.cos.ap-guangzhou.myqcloud.com *.aliyuncs.com
none | unpkg.com/vue@3.4.21/ unpkg.com/@vue/runtime@3/ unpkg.com/vue@3 esm.sh/v135/vue@3.4.21/
none | cdn.jsdelivr.net/npm/vue@3/ cdn.jsdelivr.net/npm/@vue/shared@3/dist/
none | cdn.jsdelivr.net/gh/vuejs/core@v3/ raw.githack.com/vuejs/core/ cdn.statically.io/gh/vuejs/core/main/
none | s3.amazonaws.com/bucket/ firebasestorage.googleapis.com/v0/b/shop.appspot.com/
none | cdn.shopify.com/s/files/1/0123/4567/8901/ cdn.shopify.com/s/files/1/0123/4567/t/2/
none | cdn.shopify.com/shopifycloud/ codepen.io/shop/a.js cdn.skypack.dev/-/vue@v3/ esm.sh/jsr/@std/path@1/
none | esm.sh/stable/vue@3/ esm.sh/gh/vuejs/core/ static1.squarespace.com/static/5f0c/
none | cdn2.hubspot.net/hubfs/12345/ npm.elemecdn.com/vue@3/ unpkg.com/@vue/ cdn.jsdelivr.net/npm/@vue/
none | shop.oss-cn-hangzhou.aliyuncs.com s3.eu-central-003.backblazeb2.com/bucket/ ipfs.io/ipfs/bafy/
none | shop.workers.dev *.shop.workers.dev bucket.s3.amazonaws.com d111111abcdef8.cloudfront.net
none | *.example.com *.clarity.ms *.shop.co.uk *.localhost *.test cdnjs.cloudflare.com * https:
`;

describe("lint: hosts where anyone can publish", () => {
  for (const line of SOURCES.trim().split("\n")) {
    const [severity = "", sources = ""] = line.split(" | ");
    const advice = severity === "high" ? /Name your own host below/ : / serves .* Name your own folder/;
    for (const source of sources.split(" "))
      it(`gives ${source} the severity ${severity}`, () => {
        const all = found(source);
        assert.equal(all.map((one) => one.severity).join() || "none", severity);
        for (const { message } of all) assert.match(message, advice);
      });
  }

  it("know each domain that is not in the Public Suffix List but has suffixes below it", async () => {
    const { suffixFile, suffixText } = await import("../../tools/suffixes.mjs" as string);
    assert.equal(readFileSync(suffixFile, "utf8"), suffixText(), "Run: npm run suffixes");
  });

  it("are reported only for scripts, and not in a list whose hosts browsers ignore", () => {
    assert.deepEqual(
      lint("img-src unpkg.com *.workers.dev; script-src 'self'").filter(({ message }) =>
        /attacker/.test(message),
      ),
      [],
    );
    assert.deepEqual(found("'strict-dynamic' unpkg.com"), []);
  });
});
