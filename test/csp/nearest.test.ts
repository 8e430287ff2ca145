import assert from "node:assert/strict";
import { guesser, nearest } from "../../csp/src/match/nearest";

describe("nearest", () => {
  const found: readonly [string, readonly string[], string | undefined, string][] = [
    ["img-scr", ["font-src", "img-src"], "img-src", "finds a name with two replaced letters"],
    ["mg-src", ["img-src"], "img-src", "finds a name without its first letter"],
    ["img-sr", ["img-src"], "img-src", "finds a name without its last letter"],
    ["iimg-src", ["img-src"], "img-src", "finds a name with an extra letter"],
    ["img-src", ["img-srcs", "img-src"], "img-src", "prefers the same name"],
    ["bat", ["cat", "hat"], "cat", "takes the first of two equally near names"],
    ["bat", ["cats", "hat"], "hat", "takes the nearer of two names"],
    ["abc", ["axy"], undefined, "finds nothing for two typos in three letters"],
    ["abcd", ["abxy"], "abxy", "finds a name with two typos in four letters"],
    ["abcd", ["axyz"], undefined, "finds nothing for three typos in four letters"],
    ["abcdefghijkl", ["xyzdefghijkl"], "xyzdefghijkl", "finds a long name with three typos"],
    ["abcdefghijkl", ["wxyzefghijkl"], undefined, "finds nothing for four typos"],
    ["", ["a"], undefined, "finds nothing for an empty text"],
    ["abc", [], undefined, "finds nothing without candidates"],
    ["a".repeat(40), ["a".repeat(39)], "a".repeat(39), "finds the longest possible name"],
    ["a".repeat(41), ["a".repeat(40)], undefined, "finds nothing for a longer text"],
  ];
  for (const [text, candidates, expected, why] of found) {
    it(`${why}: ${text.slice(0, 12)} and ${candidates.join(", ").slice(0, 20)}`, () => {
      assert.equal(nearest(text, candidates), expected);
    });
  }

  it("guesses for the first twenty typos of a text only", () => {
    const guess = guesser();
    const guesses = Array.from({ length: 22 }, () => guess("img-scr", ["img-src"]));
    assert.deepEqual(guesses, [...Array(20).fill("img-src"), undefined, undefined]);
    assert.equal(guesser()("img-scr", ["img-src"]), "img-src", "another text has its own");
  });
});
