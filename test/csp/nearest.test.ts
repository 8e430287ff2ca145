import assert from "node:assert/strict";
import { guesser, nearest } from "../../csp/src/match/nearest";

describe("nearest", () => {
  const found: readonly [string, readonly string[], string | undefined, string][] = [
    ["img-scr", ["font-src", "img-src"], "img-src", "two letters replaced"],
    ["mg-src", ["img-src"], "img-src", "one left out, the first"],
    ["img-sr", ["img-src"], "img-src", "one left out, the last"],
    ["iimg-src", ["img-src"], "img-src", "one too many"],
    ["img-src", ["img-srcs", "img-src"], "img-src", "the same is nearer than anything"],
    ["bat", ["cat", "hat"], "cat", "of two as near the first"],
    ["bat", ["cats", "hat"], "hat", "the nearer of two"],
    ["abc", ["axy"], undefined, "two slips in three letters are no slip"],
    ["abcd", ["abxy"], "abxy", "two in four are"],
    ["abcd", ["axyz"], undefined, "three in four are not"],
    ["abcdefghijkl", ["xyzdefghijkl"], "xyzdefghijkl", "three in a long word"],
    ["abcdefghijkl", ["wxyzefghijkl"], undefined, "never four"],
    ["", ["a"], undefined, "nothing is like nothing"],
    ["abc", [], undefined, "no candidate"],
    ["a".repeat(40), ["a".repeat(39)], "a".repeat(39), "as long as a name may be"],
    ["a".repeat(41), ["a".repeat(40)], undefined, "longer than any name"],
  ];
  for (const [text, candidates, expected, why] of found) {
    it(`${why}: ${text.slice(0, 12)} and ${candidates.join(", ").slice(0, 20)}`, () => {
      assert.equal(nearest(text, candidates), expected);
    });
  }

  it("guesses for the first twenty slips of a text, and no more", () => {
    const guess = guesser();
    const guesses = Array.from({ length: 22 }, () => guess("img-scr", ["img-src"]));
    assert.deepEqual(guesses, [...Array(20).fill("img-src"), undefined, undefined]);
    assert.equal(guesser()("img-scr", ["img-src"]), "img-src", "another text has its own");
  });
});
