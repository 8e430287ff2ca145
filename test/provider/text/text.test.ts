import assert from "node:assert/strict";
import fc from "fast-check";
import { message } from "../../../provider/src/text/message";
import { listed, shown } from "../../../provider/src/text/shown";
import { isHarmless } from "../../proof/hostile/hostile-text";

/** Text with the pieces that do harm more often than chance would have them. */
const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.constantFrom(
        ..."\u001b \u0007 \r \n \u2028 \u2029 \u202e \u2066 \u200b \u00ad \ufeff \u{e0041} \ud83d \udc00 \u0301".split(
          " ",
        ),
        ..."::stop-commands:: ::warning ::add-mask:: ## # [ vso[ ##vso[ ##[ ##teamcity[ ###[ : :: <{% %}> <".split(
          " ",
        ),
        " ",
        "\t",
      ),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""));

describe("Text from outside, made fit to be shown", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["plain text as it is", 'http.host eq "shop.example.com"', 'http.host eq "shop.example.com"'],
    ["letters of other scripts too", "Прод: façade 東京 🛒", "Прод: façade 東京 🛒"],
    ["line breaks become spaces", "one\r\ntwo\u2028three\nfour", "one two three four"],
    ["a terminal has nothing to obey", "a\u001b[2K\u001b[1Ab\u0007\u009b1m", "a[2K[1Ab1m"],
    ["nothing turns the reading direction", "\u202eevil\u202c \u2066x\u2069", "evil x"],
    ["nothing is hidden between letters", "al\u200blow\u00ad \ufeffall\u{e0041}", "allow all"],
    ["a lone half of a pair goes", "a\ud83d b\udc00", "a b"],
    ["marks are not piled up", `a${"\u0301".repeat(40)}`, `a${"\u0301".repeat(4)}`],
    ["a workflow command where a runner reads it", "  ::stop-commands::abc", ": :stop-commands::abc"],
    ["a URN stays what a shell needs", "urn:pulumi:prod::shop::a:b:C::d", "urn:pulumi:prod::shop::a:b:C::d"],
    ["one put together from hidden parts", ":\u200b:warning file=a::b", ": :warning file=a::b"],
    ["addresses stay", "ip.src in {2001:db8::a1/64 ::1}", "ip.src in {2001:db8::a1/64 ::1}"],
    [
      "commands of other CIs",
      "##[error]x ##vso[task.x]y ###[z ##teamcity[a",
      "# #[error]x # #vso[task.x]y ## #[z # #teamcity[a",
    ],
    ["headings are none", "## Notes [1]", "## Notes [1]"],
    ["colour tags of the engine", "a<{%bogus%}>b <{%", "a< {%bogus%}>b < {%"],
  ];
  for (const [title, text, expected] of cases) {
    it(title, () => {
      assert.equal(shown(text), expected);
      assert.ok(isHarmless(shown(text)));
    });
  }

  it("is cut, not within a character", () => {
    assert.equal(shown("x".repeat(500)), `${"x".repeat(119)}…`);
    assert.equal(shown("🛒🛒🛒", { max: 4 }), "🛒…");
    assert.equal(shown("abcd", { max: 4 }), "abcd");
  });

  it("checks the beginning only, for a text may be megabytes long", () => {
    assert.equal(shown(`${"\u200b".repeat(20_000)}visible`), "…");
  });

  it("holds for any text, and once is enough", () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 1, max: 200 }), (text, max) => {
        const line = shown(text, { max });
        // It stands within a line: where it begins one, the last filter takes care of an address like ::0.
        assert.ok(isHarmless(`the ${line}`) && isHarmless(message(line)), JSON.stringify(line));
        assert.ok(line.length <= max);
        assert.ok(!/\n/.test(line));
        assert.equal(shown(line, { max }), line);
      }),
    );
  });
});

describe("A list of any length", () => {
  it("is shown whole while it is short", () => assert.equal(listed(["a", "b"]), "a; b"));
  it("is cut with a count", () => {
    const rules = Array.from({ length: 25 }, (_, index) => `rule ${index}`);
    assert.match(listed(rules), /^rule 0; .*; rule 19; and 5 more$/);
    assert.equal(listed(rules, { most: 1, separator: ", " }), "rule 0, and 24 more");
  });
});

describe("The last filter before a message leaves", () => {
  it("keeps lines and their indentation", () => {
    assert.equal(message("a:\n  1. b\n\tc\r\n\nd"), "a:\n  1. b\n  c\n\nd");
  });

  it("keeps URNs", () => {
    const urn = "'urn:pulumi:dev::shop::pulumi-nodejs:dynamic/page-guard:CspPolicy::csp'";
    assert.equal(message(urn), urn);
  });

  it("leaves no line that a CI would carry out", () => {
    assert.equal(message("a\n  ::warning::x\n::stop-commands::y"), "a\n  : :warning::x\n: :stop-commands::y");
    assert.equal(message("::\twarning::x"), ": : warning::x");
  });

  it("cuts what is too long, and says so", () => {
    const cut = message("x".repeat(100_000));
    assert.equal(cut.length, 6000 - 1);
    assert.match(cut, /x… \(cut here: the whole text has 100000 characters\)$/);
  });

  it("holds for any text, and once is enough", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const whole = message(text);
        assert.ok(isHarmless(whole), JSON.stringify(whole));
        assert.equal(message(whole), whole);
      }),
    );
  });
});
