import assert from "node:assert/strict";
import { pageUrlOf, type SeenItem } from "../../csp/src/impact/seen-item";
import { ageRule, type ExclusionOptions, exclude } from "../../csp/src/suggest/exclusion";
import { connection, script } from "./items";

const now = new Date("2024-01-11T00:00:00Z");
const judge = (seen: SeenItem, options: ExclusionOptions = {}) =>
  exclude(seen, options, ageRule([seen], options));
const why = (fields: Partial<ReturnType<typeof script>>, options: ExclusionOptions = {}) => {
  const found = judge({ kind: "script", item: script({ url: "https://a.example/", ...fields }) }, options);
  return found === undefined ? undefined : `${found.reason}: ${found.message}`;
};

describe("what is left out of a suggestion", () => {
  it("is what is too new, by the day", () => {
    const firstSeenAt = "2024-01-01T00:00:00Z";
    assert.equal(why({ firstSeenAt }, { now, minAgeDays: 10 }), undefined);
    assert.equal(
      why({ firstSeenAt }, { now, minAgeDays: 10.001 }),
      "too-new: it was first seen at 2024-01-01T00:00:00Z",
    );
    assert.equal(why({ firstSeenAt }, { now }), undefined, "old enough for the usual three days");
  });

  it("is what was first seen within three days, or a week where few visitors met it, beside what is older", () => {
    const old: SeenItem = { kind: "script", item: script({ url: "https://old.example/" }) };
    const among = (firstSeenAt: string | undefined, status = "active", others = [old]) => {
      const { firstSeenAt: _, ...item } = script({ url: "https://a.example/", status });
      const seen: SeenItem = { kind: "script", item: { ...item, ...(firstSeenAt && { firstSeenAt }) } };
      return exclude(seen, { now }, ageRule([seen, ...others], { now }))?.message;
    };
    assert.match(among("2024-01-10T23:00:00Z") ?? "", /first seen at 2024-01-10T23/);
    assert.equal(among("2024-01-07T00:00:00Z"), undefined);
    assert.match(among("2024-01-07T00:00:00Z", "infrequent") ?? "", /few visitors/);
    assert.equal(among("2024-01-03T00:00:00Z", "infrequent"), undefined);
    assert.equal(among(undefined), undefined, "of unknown age");
    assert.equal(among("2024-01-10T23:00:00Z", "active", []), undefined, "everything is new");
  });

  it("uses the time of addition where the first sighting is unknown", () => {
    const { firstSeenAt: _, ...item } = script({ url: "https://a.example/" });
    const ageOf = (fields: object) =>
      judge({ kind: "script", item: { ...item, ...fields } }, { now, minAgeDays: 5 })?.message;
    assert.equal(ageOf({ addedAt: "2024-01-01T00:00:00Z" }), undefined);
    assert.equal(ageOf({ addedAt: "2024-01-10T00:00:00Z" }), "it was first seen at 2024-01-10T00:00:00Z");
    assert.equal(ageOf({}), "its age is not known");
  });

  it("is what is malicious, with all that is known of it", () => {
    const domain =
      why({ domainReportedMalicious: true, maliciousDomainCategories: ["Malware", "Spam"] }) ?? "";
    assert.match(domain, /^malicious: .* domain .*\(Malware, Spam\)$/);
    const url = why({ urlReportedMalicious: true }) ?? "";
    assert.match(url, /^malicious: .* URL /);
    assert.equal(why({ urlReportedMalicious: true, maliciousUrlCategories: [] }), url);
    const score = why({ jsIntegrityScore: 49 }) ?? "";
    assert.match(score, /^malicious: .* 49, below 50$/);
    assert.equal(why({ jsIntegrityScore: 50 }), undefined);
    assert.equal(why({ jsIntegrityScore: 50 }, { threshold: 51 })?.startsWith("malicious"), true);
    const { jsIntegrityScore: _, ...unread } = script({ url: "https://a.example/" });
    assert.equal(judge({ kind: "script", item: unread }, {}), undefined, "nobody has looked at it yet");
    // Only scripts have a score that says so.
    const item = { ...connection({ url: "https://a.example/" }), jsIntegrityScore: 1 };
    assert.equal(judge({ kind: "connection", item }, {}), undefined);
  });

  it("is what is on a local host, also where the URL is relative to the page", () => {
    assert.match(why({ url: "//localhost/a.js" }) ?? "", /^local-address/);
    assert.equal(why({ url: "//a.example/a.js" }), undefined);
    assert.match(why({ url: "//10.0.0.1/a.js" }) ?? "", /^local-address/);
  });

  it("is data for scripts, and not for connections", () => {
    const schemes = ["data:,1", "ftp://a/", "x-extension://a/"].map((url) => why({ url }) ?? "");
    assert.match(schemes[0] ?? "", /^unsafe-scheme: .*\bdata: /);
    assert.match(schemes[1] ?? "", /^unsafe-scheme: .*\bftp: /);
    assert.match(schemes[2] ?? "", /^unsafe-scheme: x-extension: .*extension/);
    assert.equal(judge({ kind: "connection", item: connection({ url: "data:,1" }) }, {}), undefined);
    assert.equal(why({ url: "blob:https://a.example/1" }), undefined);
  });
});

describe("the page that something was seen on", () => {
  const pageOf = (fields: object) => {
    const { host: _, firstPageUrl: __, ...item } = script({ url: "https://a.example/" });
    return pageUrlOf({ kind: "script", item: { ...item, ...fields } });
  };
  it("is the first page where that is of its host, else the host", () => {
    assert.equal(pageOf({ host: "A.example", firstPageUrl: "http://a.example/b" }), "http://a.example/b");
    assert.equal(pageOf({ host: "a.example", firstPageUrl: "a.example/b" }), "https://a.example/b");
    assert.equal(pageOf({ host: "c.example", firstPageUrl: "a.example/b" }), "https://c.example");
    assert.equal(pageOf({ host: "c.example" }), "https://c.example");
    assert.equal(pageOf({ firstPageUrl: "a.example/b" }), "https://a.example/b");
    assert.equal(pageOf({}), "");
  });
});
