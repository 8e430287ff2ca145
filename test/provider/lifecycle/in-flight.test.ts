import assert from "node:assert/strict";
import { allInFlight, inFlight } from "../../../provider/src/lifecycle/in-flight";

describe("Work in flight", () => {
  it("is done so many at a time, and one failure does not stop the others; results keep their order", async () => {
    let now = 0;
    let most = 0;
    const work = async (item: number): Promise<number> => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 5 - item));
      now -= 1;
      if (item === 2) throw new Error("two");
      return item * 10;
    };
    const settled = await inFlight(3, [0, 1, 2, 3, 4], work);
    assert.equal(most, 3);
    assert.deepEqual(
      settled.map(({ item, result, error }) => [item, result, error instanceof Error]),
      [
        [0, 0, false],
        [1, 10, false],
        [2, undefined, true],
        [3, 30, false],
        [4, 40, false],
      ],
    );
    assert.deepEqual(await inFlight(3, [], work), []);
  });

  it("is begun no more after a failure where all of it has to succeed", async () => {
    const begun: number[] = [];
    const work = async (item: number): Promise<number> => {
      begun.push(item);
      await new Promise((resolve) => setImmediate(resolve));
      if (item === 1) throw new Error("one");
      return item * 10;
    };
    assert.deepEqual(await allInFlight(2, [0, 2, 3], work), [0, 20, 30]);
    begun.length = 0;
    await assert.rejects(allInFlight(2, [0, 1, 2, 3, 4, 5], work), /one/);
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(begun.length < 5, begun.join());
  });
});
