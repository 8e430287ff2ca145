import assert from "node:assert/strict";
import { toVisible } from "../../csp/src/texts";

describe("a part of a policy in a message", () => {
  const texts: readonly [string, string, string][] = [
    ["control characters as codes", "a\u0000b\u001fc", "a\\x00b\\x1fc"],
    ["control characters beyond ASCII as codes", "a\u007fb\u0080c\u009fd", "a\\x7fb\\x80c\\x9fd"],
    ["an unusual space as its code point", "a b\u00a0c", "a bU+00A0c"],
    ["letters beyond ASCII unchanged", "bücher~", "bücher~"],
    ["an invisible character as its code point", "a\u200bb", "aU+200Bb"],
    ["61 characters unchanged", "a".repeat(61), "a".repeat(61)],
    [
      "only the two ends of a longer text, because the end of a host shows its owner",
      `${"a".repeat(60)}.example`,
      `${"a".repeat(30)}…${"a".repeat(22)}.example`,
    ],
  ];
  for (const [what, text, expected] of texts)
    it(`shows ${what}`, () => assert.equal(toVisible(text), expected));
});
