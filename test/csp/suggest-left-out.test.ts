import assert from "node:assert/strict";
import { type SeenScript, type SuggestOptions, suggest } from "../../csp/src";
import { connection, life, on15th, script } from "./items";

describe("a suggestion, for items to leave out", () => {
  const reasons: readonly [string, Parameters<typeof script>[0], SuggestOptions, RegExp][] = [
    [
      "malicious",
      { url: "https://a.example/", domainReportedMalicious: true, maliciousDomainCategories: ["Malware"] },
      {},
      /domain.*Malware/,
    ],
    ["malicious", { url: "https://a.example/", urlReportedMalicious: true }, {}, /URL is reported/],
    ["malicious", { url: "https://a.example/", jsIntegrityScore: 49 }, {}, /score is 49, below 50/],
    ["malicious", { url: "https://a.example/", jsIntegrityScore: 50 }, { threshold: 60 }, /below 60/],
    ["known-bad", { url: "https://cdn.polyfill.io/v3/polyfill.js" }, {}, /malicious code: .*2024/],
    ["status", { url: "https://a.example/", status: "inactive" }, {}, /inactive/],
    ["status", { url: "https://a.example/", status: "infrequent" }, { statuses: ["active"] }, /infrequent/],
    [
      "too-new",
      { url: "https://a.example/" },
      { minAgeDays: 8, now: new Date("2024-01-08T00:00:00Z") },
      /2024-01-01/,
    ],
    ["too-new", { url: "https://a.example/", firstSeenAt: "never" }, { minAgeDays: 0 }, /not known/],
    ["unsafe-scheme", { url: "data:text/javascript,0" }, {}, /any injected script/],
    ["unsafe-scheme", { url: "chrome-extension://abcdef/a.js" }, {}, /extension of a visitor's browser/],
    ["unsafe-scheme", { url: "moz-extension://abcdef/a.js" }, {}, /extension of a visitor's browser/],
    ["unsafe-scheme", { url: "about:blank" }, {}, /not come from the web/],
    ["unsafe-scheme", { url: "file:///etc/a.js" }, {}, /not come from the web/],
    ["unsafe-scheme", { url: "filesystem:https://a.example/temporary/a.js" }, {}, /not come from the web/],
    ["unsafe-scheme", { url: "javascript:0" }, {}, /not come from the web/],
    ...[
      "localhost:3000",
      "a.localhost",
      "127.0.0.1",
      "0x7f.1",
      "10.0.0.1",
      "172.31.0.1",
      "192.168.0.1",
      "printer.local",
    ].map((host): (typeof reasons)[number] => [
      "local-address",
      { url: `http://${host}/a.js` },
      {},
      /machine or network/,
    ]),
    ["local-address", { url: "http://169.254.169.254/latest" }, {}, /machine or network/],
    ["local-address", { url: "//10.0.0.1/a.js" }, {}, /machine or network/],
    ["unsafe-scheme", { url: "ftp://a/" }, {}, /ftp:/],
    ["local-address", { url: "https://[::1]/a.js" }, {}, /machine or network/],
    ["local-address", { url: "https://[fe80::1]/a.js" }, {}, /machine or network/],
    ["not-expressible", { url: "https://[2001:db8::1]/a.js" }, {}, /no source/],
    ["not-expressible", { url: "https://a_b.example/a.js" }, {}, /no source/],
    ["not-expressible", { url: "not a url", host: "", firstPageUrl: "" }, {}, /no source/],
  ];
  for (const [reason, item, options, message] of reasons) {
    it(`leaves an item out as ${reason} and says why: ${JSON.stringify({ ...item, ...options })}`, () => {
      const { value, excluded, included } = suggest([script(item)], [], options);
      assert.deepEqual(
        excluded.map((one) => [one.reason, one.kind]),
        [[reason, "script"]],
      );
      assert.match(excluded[0]?.message ?? "", message);
      assert.equal(value, "script-src 'none'");
      assert.equal(included.scripts, 0);
    });
  }

  it("includes an item without a status", () => {
    const { status: _, ...item } = script({ url: "https://cdn.example/a.js" });
    assert.deepEqual(suggest([item], [], { statuses: ["infrequent"] }).excluded, []);
  });

  it("includes an item that is just old enough", () => {
    const options = { minAgeDays: 7, now: new Date("2024-01-08T00:00:00Z") };
    assert.deepEqual(suggest([script({ url: "https://a.example/" })], [], options).excluded, []);
  });

  it("needs no source for a new item at a place of older items, and leaves new places out", () => {
    const { value, excluded } = suggest(
      [
        life("https://cdn.example/a.js", 1, 15),
        life("https://cdn.example/b.js", 14, 15),
        life("https://new.example/a.js", 14, 15),
      ],
      [],
      on15th,
    );
    assert.equal(value, "script-src cdn.example");
    assert.deepEqual(
      excluded.map(({ item, reason }) => [item.url, reason]),
      [["https://new.example/a.js", "too-new"]],
    );
  });

  it("says whether malice and ages are known", () => {
    const bare = (url: string) => ({
      id: url,
      url,
      host: "shop.example",
      firstSeenAt: "2024-01-14T12:00:00Z",
    });
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
    assert.match(among({ addedAt: "2024-01-10T23:00:00Z" }) ?? "", /first seen at 2024-01-10T23/);
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
    assert.deepEqual(
      excluded.map(({ item, reason }) => [item.url, reason]),
      [["wss://union.macoms.la/", "known-bad"]],
    );
    assert.deepEqual(suggest([script({ url: "blob:https://a.example/1" })], []).excluded, []);
  });
});
