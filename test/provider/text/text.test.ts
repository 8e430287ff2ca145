import assert from "node:assert/strict";
import fc from "fast-check";
import { message } from "../../../provider/src/text/message";
import { clean, enumerate } from "../../../provider/src/text/shown";
import { isHarmless } from "../../proof/hostile/hostile-text";

const signs =
  "\u001b \u0007 \r \n \u2028 \u2029 \u202e \u2066 \u200b \u00ad \ufeff \u{e0041} \ud83d \udc00 \u0301";
const words =
  "::stop-commands:: ::warning ::add-mask:: ## # [ vso[ ##vso[ ##[ ##teamcity[ ###[ : :: <{% %}> <";

/** Texts that contain harmful characters and words more often than random texts. */
const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.constantFrom(...signs.split(" "), ...words.split(" "), " ", "\t"),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""));

describe("The filter for text from outside", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["keeps plain text", 'http.host eq "shop.example.com"', 'http.host eq "shop.example.com"'],
    ["keeps letters of other scripts", "Прод: façade 東京 🛒", "Прод: façade 東京 🛒"],
    ["replaces line breaks by spaces", "one\r\ntwo\u2028three\nfour", "one two three four"],
    ["removes control characters for terminals", "a\u001b[2K\u001b[1Ab\u0007\u009b1m", "a[2K[1Ab1m"],
    ["removes characters that change the reading direction", "\u202eevil\u202c \u2066x\u2069", "evil x"],
    ["removes invisible characters between letters", "al\u200blow\u00ad \ufeffall\u{e0041}", "allow all"],
    ["removes unpaired surrogates", "a\ud83d b\udc00", "a b"],
    ["keeps at most four combining marks in a row", `a${"\u0301".repeat(40)}`, `a${"\u0301".repeat(4)}`],
    ["breaks up a command at a line's start", "  ::stop-commands::abc", ": :stop-commands::abc"],
    ["keeps URNs", "urn:pulumi:prod::shop::a:b:C::d", "urn:pulumi:prod::shop::a:b:C::d"],
    ["breaks up a command with hidden parts", ":\u200b:warning file=a::b", ": :warning file=a::b"],
    ["keeps IP addresses", "ip.src in {2001:db8::a1/64 ::1}", "ip.src in {2001:db8::a1/64 ::1}"],
    [
      "breaks up commands of other CIs",
      "##[error]x ##vso[task.x]y ###[z ##teamcity[a",
      "# #[error]x # #vso[task.x]y ## #[z # #teamcity[a",
    ],
    ["keeps signs of Markdown", "## Notes [1]", "## Notes [1]"],
    ["breaks up the engine's colour tags", "a<{%bogus%}>b <{%", "a< {%bogus%}>b < {%"],
  ];
  for (const [title, text, expected] of cases) {
    it(title, () => {
      assert.equal(clean(text), expected);
      assert.ok(isHarmless(clean(text)));
    });
  }

  it("cuts long text, but not within a character", () => {
    assert.equal(clean("x".repeat(500)), `${"x".repeat(119)}…`);
    assert.equal(clean("🛒🛒🛒", { max: 4 }), "🛒…");
    assert.equal(clean("abcd", { max: 4 }), "abcd");
  });

  it("reads only the beginning of a text, which may be megabytes long", () => {
    assert.equal(clean(`${"\u200b".repeat(20_000)}visible`), "…");
  });

  it("makes any text harmless, and changes nothing if it is applied twice", () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 1, max: 200 }), (text, max) => {
        const line = clean(text, { max });
        // The text is within a line. At the start of a line, the last filter handles an address like ::0.
        assert.ok(isHarmless(`the ${line}`) && isHarmless(message(line)), JSON.stringify(line));
        assert.ok(line.length <= max);
        assert.ok(!/\n/.test(line));
        assert.equal(clean(line, { max }), line);
      }),
    );
  });
});

describe("A list of any length", () => {
  it("is shown in full if it is short", () => assert.equal(enumerate(["a", "b"]), "a; b"));
  it("is cut, with a count of the rest", () => {
    const rules = Array.from({ length: 25 }, (_, index) => `rule ${index}`);
    assert.match(enumerate(rules), /^rule 0; .*; rule 19; and 5 more$/);
    assert.equal(enumerate(rules, { most: 1, separator: ", " }), "rule 0, and 24 more");
  });
});

describe("The last filter before a message is logged", () => {
  it("keeps lines and their indentation", () => {
    assert.equal(message("a:\n  1. b\n\tc\r\n\nd"), "a:\n  1. b\n  c\n\nd");
  });

  it("keeps URNs", () => {
    const urn = "'urn:pulumi:dev::shop::pulumi-nodejs:dynamic/page-guard:CspPolicy::csp'";
    assert.equal(message(urn), urn);
  });

  it("breaks up every line that a CI would execute", () => {
    assert.equal(message("a\n  ::warning::x\n::stop-commands::y"), "a\n  : :warning::x\n: :stop-commands::y");
    assert.equal(message("::\twarning::x"), ": : warning::x");
  });

  it("cuts a message that is too long, and says so", () => {
    const cut = message("x".repeat(100_000));
    assert.equal(cut.length, 6000 - 1);
    assert.match(cut, /x… \(cut here: the whole message has 100000 characters\)$/);
  });

  it("makes any text harmless, and changes nothing if it is applied twice", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const whole = message(text);
        assert.ok(isHarmless(whole), JSON.stringify(whole));
        assert.equal(message(whole), whole);
      }),
    );
  });
});
