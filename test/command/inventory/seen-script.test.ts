import assert from "node:assert/strict";
import fc from "fast-check";
import { isMatch, readPattern, urlKeys } from "../../../command/src/inventory/match";
import { groupsOf, seenScripts } from "../../../command/src/inventory/seen-script";
import { anyScript } from "../../csp/items";
import { hashOf, policy, seen } from "./items";

describe("Scripts as an inventory sees them", () => {
  it("have what the service says of them, and nothing where it says nothing", () => {
    const [full, bare] = seen([
      { url: "https://js.example/a.js", hash: hashOf(10).toUpperCase(), jsIntegrityScore: 12 },
      { url: "https://js.example/b.js", firstSeenAt: "never", lastSeenAt: "" },
    ]);
    assert.equal(full?.hash, hashOf(10));
    assert.equal(full?.score, 12);
    assert.equal(full?.malice, "its integrity score is 12, below 50");
    assert.deepEqual([full?.firstSeen, full?.lastSeen], ["2024-01-01", "2024-05-01"]);
    assert.deepEqual(full?.pages, ["shop.example/checkout"]);
    assert.deepEqual(full?.host, ["shop.example"]);
    assert.equal(bare?.hash, undefined);
    assert.deepEqual([bare?.firstSeen, bare?.lastSeen], [undefined, undefined]);
  });

  it("are allowed by the enforced policies of their page that name a source for them", () => {
    const url = "https://js.example/a.js";
    const allowedBy = (...policies: Parameters<typeof policy>[0][]) =>
      seen([url], { policies: policies.map(policy) })[0]?.allowedBy;
    assert.deepEqual(allowedBy({}), ["checkout"]);
    assert.deepEqual(allowedBy({ description: " " }), ["p1"]);
    assert.deepEqual(allowedBy({ action: "log" }), []);
    assert.deepEqual(allowedBy({ enabled: false }), []);
    assert.deepEqual(allowedBy({ value: "script-src 'self'" }), []);
    assert.deepEqual(allowedBy({ value: "img-src 'self'" }), []);
    assert.deepEqual(allowedBy({ expression: 'http.host eq "blog.example"' }), []);
    assert.deepEqual(allowedBy({}, { description: "all", expression: "true", value: "script-src https:" }), [
      "checkout",
      "all",
    ]);
    assert.equal(seen([url], { policies: undefined })[0]?.allowedBy, undefined);
  });

  it("are on the pages whose lists have them", () => {
    const pages = new Map([["x", ["https://shop.example/pay"]]]);
    assert.deepEqual(seen([{ id: "x", url: "https://js.example/a.js" }], { pages })[0]?.pages, [
      "https://shop.example/pay",
    ]);
  });
});

describe("Versions of one script", () => {
  const groups = (urls: readonly string[]) =>
    groupsOf(seen(urls)).map(({ match, scripts }) => [match, scripts.length]);

  it("are one entry with * for what the next release changes", () => {
    assert.deepEqual(
      groups([
        "https://cdn.example/app.3f2a91bc.js",
        "https://cdn.example/app.9c1d22ee.js",
        "https://cdn.example/3.7.1/jquery.min.js",
        "https://cdn.example/3.7.2/jquery.min.js",
        "https://cdn.example/tag.js?v=1.2",
        "https://cdn.example/tag.js?v=1.3",
      ]),
      [
        ["https://cdn.example/*/jquery.min.js", 2],
        ["https://cdn.example/app.*.js", 2],
        ["https://cdn.example/tag.js?v=*", 2],
      ],
    );
  });

  it("stay exact where there is just one: its number may be a customer's id", () => {
    assert.deepEqual(
      groups(["https://cdn.example/c/hotjar-123456.js", "https://cdn.example/app.3f2a91bc.js"]),
      [
        ["https://cdn.example/app.3f2a91bc.js", 1],
        ["https://cdn.example/c/hotjar-123456.js", 1],
      ],
    );
  });

  it("are not distinguished from other scripts by a name that says nothing, or by an id in the query", () => {
    for (const urls of [
      ["https://cdn.example/3f2a91bc.js", "https://cdn.example/9c1d22ee.js"],
      ["https://cdn.example/3f2a91bc.chunk.js", "https://cdn.example/9c1d22ee.chunk.js"],
      ["https://cdn.example/gtm.js?id=GTM-AB12345", "https://cdn.example/gtm.js?id=GTM-CD12345"],
    ])
      assert.deepEqual(
        groups(urls),
        urls.map((url) => [url, 1]),
      );
  });

  it("stay apart where their pattern would match another script too", () => {
    const urls = [
      "https://cdn.example/app.3f2a91bc.js",
      "https://cdn.example/app.9c1d22ee.js",
      "https://cdn.example/app.min.js",
    ];
    assert.deepEqual(
      groups(urls),
      urls.map((url) => [url, 1]),
    );
  });

  it("of any zone are in patterns of which just one matches each script", () => {
    fc.assert(
      fc.property(fc.array(anyScript, { maxLength: 12 }), (scripts) => {
        const all = seenScripts(scripts, { policies: [], threshold: 50 });
        const grouped = groupsOf(all);
        const patterns = grouped.flatMap(({ match }) => {
          if (match === undefined) return [];
          const read = readPattern(match);
          assert.ok(!("fault" in read), match);
          return [read];
        });
        for (const { match, scripts: members } of grouped)
          for (const { url } of members) {
            const found = patterns.filter((pattern) => isMatch(pattern, urlKeys(url)));
            assert.deepEqual(
              found.map(({ text }) => text),
              match === undefined ? [] : [match],
            );
          }
        assert.equal(grouped.flatMap((group) => group.scripts).length, scripts.length);
      }),
    );
  });
});
