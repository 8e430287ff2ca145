import assert from "node:assert/strict";
import { visible } from "../../csp/src/texts";

describe("a text of a policy in a message", () => {
  const texts: readonly [string, string, string][] = [
    ["control characters to be seen", "a\u0000b\u001fc", "a\\x00b\\x1fc"],
    ["those after ASCII, too", "a\u007fb\u0080c\u009fd", "a\\x7fb\\x80c\\x9fd"],
    ["a blank that looks like another one by its number", "a b\u00a0c", "a bU+00A0c"],
    ["letters of the world as they are", "bücher~", "bücher~"],
    ["what is invisible by its number", "a\u200bb", "aU+200Bb"],
    ["61 characters", "a".repeat(61), "a".repeat(61)],
    [
      "of a longer one its ends: the end of a host says whose it is",
      `${"a".repeat(60)}.example`,
      `${"a".repeat(30)}…${"a".repeat(22)}.example`,
    ],
  ];
  for (const [what, text, expected] of texts)
    it(`shows ${what}`, () => assert.equal(visible(text), expected));
});
