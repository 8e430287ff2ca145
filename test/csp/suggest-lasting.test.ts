import assert from "node:assert/strict";
import { matches, suggest } from "../../csp/src";
import { each } from "../support/each";
import { bad, good, life, on15th } from "./items";
import { words } from "./random";

describe("sources of a suggestion that last", () => {
  it("name the widest safe folder, so that the vendor's next release is allowed", () => {
    const rows = `
      https://www.gstatic.com/recaptcha/releases/hfUfsXWZFeg83qqxrK27GB8P/recaptcha__en.js
        www.gstatic.com/recaptcha/releases/
        https://www.gstatic.com/recaptcha/releases/pPK749sccDmVW_9DSeTMVvh2/recaptcha__de.js
      https://ajax.googleapis.com/ajax/libs/jquery/3.7.1/jquery.min.js
        ajax.googleapis.com/ajax/libs/jquery/
        https://ajax.googleapis.com/ajax/libs/jquery/3.8.0/jquery.min.js
      https://securepubads.g.doubleclick.net/pagead/managed/js/gpt/m202401090101/pubads_impl.js
        securepubads.g.doubleclick.net/pagead/
        https://securepubads.g.doubleclick.net/pagead/managed/js/gpt/m202402060101/pubads_impl.js
      https://cdn.shopify.com/s/files/1/0123/4567/8901/t/12/assets/theme.js
        cdn.shopify.com/s/files/1/0123/4567/8901/
        https://cdn.shopify.com/s/files/1/0123/4567/8901/t/13/assets/theme.js
      https://www.paypal.com/sdk/js?client-id=x
        www.paypal.com/sdk/
        https://www.paypal.com/sdk/js?client-id=y`;
    for (const [, url = "", source = "", next = ""] of rows.matchAll(/(\S+)\s+(\S+)\s+(\S+)/g)) {
      const { value, ofOneRelease, findings } = suggest([good(url)], []);
      assert.equal(value, `script-src ${source}`);
      assert.deepEqual([findings, ofOneRelease.length], [[], /\/\d{4}\//.test(source) ? 1 : 0], source);
      assert.ok(matches(value, { kind: "script", url: next, pageUrl: "https://shop.example/" }), next);
    }
  });

  it("name one release only if nothing wider is safe, and the suggestion says so", () => {
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
    assert.deepEqual(each(found.excluded, "allowedBy"), [undefined]);
  });

  it("given granularity path, then they end before the part that the next release renames", () => {
    const byPath = (url: string) => suggest([good(url)], [], { granularity: "path" }).value;
    assert.equal(byPath("https://cdn.example/lib/v1/a.js"), "script-src cdn.example/lib/v1/");
    assert.equal(byPath("https://cdn.example/lib/1.2.3/js/a.js"), "script-src cdn.example/lib/");
    assert.equal(byPath("https://cdn.example/1.2.3/a.js"), "script-src cdn.example");
    const fingerprinted = "js.stripe.com/v3/fingerprinted/js/";
    assert.equal(byPath(`https://${fingerprinted}a-3f2a91bc.js`), `script-src ${fingerprinted}`);
    // Its folder has a known bypass.
    const bypass = "www.google.com/recaptcha/api.js";
    assert.equal(byPath(`https://${bypass}`), `script-src ${bypass}`);
  });

  it("are wildcards if two hosts of the same kind were seen and one owner has all of them", () => {
    const suggested = (...urls: readonly string[]) => suggest(urls.map(good), []);
    const rows: readonly [hosts: string, sources: string][] = [
      ["ws4.vendor.example.com ws12.vendor.example.com", "*.vendor.example.com"],
      ["a.tile.example.org c.tile.example.org", "*.tile.example.org"],
      ["api.eu.example.org api.us.example.org", "*.example.org"],
      ["in-eu-west-1.example.org in-us-east-2.example.org", "*.example.org"],
      ["fra.rum.example.org lhr.rum.example.org", "*.rum.example.org"],
      ["fra1-ib.example.org ams3-ib.example.org", "*.example.org"],
      [
        words("3 12 35 40")
          .map((node) => `297230-${node}.chat.example.org`)
          .join(" "),
        "*.chat.example.org",
      ],
      // Hosts that differ in words may be different services.
      ["api.example.org cdn.example.org", "api.example.org cdn.example.org"],
      // Each of these hosts has another owner.
      ["shop1.workers.dev shop2.workers.dev", "shop1.workers.dev shop2.workers.dev"],
      ["a1.b-cdn.net a2.b-cdn.net", "a1.b-cdn.net a2.b-cdn.net"],
    ];
    const urlsOf = (hosts = "") => words(hosts).map((host) => `https://${host}/a.js`);
    for (const [hosts, sources] of rows) {
      const urls = urlsOf(hosts);
      assert.equal(suggested(...urls).value, `script-src ${sources}`);
      // For connections, no later step would narrow a source where anyone may publish.
      assert.equal(suggest([], urls.map(good)).value, `connect-src ${sources}`);
    }
    assert.deepEqual(suggested(...urlsOf(rows[0]?.[0])).wider, [
      { source: "*.vendor.example.com", instead: ["ws12.vendor.example.com", "ws4.vendor.example.com"] },
    ]);
  });

  it("name each host with an id as long as all of them are in use, because they may belong to customers", () => {
    const seen = (id: string, first: number, last: number, file = "a.js") =>
      life(`https://${id}.in.example.org/${file}`, first, last);
    const always = (...ids: readonly string[]) => ids.map((id) => seen(id, 1, 15));
    const sources = (items: ReturnType<typeof always>) =>
      suggest(items, [], on15th).value.split(" ").slice(1);
    const two = ["o4479", "o5512"];
    assert.deepEqual(sources(always(...two)), ["o4479.in.example.org", "o5512.in.example.org"]);
    // A file that was seen later does not shorten the use of its host.
    const again = [...always("f3a91c2b", "0c77de41"), seen("f3a91c2b", 1, 3, "b.js")];
    assert.deepEqual(sources(again), ["0c77de41.in.example.org", "f3a91c2b.in.example.org"]);
    // One site does not have this many accounts.
    assert.deepEqual(sources(always("o1479", "o2512", "o3604", "o4993")), ["*.in.example.org"]);
    const visitors = [seen("f3a91c2b", 1, 3), seen("0c77de41", 9, 11), life("https://x.example/a.js", 1, 15)];
    assert.deepEqual(sources(visitors), ["*.in.example.org", "x.example"]);
  });

  it("are reported if they may be one of many, and only one was seen or no wildcard is possible", () => {
    const { mayChange } = suggest(
      [
        good("https://ws4.vendor.example.com/a.js"),
        good("https://www.vendor.co.uk/a.js"),
        good("https://www.vendor.fr/a.js"),
        good("https://cdn.example.org/a.js"),
        // The shop is a customer of two services under the same name.
        good("https://brand.azureedge.net/a.js"),
        good("https://brand.github.io/a.js"),
      ].map((one) => ({ ...one, firstSeenAt: "2024-04-20T00:00:00Z" })),
      [],
    );
    assert.deepEqual(mayChange, ["ws4.vendor.example.com", "www.vendor.co.uk", "www.vendor.fr"]);
    const byPath = suggest([good("https://cdn.example.org/v3/a.js")], [], { granularity: "path" });
    assert.deepEqual(byPath.mayChange, ["cdn.example.org/v3/"]);
    // A wildcard already allows the others, and a file is not a folder.
    const tiles = ["https://b.tile.example.com/v3/a.js", "https://c.tile.example.com/v3/a.js"].map(good);
    const byWildcard = suggest(tiles, [], { granularity: "path" });
    assert.deepEqual([byWildcard.value, byWildcard.mayChange], ["script-src *.tile.example.com/v3/", []]);
    const byUrl = suggest([good("https://cdn.example.org/lib/v3")], [], { granularity: "url" });
    assert.deepEqual([byUrl.value, byUrl.mayChange], ["script-src cdn.example.org/lib/v3", []]);
  });

  it("given granularity path, then similar folders decide whether a folder stays", () => {
    const suggested = (folders: readonly string[], first: number, last: number) =>
      folders.map((folder) => life(`https://cdn.example/${folder}/a.js`, first, last));
    const byPath = (...scripts: Parameters<typeof suggest>[0]) =>
      suggest(scripts, [], { granularity: "path", ...on15th });
    const always: readonly [readonly string[], string][] = [
      // Two folders that were both in use all the time belong to customers. One site does not have four customer folders.
      [["4711", "9321"], "cdn.example/4711/ cdn.example/9321/"],
      [["4711", "9321", "5512", "8877"], "cdn.example"],
      // A single id belongs to a customer. Versions and months never do, whatever is beside them.
      [["12345678"], "cdn.example/12345678/"],
      [["1.2.3"], "cdn.example"],
      [["lib/3.1", "lib/3.1.30"], "cdn.example/lib/"],
      [["lib/nov"], "cdn.example/lib/"],
      // Visitors with other languages meet other folders.
      [["l/de_DE", "l/en_US"], "cdn.example/l/"],
      [["l/de", "l/fr"], "cdn.example/l/"],
      [["l/js", "l/de"], "cdn.example/l/de/ cdn.example/l/js/"],
    ];
    for (const [folders, sources] of always)
      assert.equal(byPath(...suggested(folders, 1, 15)).value, `script-src ${sources}`);
    // Folders that follow one another are releases, although the name alone does not show it.
    const releases = byPath(...suggested(["lib/v3"], 1, 8), ...suggested(["lib/v4"], 8, 15));
    assert.equal(releases.value, "script-src cdn.example/lib/");
    const other = life("https://x.example/lib/a.js", 1, 15);
    const recent = byPath(other, ...suggested(["12345678"], 9, 15));
    assert.equal(recent.value, "script-src cdn.example x.example/lib/");
    const { wider } = byPath(...suggested(["1.2.3"], 1, 15));
    assert.deepEqual(wider, [{ source: "cdn.example", instead: ["cdn.example/1.2.3/"] }]);
    assert.deepEqual(byPath(...suggested(["en_US"], 1, 15)).mayChange, ["cdn.example/en_US/"]);
  });
});
