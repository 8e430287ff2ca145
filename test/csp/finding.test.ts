import assert from "node:assert/strict";
import { visible } from "../../csp/src/texts";

describe("a text of a policy in a message", () => {
  const texts: readonly [string, string, string][] = [
    ["control characters to be seen", "a\u0000b\u001fc", "a\\x00b\\x1fc"],
    ["those after ASCII, too", "a\u007fb\u0080c\u009fd", "a\\x7fb\\x80c\\x9fd"],
    ["a blank as a blank", "a b\u00a0c", "a b c"],
    ["letters of the world as they are", "bücher~", "bücher~"],
    ["nothing invisible", "a\u200bb", "ab"],
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
