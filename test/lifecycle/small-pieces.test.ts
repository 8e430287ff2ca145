import assert from "node:assert/strict";
import { isSameZone } from "../../provider/src/lifecycle/changed-inputs";
import { allInFlight, inFlight } from "../../provider/src/lifecycle/in-flight";
import { currentResource, onResource } from "../../provider/src/lifecycle/on-resource";
import { oneAtATime } from "../../provider/src/lifecycle/one-at-a-time";
import { createRun } from "../../provider/src/lifecycle/process-run";
import { withoutUndefined } from "../../provider/src/lifecycle/state";
import { containsUnknown, isUnknown, unknownValue } from "../../provider/src/lifecycle/unknown";
import { declaredAsIn, urnParts } from "../../provider/src/lifecycle/urn";
import { claimZone, hasSuccessor, holdZone } from "../../provider/src/lifecycle/zone-claims";
import { zoneA, zoneB } from "../small-engine/zones";

describe("Work in this process", () => {
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

  it("is done one after the other for one zone, in any spelling, also after a failure; side by side for others", async () => {
    const run = createRun({ env: {} });
    const done: string[] = [];
    const work =
      (name: string, fails = false) =>
      async () => {
        done.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        done.push(`${name} ends`);
        if (fails) throw new Error(name);
      };
    const [first, second, other] = await Promise.allSettled([
      oneAtATime(run, zoneA, work("first", true)),
      oneAtATime(run, zoneA.toUpperCase(), work("second")),
      oneAtATime(run, zoneB, work("other")),
    ]);
    assert.deepEqual([first.status, second.status, other.status], ["rejected", "fulfilled", "fulfilled"]);
    assert.deepEqual(
      done.filter((what) => !what.startsWith("other")),
      ["first begins", "first ends", "second begins", "second ends"],
    );
    assert.ok(done.indexOf("other begins") < done.indexOf("first ends"));
  });

  it("sleeps where nobody gives it another clock, and wakes up", async () => {
    const waits = createRun({ env: {} }).sleep(0);
    const [first] = await Promise.all([
      Promise.race([waits.then(() => "waited"), Promise.resolve("at once")]),
      waits,
    ]);
    assert.equal(first, "at once");
  });

  it("knows which resource it is for, however deep, and none outside", async () => {
    assert.equal(currentResource(), "");
    await onResource("urn:a", async () => {
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(currentResource(), "urn:a");
    });
    assert.equal(currentResource(), "");
  });

  it("claims a zone once for each kind, and the same resource may claim it again", () => {
    const run = createRun({ env: {} });
    assert.equal(claimZone(run, "Toy", zoneA, "urn:a"), undefined);
    assert.equal(claimZone(run, "Toy", zoneA.toUpperCase(), "urn:b"), "urn:a");
    assert.equal(claimZone(run, "Toy", zoneA, "urn:a"), undefined);
    assert.equal(claimZone(run, "Other", zoneA, "urn:b"), undefined);
  });

  it("knows whether a declared resource has the zone by now, which one that is replaced has not before it is made", () => {
    const run = createRun({ env: {} });
    claimZone(run, "Toy", zoneA, "urn:a");
    assert.equal(hasSuccessor(run, "Toy", zoneA), false);
    holdZone(run, "Toy", zoneA, "urn:a");
    assert.deepEqual(
      [
        hasSuccessor(run, "Toy", zoneA.toUpperCase()),
        hasSuccessor(run, "Toy", zoneB),
        hasSuccessor(run, "Third", zoneA),
      ],
      [true, false, false],
    );
    claimZone(run, "Toy", zoneA.toUpperCase(), "urn:a");
    assert.equal(hasSuccessor(run, "Toy", zoneA), false);
  });
});

describe("Values that go through the engine", () => {
  it("are unknown at any depth, or not", () => {
    assert.deepEqual(
      [isUnknown(unknownValue), isUnknown("x"), isUnknown([unknownValue])],
      [true, false, false],
    );
    assert.deepEqual(
      [unknownValue, [unknownValue], { a: [{ b: unknownValue }] }, null, undefined, "x", { a: null }].map(
        containsUnknown,
      ),
      [true, true, true, false, false, false, false],
    );
  });

  it("lose what is undefined, at any depth, and nothing else", () => {
    assert.deepEqual(withoutUndefined({ a: undefined, b: null, c: [{ d: undefined, e: 0 }], f: "" }), {
      b: null,
      c: [{ e: 0 }],
      f: "",
    });
    assert.deepEqual(
      [withoutUndefined(undefined), withoutUndefined("x"), withoutUndefined(null)],
      [undefined, "x", null],
    );
  });

  it("are told from a URN, whose name may hold what parts it", () => {
    const ours = "urn:pulumi:dev::shop::a:b:Team$pulumi-nodejs:dynamic/page-guard:WafMigrationStep";
    assert.deepEqual(urnParts(`${ours}::a::b$c::waf-step`), {
      types: "a:b:Team$pulumi-nodejs:dynamic/page-guard:WafMigrationStep",
      type: "pulumi-nodejs:dynamic/page-guard:WafMigrationStep",
      name: "a::b$c::waf-step",
    });
    assert.equal(declaredAsIn(`${ours}::a::waf-step`), "WafMigration a::waf");
    assert.equal(declaredAsIn(`${ours}::two-step-waf-step`), "WafMigration two-step-waf");
    assert.equal(declaredAsIn("urn:pulumi:dev::shop::a:b:SomeStep::a-step"), "a:b:SomeStep a-step");
    for (const name of ["", "waf", "a::b::c"])
      assert.deepEqual(urnParts(name), { types: "", type: "", name });
  });

  it("name the same zone in either case, and other values only when they are the same", () => {
    assert.ok(isSameZone(zoneA.toUpperCase(), zoneA));
    assert.ok(!isSameZone("aB", "ac"));
    assert.ok(isSameZone(undefined, undefined));
    assert.ok(!isSameZone(undefined, "a"));
    assert.ok(!isSameZone("a", undefined));
  });
});
