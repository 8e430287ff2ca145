import assert from "node:assert/strict";
import { hostsOf, impact, nameCompany, render, suggest } from "../../csp/src";
import { connection, script } from "./items";

describe("The company behind a host", () => {
  for (const [host, name] of [
    ["js.stripe.com", "Stripe, payments"],
    ["a1b2.safeframe.googlesyndication.com", "Google, advertising"],
    ["a.algolianet.com", "Algolia, search"],
    ["b.algolia.net", "Algolia, search"],
    ["maps.googleapis.com", "Google, maps"],
    ["connect.facebook.net", "Facebook, social media"],
    ["somebody.github.io", "hosted by GitHub"],
    ["bucket.s3.amazonaws.com", "hosted by Amazon Web Services"],
    ["cdn.jsdelivr.net", "hosted by JSDelivr CDN"],
    ["storage.googleapis.com", "hosted by Google"],
    ["shop.example.com", undefined],
    ["localhost", undefined],
    ["data:", undefined],
    ["", undefined],
  ] as const)
    it(`is ${name ?? "unknown"} for ${host || "an empty host"}`, () => assert.equal(nameCompany(host), name));

  it("is named beside a host that a policy would block", () => {
    const item = script({ url: "https://js.stripe.com/v3/", host: "shop.example" });
    const found = impact("script-src 'none'", [{ kind: "script", item }], { hosts: hostsOf("true") });
    assert.match(render(found)[1] ?? "", /^ {2}js\.stripe\.com \(Stripe, payments\): breaks 1 script/);
    assert.equal(found.groups[0]?.company, "Stripe, payments");
  });
});

describe("suggest, for a company whose hosts change", () => {
  const now = new Date("2026-02-01T00:00:00Z");
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();
  const seen = (host: string, first: number, last: number) => ({
    ...connection({ url: `https://${host}/x` }),
    firstSeenAt: daysAgo(first),
    lastSeenAt: daysAgo(last),
  });
  for (const [host, source] of [
    ["r3---sn-4g5e6nsz.googlevideo.com", "*.googlevideo.com"],
    ["a1b2c3d4-2.algolianet.com", "*.algolianet.com"],
    ["3f2a91bc77d0e4.safeframe.googlesyndication.com", "*.safeframe.googlesyndication.com"],
    // These get no wildcard: words do not change, and other companies have hosts below the domain.
    ["js.stripe.com", "js.stripe.com"],
    ["shop24.github.io", "shop24.github.io"],
    ["d3f2a91bc77d0e.cloudfront.net", "d3f2a91bc77d0e.cloudfront.net"],
    ["bucket42.s3.amazonaws.com", "bucket42.s3.amazonaws.com"],
    ["cdn1.jsdelivr.net", "cdn1.jsdelivr.net"],
    ["shop24.myshopify.com", "shop24.myshopify.com"],
    ["firebase1.googleapis.com", "firebase1.googleapis.com"],
    ["cdn1.example.com", "cdn1.example.com"],
  ] as const)
    it(`given only ${host}, then suggests ${source}`, () => {
      assert.equal(suggest([], [seen(host, 6, 5)], { now }).value, `connect-src ${source}`);
    });

  it("given a host that was in use all the time, then names it, because it is the site's own account", () => {
    const items = ["o12345.ingest.sentry.io", "a1b2c3d4-2.algolianet.com"].map((host) => seen(host, 30, 0));
    const { value } = suggest([], items, { now });
    assert.equal(value, "connect-src a1b2c3d4-2.algolianet.com o12345.ingest.sentry.io");
  });
});
