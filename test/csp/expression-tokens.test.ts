import assert from "node:assert/strict";
import fc from "fast-check";
import { hostsOf, normaliseExpression } from "../../csp/src";
import { holds, hostileText } from "./random";

describe("strings of an expression", () => {
  const strings: readonly [string, string][] = [
    ['"a\\"b"', 'a"b'],
    ['"a\\\\b"', "a\\b"],
    ['"a\nb"', "a\nb"],
    ['"fo\\x6f"', "foo"],
    ['"\\146\\x6Fo"', "foo"],
    ['"\\\\x6f"', "\\x6f"],
    ['r"a\\b"', "a\\b"],
    ['r#"a"b"#', 'a"b'],
    ['r##"a"#b"##', 'a"#b'],
    ["a=b&c", "a=b&c"],
  ];
  for (const [text, host] of strings) {
    it(`reads ${text}`, () => assert.ok(hostsOf(`http.host eq ${text}`).selects(host)));
  }
});

describe("normaliseExpression", () => {
  const same: readonly [string, string][] = [
    ['http.host eq "a b"', '  http.host\n eq\t"a b" '],
    ['(http.host eq "a")', '( http.host eq "a" )'],
    ['http.host in {"a" "b"}', 'http.host in { "a"  "b" }'],
    ['http.host=="a"', 'http.host == "a"'],
  ];
  for (const [a, b] of same) {
    it(`returns the same for ${a} and ${JSON.stringify(b)}`, () => {
      assert.equal(normaliseExpression(a), normaliseExpression(b));
    });
  }

  const different: readonly [string, string][] = [
    ['http.host eq "a b"', 'http.host eq "a  b"'],
    ['http.host eq "a"', 'http.host eq "A"'],
    ["http.host eq ab", "http.host eq a b"],
    ["a <= b", "a < = b"],
    ['http.host eq r"a  b"', 'http.host eq r"a b"'],
    ['http.host eq "a\\"  b"', 'http.host eq "a\\" b"'],
    ['r"a" b', 'r"a"  b "'],
    ['a matches "[^"]  b"', 'a matches "[^"] b"'],
  ];
  for (const [a, b] of different) {
    it(`distinguishes ${a} from ${b}`, () => {
      assert.notEqual(normaliseExpression(a), normaliseExpression(b));
    });
  }

  it("keeps each token as it is written, also raw strings", () => {
    assert.equal(normaliseExpression('a  eq r#"x  y"#  and b'), 'a eq r#"x  y"# and b');
    assert.equal(normaliseExpression('a eq r"x  y'), 'a eq r"x  y');
    assert.equal(normaliseExpression('a eq "x  y'), 'a eq "x  y');
  });

  it("changes nothing when it normalises a text again", () => {
    holds(
      fc.property(hostileText, (text) => {
        const once = normaliseExpression(text);
        assert.equal(normaliseExpression(once), once);
        assert.equal(once.replace(/\s/g, ""), text.replace(/\s/g, ""));
      }),
      1000,
    );
  });
});
