import assert from "node:assert/strict";
import { ShortWindow } from "../../provider/src/api/short-window";

const taken = (...seen: readonly (readonly [number, number])[]) => {
  const window = new ShortWindow();
  for (const [from, to] of seen) window.take(from, to);
  return window;
};

describe("the length of a short window, told in whole seconds", () => {
  const known: readonly [string, readonly (readonly [number, number])[], number | undefined][] = [
    ["nothing was seen", [], undefined],
    ["seen once is not known", [[1500, 2400]], undefined],
    [
      "seen twice, and only 2 s fit",
      [
        [1500, 2400],
        [1200, 2300],
      ],
      2000,
    ],
    [
      "5 s as well",
      [
        [4100, 5500],
        [4500, 5999],
      ],
      5000,
    ],
    [
      "what is seen later narrows it",
      [
        [1500, 2400],
        [900, 9000],
      ],
      2000,
    ],
    [
      "two lengths fit",
      [
        [500, 2400],
        [900, 2400],
      ],
      undefined,
    ],
    [
      "the lower bound is not reached",
      [
        [1000, 2400],
        [1000, 2400],
      ],
      2000,
    ],
    [
      "exactly the lower bound is too short",
      [
        [2000, 2400],
        [2000, 2400],
      ],
      undefined,
    ],
    [
      "no service has 3 s",
      [
        [2500, 3400],
        [2500, 3400],
      ],
      undefined,
    ],
    [
      "what does not fit begins anew",
      [
        [1500, 2400],
        [4100, 5500],
      ],
      undefined,
    ],
    [
      "and is known when it is seen again",
      [
        [1500, 2400],
        [4100, 5500],
        [4100, 5500],
      ],
      5000,
    ],
    [
      "bounds that only touch do not fit",
      [
        [1500, 2100],
        [2100, 2900],
      ],
      undefined,
    ],
    [
      "and count for one",
      [
        [1500, 1900],
        [1900, 2400],
        [1950, 2400],
      ],
      2000,
    ],
  ];
  for (const [what, seen, expected] of known) {
    it(what, () => assert.equal(taken(...seen).lengthMs, expected));
  }

  it("is believed no more once it was refused by, and that is told once", () => {
    const window = taken([1500, 2400], [1200, 2300]);
    assert.equal(window.refute(), true);
    assert.equal(window.lengthMs, undefined);
    assert.equal(window.refute(), false);
    window.take(1500, 2400);
    assert.equal(window.lengthMs, undefined);
  });

  it("is not refuted by a refusal before it was known", () => {
    const window = taken([1500, 2400]);
    assert.equal(window.refute(), false);
    window.take(1200, 2300);
    assert.equal(window.lengthMs, 2000);
  });
});
