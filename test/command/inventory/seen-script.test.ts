import assert from "node:assert/strict";
import fc from "fast-check";
import { isMatch, readPattern, urlKeys } from "../../../command/src/inventory/match";
import { groupScripts, readSeenScripts } from "../../../command/src/inventory/seen-script";
import { anyScript } from "../../csp/items";
import { each } from "../../support/each";
import { policy, seen } from "./items";

describe("Scripts that were seen", () => {
  it("are allowed by the enforced policies of their page that have a matching source", () => {
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
    const all = { description: "all", expression: "true", value: "script-src https:" };
    assert.deepEqual(allowedBy({}, all), ["checkout", "all"]);
    assert.equal(seen([url], { policies: undefined })[0]?.allowedBy, undefined);
  });
});

describe("Several scripts", () => {
  for (const [what, urls, patterns] of [
    [
      "become one entry with * for the part that a release changes",
      "app.3f2a91bc.js app.9c1d22ee.js 3.7.1/jquery.min.js 3.7.2/jquery.min.js tag.js?v=1.2 tag.js?v=1.3",
      "*/jquery.min.js app.*.js tag.js?v=*",
    ],
    [
      "keep their exact URLs if there is only one version, whose number may be an id",
      "app.3f2a91bc.js c/hotjar-123456.js",
    ],
    ["are not grouped if their names are only hashes", "3f2a91bc.js 9c1d22ee.js"],
    ["are not grouped if their names are too common", "3f2a91bc.chunk.js 9c1d22ee.chunk.js"],
    ["are not grouped if they differ by an id in the query", "gtm.js?id=GTM-AB12345 gtm.js?id=GTM-CD12345"],
    ["are not grouped if another script matches", "app.3f2a91bc.js app.9c1d22ee.js app.min.js"],
  ] as const)
    it(what, () => {
      const all = (names: string) => names.split(" ").map((name) => `https://cdn.example/${name}`);
      const groups = groupScripts(seen(all(urls)));
      assert.deepEqual(each(groups, "match"), all(patterns ?? urls));
    });

  it("of any zone get patterns of which exactly one matches each script", () => {
    fc.assert(
      fc.property(fc.array(anyScript, { maxLength: 12 }), (scripts) => {
        const all = readSeenScripts(scripts, { policies: [], threshold: 50 });
        const grouped = groupScripts(all);
        const patterns = grouped.flatMap(({ match }) => {
          if (match === undefined) return [];
          const read = readPattern(match);
          assert.ok(!("fault" in read), match);
          return [read];
        });
        for (const { match, scripts: members } of grouped)
          for (const { url } of members) {
            const found = patterns.filter((pattern) => isMatch(pattern, urlKeys(url)));
            assert.deepEqual(each(found, "text"), match === undefined ? [] : [match]);
          }
        assert.equal(grouped.flatMap((group) => group.scripts).length, scripts.length);
      }),
    );
  });
});
