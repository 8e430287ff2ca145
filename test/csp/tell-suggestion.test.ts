import assert from "node:assert/strict";
import { remarksOn, type SeenScript, suggest, tellSuggestion } from "../../csp/src";
import { each } from "../support/each";
import { bad, good, life, on15th, script } from "./items";
import { words } from "./random";

describe("tellSuggestion", () => {
  it("warns of items that are still allowed and of unsafe sources; all other remarks are notes", () => {
    const { warnings, notes } = tellSuggestion(
      suggest(
        [
          good("https://cdn.example/lib/a.js?v=1"),
          bad("https://cdn.example/lib/a.js?v=2"),
          bad("https://evil.example/x.js"),
          good("https://accounts.google.com/o/oauth2/revoke"),
        ],
        [],
      ),
    );
    assert.deepEqual([warnings.length, notes.length], [2, 4]);
  });

  it("warns of a narrowed 'self', of names of one release and of too many bytes", () => {
    const scripts = [good("https://shop.example/js/own.js"), bad("https://shop.example/uploads/evil.js")];
    const others = [good("https://cdn.example/app.3f2a91bc.js"), bad("https://cdn.example/evil.js")];
    const { warnings } = tellSuggestion(suggest([...scripts, ...others], [], { maxBytes: 50 }));
    assert.equal(warnings.length, 3);
  });

  it("names all sources that the next release breaks, and what to do about them", () => {
    const scripts = Array.from({ length: 14 }, (_, index) =>
      script({ url: `https://unpkg.com/p${index}@3.4.21/x.js` }),
    );
    const [breaks] = tellSuggestion(suggest(scripts, [])).warnings;
    for (const { url } of scripts) assert.ok(breaks?.includes(url.replace(/^https:..|x\.js$/g, "")), url);
    assert.match(breaks ?? "", /vue@3 .* \(integrity\), serve it from your own host, /);
  });

  it("names items that are left out because they are new, or says that all items are new", () => {
    const items = [life("https://a.example/a.js", 14, 15), life("https://b.example/b.js", 14, 15)];
    const linesOf = (scripts: readonly SeenScript[], code: string) =>
      remarksOn(suggest(scripts, [], on15th)).flatMap((one) => (one.code === code ? [one.text] : []));
    const old = life("https://old.example/a.js", 1, 15);
    const [leftOut = "", ...others] = linesOf([...items, old], "left-out-too-new");
    assert.match(
      leftOut,
      /^LEFT OUT, because they are too new .* include them deliberately.*\n.*a\.example.*\n.*b\.example/,
    );
    assert.deepEqual([others, linesOf([...items, old], "all-new")], [[], []]);
    assert.deepEqual([linesOf(items, "left-out-too-new"), linesOf(items, "all-new").length], [[], 1]);
  });

  it("names sources that are wider than requested, that may change, or where anyone can publish", () => {
    const recent = { firstSeenAt: "2024-04-20T00:00:00Z" };
    const urls = `https://a.clarity.ms/s/c.js https://b.clarity.ms/s/c.js https://ws4.example.org/a.js
      https://unpkg.com/vue@3/dist/vue.js`;
    const remarks = remarksOn(
      suggest(
        words(urls).map((url) => script({ url, ...recent })),
        [],
      ),
    );
    const codes = ["may-change", "wider", "narrowed-anyone-publishes", "also-restricted"];
    assert.deepEqual(each(remarks, "code"), codes);
  });

  it("says once that malice is unknown, and not at all if it is known for one item", () => {
    const bare = Array.from({ length: 9 }, (_, index) => {
      const { jsIntegrityScore: _score, ...item } = good(`https://cdn${index}.example.org/a.js`);
      return item;
    });
    const codes = (...others: readonly SeenScript[]) =>
      remarksOn(suggest([...bare, ...others], bare)).filter(({ code }) => code === "malice-not-known").length;
    assert.equal(codes(), 1);
    assert.equal(codes(good("https://scored.example.org/a.js")), 0);
    assert.equal(codes({ url: "https://told.example.org/a.js", urlReportedMalicious: false }), 0);
  });

  it("names all sources that a wider source replaces", () => {
    const urls = Array.from({ length: 12 }, (_, index) => `https://ws${index + 10}.chat.example.org/a.js`);
    const { notes } = tellSuggestion(suggest(urls.map(good), []));
    const line = notes.find((note) => note.startsWith("Wider than requested: *.chat.example.org")) ?? "";
    assert.deepEqual(line.match(/ws\d+\.chat/g)?.length, 12, notes.join("\n"));
  });

  it("shows no characters of an item that a terminal or a CI would obey", () => {
    const hostile = "https://evil.example/\u001b[2K\n::stop-commands::x";
    const item = { ...script({ url: hostile, firstPageUrl: hostile }), maliciousUrlCategories: [hostile] };
    const { notes } = tellSuggestion(suggest([{ ...item, urlReportedMalicious: true }], []));
    assert.equal(notes.length, 2);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the text must not contain them
    assert.doesNotMatch(notes.join(), /[\x00-\x1f]|^::/m);
  });
});
