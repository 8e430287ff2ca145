import assert from "node:assert/strict";
import { Ownership } from "../../../../provider/src/resources/csp-policy/ownership";

/** One resource of a small world: what its state has, and what the program says. All policies have the same content. */
interface Side {
  readonly name: string;
  /** The id in its state. */
  recorded?: string | undefined;
  readonly wanted: "one" | "none" | "released";
  /** A `CspPolicy` that left the program: the engine only deletes it, last. */
  readonly isRemoved?: true;
}

interface World {
  zone: string[];
  made: number;
}

type Step = () => void;

/**
 * What an update does with a resource, in the steps between which other resources work and the machine may die: compare,
 * look, act, write the state. A create of the same content waits for its turn.
 */
function steps(side: Side, world: World, own: Ownership, turn: { of: string | undefined }): Step[] {
  let id = side.recorded;
  const compare = (): void => {
    if (id !== undefined && !own.claim(id, side.name)) id = undefined;
    if (id !== undefined && side.wanted !== "one") own.giveUp(id, side.name);
  };
  const take = (policyId: string): void => {
    id = policyId;
    own.own(policyId, side.name);
  };
  // What is found is adopted at once; a create needs time.
  const look = (): void => {
    if (side.wanted !== "one" || id !== undefined) return;
    const found = world.zone.findLast((one) => own.isFree(one));
    if (found === undefined) turn.of = side.name;
    else take(found);
  };
  const act = (): void => {
    if (turn.of === side.name) {
      world.made += 1;
      world.zone.push(`made-${world.made}`);
      take(`made-${world.made}`);
      turn.of = undefined;
    }
    // By now another one may have adopted it.
    if (side.wanted === "none" && id !== undefined) erase(id, world, own);
  };
  const write = (): void => {
    side.recorded = side.wanted === "one" ? id : undefined;
  };
  return [compare, look, act, write];
}

function erase(policyId: string, world: World, own: Ownership): void {
  if (own.startDeleting(policyId)) world.zone = world.zone.filter((one) => one !== policyId);
}

/** All orders in which the steps of two resources can come. */
function interleavings(left: number, right: number): string[] {
  if (left === 0 || right === 0) return ["l".repeat(left) + "r".repeat(right)];
  return [
    ...interleavings(left - 1, right).map((rest) => `l${rest}`),
    ...interleavings(left, right - 1).map((rest) => `r${rest}`),
  ];
}

/** Gives whether the order is possible: nobody creates out of turn. */
function run(sides: readonly [Side, Side], world: World, order: string, death: number): boolean {
  const own = new Ownership();
  const turn: { of: string | undefined } = { of: undefined };
  const present = sides.map((side) => (side.isRemoved ? [] : steps(side, world, own, turn)));
  const at = [0, 0];
  let done = 0;
  for (const who of order) {
    const index = who === "l" ? 0 : 1;
    const step = present[index]?.[at[index] ?? 0];
    at[index] = (at[index] ?? 0) + 1;
    if (!step) continue;
    if (at[index] === 2 && turn.of !== undefined && turn.of !== sides[index]?.name) return false;
    if (done === death) return true;
    step();
    done += 1;
  }
  // Deletions of what left the program come last.
  for (const side of sides.filter(({ isRemoved }) => isRemoved)) {
    if (done === death) return true;
    if (side.recorded !== undefined) erase(side.recorded, world, own);
    done += 1;
    if (done === death) return true;
    side.recorded = undefined;
    done += 1;
  }
  return true;
}

const stories: Readonly<Record<string, readonly [Side, Side, zone: readonly string[]]>> = {
  "a CspPolicy becomes a key": [
    { name: "single", recorded: "k", wanted: "none", isRemoved: true },
    { name: "set", wanted: "one" },
    ["k"],
  ],
  "a key is released for a CspPolicy": [
    { name: "set", recorded: "k", wanted: "released" },
    { name: "single", wanted: "one" },
    ["k"],
  ],
  "a key leaves beside a new CspPolicy": [
    { name: "set", recorded: "k", wanted: "none" },
    { name: "single", wanted: "one" },
    ["k"],
  ],
  "one of two that are equal goes": [
    { name: "one", recorded: "a", wanted: "none" },
    { name: "two", recorded: "b", wanted: "one" },
    ["a", "b"],
  ],
  "two are new": [{ name: "one", wanted: "one" }, { name: "two", wanted: "one" }, []],
  "two are new, beside an unmanaged one": [
    { name: "one", wanted: "one" },
    { name: "two", wanted: "one" },
    ["theirs"],
  ],
  "one is new beside one that is there": [
    { name: "one", recorded: "a", wanted: "one" },
    { name: "two", wanted: "one" },
    ["a"],
  ],
};

describe("The rules of whose a policy is, over all orders of two resources, cut off anywhere and run again", () => {
  for (const [what, [left, right, zone]] of Object.entries(stories))
    it(`each declared policy is there once and in one state, when ${what}`, () => {
      const wanted = [left, right].filter((side) => side.wanted === "one" && !side.isRemoved).length;
      const orders = interleavings(4, 4);
      let played = 0;
      for (const first of orders)
        for (let death = 0; death <= 10; death += 1) {
          const sides = (): [Side, Side] => [{ ...left }, { ...right }];
          const probe = sides();
          const world: World = { zone: [...zone], made: 0 };
          if (!run(probe, world, first, death)) continue;
          for (const second of orders) {
            const again: [Side, Side] = [{ ...probe[0] }, { ...probe[1] }];
            const then: World = { zone: [...world.zone], made: world.made };
            if (!run(again, then, second, Infinity)) continue;
            played += 1;
            const say = `${first} until ${death}, then ${second}: ${then.zone.join()}`;
            const states = again.flatMap(({ recorded }) => recorded ?? []);
            assert.equal(new Set(states).size, wanted, say);
            assert.deepEqual(
              states.filter((id) => !then.zone.includes(id)),
              [],
              say,
            );
            assert.equal(then.zone.length, wanted, say);
          }
        }
      assert.ok(played > 1000, `${played}`);
    });
});
