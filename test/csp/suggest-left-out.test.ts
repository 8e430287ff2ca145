import assert from "node:assert/strict";
import { type SeenScript, type SuggestOptions, suggest } from "../../csp/src";
import { each } from "../support/each";
import { connection, life, on15th, script } from "./items";

const at = { url: "https://a.example/" };

describe("a suggestion, for items to leave out", () => {
  /** The reason, fields of the item, options, and a pattern of the message. */
  const reasons: readonly [string, Parameters<typeof script>[0], SuggestOptions, RegExp][] = [
    [
      "malicious",
      { ...at, domainReportedMalicious: true, maliciousDomainCategories: ["Malware"] },
      {},
      /domain.*Malware/,
    ],
    ["malicious", { ...at, urlReportedMalicious: true }, {}, /URL is reported/],
    ["malicious", { ...at, jsIntegrityScore: 49 }, {}, /score is 49, below 50/],
    ["malicious", { ...at, jsIntegrityScore: 50 }, { threshold: 60 }, /below 60/],
    ["known-bad", { url: "https://cdn.polyfill.io/v3/polyfill.js" }, {}, /malicious code: .*2024/],
    ["status", { ...at, status: "inactive" }, {}, /inactive/],
    ["status", { ...at, status: "infrequent" }, { statuses: ["active"] }, /infrequent/],
    ["too-new", at, { minAgeDays: 8, now: new Date("2024-01-08T00:00:00Z") }, /2024-01-01/],
    ["too-new", { ...at, firstSeenAt: "never" }, { minAgeDays: 0 }, /not known/],
    ["not-expressible", { url: "not a url", host: "", firstPageUrl: "" }, {}, /no source/],
  ];
  const byUrl = `
    unsafe-scheme: any injected script: data:text/javascript,0
    unsafe-scheme: extension of a visitor's browser: chrome-extension://abcdef/a.js moz-extension://abcdef/a.js
    unsafe-scheme: not come from the web: about:blank file:///a.js filesystem:https://a.example/a.js javascript:0
    unsafe-scheme: ftp\\:: ftp://a/
    local-address: machine or network: http://localhost:3000/ http://a.localhost/ http://127.0.0.1/ http://0x7f.1/
    local-address: machine or network: http://10.0.0.1/ http://172.31.0.1/ http://192.168.0.1/ http://printer.local/
    local-address: machine or network: http://169.254.169.254/ //10.0.0.1/a.js https://[::1]/ https://[fe80::1]/
    not-expressible: no source: https://[2001:db8::1]/a.js https://a_b.example/a.js`;
  const ofUrls = [...byUrl.matchAll(/^ +([\w-]+): (.*?): (\S+:?\/?.*)$/gm)].flatMap(
    ([, reason = "", message = "", urls = ""]) =>
      urls.split(" ").map((url): (typeof reasons)[number] => [reason, { url }, {}, new RegExp(message)]),
  );
  for (const [reason, item, options, message] of [...reasons, ...ofUrls]) {
    it(`leaves an item out as ${reason} and says why: ${JSON.stringify({ ...item, ...options })}`, () => {
      const { value, excluded, included } = suggest([script(item)], [], options);
      assert.deepEqual([each(excluded, "reason"), each(excluded, "kind")], [[reason], ["script"]]);
      assert.match(excluded[0]?.message ?? "", message);
      assert.equal(value, "script-src 'none'");
      assert.equal(included.scripts, 0);
    });
  }

  it("includes an item without a status, and one that is just old enough", () => {
    const { status: _, ...item } = script(at);
    assert.deepEqual(suggest([item], [], { statuses: ["infrequent"] }).excluded, []);
    const options = { minAgeDays: 7, now: new Date("2024-01-08T00:00:00Z") };
    assert.deepEqual(suggest([script(at)], [], options).excluded, []);
  });

  it("needs no source for a new item at a place of older items, and leaves new places out", () => {
    const fresh = life("https://new.example/a.js", 14, 15);
    const old = [life("https://cdn.example/a.js", 1, 15), life("https://cdn.example/b.js", 14, 15)];
    const { value, excluded } = suggest([...old, fresh], [], on15th);
    assert.equal(value, "script-src cdn.example");
    assert.deepEqual([each(excluded, "item"), each(excluded, "reason")], [[fresh], ["too-new"]]);
  });

  it("says whether malice and ages are known", () => {
    const bare = (url: string) => ({ id: url, url, host: "a.example", firstSeenAt: "2024-01-14T12:00:00Z" });
    const { isAllNew, isMaliceKnown } = suggest([bare("https://a.example/")], [], on15th);
    assert.deepEqual([isAllNew, isMaliceKnown], [true, false]);
    const known = suggest([life("https://a.example/", 1, 15)], [], on15th);
    assert.deepEqual([known.isAllNew, known.isMaliceKnown], [false, true]);
  });

  it("leaves out items that are newer than three days, or than a week if few visitors met them, if others are older", () => {
    const { firstSeenAt: _, ...undated } = script({ url: "https://a.example/" });
    const among = (fields: Partial<SeenScript>, others = [script({ url: "https://old.example/" })]) =>
      suggest([{ ...undated, ...fields }, ...others], [], { now: new Date("2024-01-11T00:00:00Z") })
        .excluded[0]?.message;
    const rare = { status: "infrequent" };
    assert.match(among({ firstSeenAt: "2024-01-10T23:00:00Z" }) ?? "", /first seen at 2024-01-10T23/);
    assert.match(among({ addedAt: "2024-01-10T23:00:00Z" }) ?? "", /first listed at 2024-01-10T23/);
    assert.equal(among({ firstSeenAt: "2024-01-07T00:00:00Z" }), undefined);
    assert.match(among({ firstSeenAt: "2024-01-07T00:00:00Z", ...rare }) ?? "", /few visitors/);
    assert.equal(among({ firstSeenAt: "2024-01-03T00:00:00Z", ...rare }), undefined);
    assert.equal(among({}), undefined, "an unknown age");
    assert.equal(among({ firstSeenAt: "2024-01-10T23:00:00Z" }, []), undefined, "everything is new");
  });

  it("includes data: connections, and ignores the scores of connections, but not their bad domains", () => {
    const scored = { ...connection({ url: "https://a.example/" }), jsIntegrityScore: 1 };
    const bad = connection({ url: "wss://union.macoms.la/" });
    const { excluded } = suggest([], [connection({ url: "data:,1" }), scored, bad]);
    assert.deepEqual([each(excluded, "item"), each(excluded, "reason")], [[bad], ["known-bad"]]);
    assert.deepEqual(suggest([script({ url: "blob:https://a.example/1" })], []).excluded, []);
  });
});
