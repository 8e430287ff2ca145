import assert from "node:assert/strict";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../provider/src/resources/csp-policy-set/lifecycle";
import type { Simulator } from "../../../provider/src/simulator";
import type { Properties } from "../../small-engine/checkpoint";
import type { Program } from "../../small-engine/operation";
import type { SmallEngine } from "../../small-engine/small-engine";
import { policy, quickStory, quietZone, zoneA } from "../../small-engine/zones";
import { inOneGo } from "../support/one-go";

const kindOf = (name: string) => (name.startsWith("set") ? cspPolicySet : cspPolicy) as never;
const { zoneId: _zone, description: _named, ...content } = policy();

/** A set of policies that are alike but for their keys. */
const set = (keys: string, args: Properties = {}): Properties => ({
  zoneId: zoneA,
  policies: Object.fromEntries([...keys].map((key) => [key, content])),
  ...args,
});
const single = (description: string, more: Properties = {}): Properties => policy({ description, ...more });

/** Both orders of the program, applied one by one or all at once. */
const ways = [false, true].flatMap((parallel) =>
  [false, true].map((reversed) => ({
    parallel,
    say: `${reversed ? "in the other order" : "in one order"}, ${parallel ? "all at once" : "one by one"}`,
    order: (program: Program) =>
      inOneGo(reversed ? Object.fromEntries(Object.entries(program).reverse()) : program),
  })),
);

interface Story {
  readonly sim: Simulator;
  readonly engine: SmallEngine<unknown, object>;
}

function begin(policyQuota?: number): Story {
  const zone = { ...quietZone, policies: [], ...(policyQuota !== undefined && { policyQuota }) };
  return quickStory<unknown, object>(kindOf as never, { [zoneA]: zone });
}

const names = ({ sim }: Story) =>
  sim
    .zone(zoneA)
    .policies.map(({ description }) => description)
    .sort()
    .join("");

/** Each declared policy is in the zone and in the state, nothing else is in either, and nothing is left to do. */
async function expectReached(story: Story, program: Program): Promise<void> {
  const { sim, engine } = story;
  const declared = Object.entries(program).flatMap(([, { policies, description }]) =>
    policies === undefined ? [String(description)] : Object.keys(Object(policies)),
  );
  assert.equal(names(story), declared.sort().join(""));
  const recorded = [...engine.state.values()].flatMap(({ outputs: { policyId, policyIds } }) =>
    policyIds === undefined ? [policyId] : Object.values(Object(policyIds)),
  );
  assert.deepEqual(
    recorded.sort(),
    sim
      .zone(zoneA)
      .policies.map(({ id }) => id)
      .sort(),
  );
  const requests = sim.journal.length;
  assert.deepEqual(await engine.preview(program), []);
  assert.equal(sim.journal.length, requests, "a preview without a change asks nothing");
}

describe("A policy that moves between resources", () => {
  for (const { say, parallel, order } of ways) {
    it(`given policies alike but for their names, when one leaves a set for a CspPolicy and another one comes from a second set (${say}), then nothing is sent that changes the zone`, async () => {
      const story = begin();
      await story.engine.up(order({ set1: set("ae"), set2: set("dz") }), { parallel });
      const before = story.sim.zone(zoneA).policies;
      const moved = order({ set1: set("ed"), set2: set("z"), single: single("a") });
      await story.engine.up(moved, { parallel });
      assert.deepEqual(story.sim.zone(zoneA).policies, before);
      await expectReached(story, moved);
    });

    it(`given two sets that exchange policies alike but for their names (${say}), then nothing is sent that changes the zone`, async () => {
      const story = begin();
      await story.engine.up(order({ set1: set("ae"), set2: set("dz") }), { parallel });
      const before = story.sim.zone(zoneA).policies;
      const moved = order({ set1: set("de"), set2: set("az") });
      await story.engine.up(moved, { parallel });
      assert.deepEqual(story.sim.zone(zoneA).policies, before);
      await expectReached(story, moved);
    });

    it(`given a policy of a CspPolicy that someone has deleted, when an equal one leaves a set without a refresh (${say}), then a destroy leaves nothing behind`, async () => {
      for (const isRefreshed of [false, true]) {
        const story = begin();
        const { sim, engine } = story;
        await engine.up(order({ set1: set("kx"), single: single("k") }), { parallel });
        sim.dashboard.deletePolicy(zoneA, String(engine.outputs("single")["policyId"]));
        const program = order({ set1: set("x"), single: single("k") });
        await engine.up(program, { parallel });
        assert.deepEqual(await engine.preview(program), [], "nothing is left to do that the state knows of");
        if (isRefreshed) {
          await engine.up(program, { parallel, refresh: true });
          await expectReached(story, program);
        }
        await engine.destroy();
        assert.equal(names(story), "");
      }
    });

    for (const taker of ["single", "set2"] as const) {
      it(`given a policy that moves from a set to ${taker}, when the machine dies between the two records and the program takes ${taker} back (${say}), then the policy goes`, async () => {
        for (const step of [1, 2]) {
          for (const end of ["up", "destroy"]) {
            const story = begin();
            const { engine } = story;
            await engine.up(order({ set1: set("kx"), q: single("q") }), { parallel });
            const takes = taker === "single" ? single("k") : set("k");
            await engine.up(order({ set1: set("x"), q: single("q"), [taker]: takes }), {
              parallel,
              death: { step },
            });
            const back = order({ set1: set("x"), q: single("q") });
            if (end === "up") {
              await engine.up(back, { parallel });
              await expectReached(story, back);
            }
            await engine.destroy();
            assert.equal(names(story), "");
          }
        }
      });
    }
  }

  for (const { say, parallel, order } of ways) {
    it(`given a set that released a policy for a resource which has one of its own, when others move (${say}), then nothing is sent but reads, and a next preview sees nothing to do`, async () => {
      const story = begin();
      const { sim, engine } = story;
      await engine.up(inOneGo({ set1: set("ab"), single: single("p") }));
      await engine.up(inOneGo({ set1: set("b"), single: single("a") }));
      assert.notEqual(engine.outputs("set1")["released"], undefined, "it could not know that this one goes");
      const before = sim.journal.length;
      const moved = order({ set1: set(""), set2: set("b"), single: single("a") });
      await engine.up(moved, { parallel });
      const sent = sim.journal.slice(before).filter(({ method }) => method !== "GET");
      assert.deepEqual(sent, []);
      await expectReached(story, moved);
    });

    it(`given a policy that has moved to another set, when its key there changes, or what all keys say (${say}), then it is edited, not deleted`, async () => {
      const [b, c] = ["'self'", "'none'"].map((source) => ({ ...content, value: `img-src ${source}` }));
      const then = [
        { m: content, l: b },
        { k: { ...b, description: "l" }, l: c },
      ];
      for (const policies of then) {
        const story = begin();
        const { sim, engine } = story;
        const up = async (keys: string, taken: Properties) => {
          const program = order({ set1: set(keys), set2: { zoneId: zoneA, policies: taken } });
          await engine.up(program, { parallel });
          assert.deepEqual(await engine.preview(program), []);
        };
        await up("kx", { l: b });
        const { k: id } = Object(engine.outputs("set1")["policyIds"]);
        await up("x", { k: content, l: b });
        await up("x", policies);
        assert.ok(Object.values(Object(engine.outputs("set2")["policyIds"])).includes(id));
        assert.ok(!sim.journal.some(({ method }) => method === "DELETE"));
        await engine.destroy();
        assert.equal(names(story), "");
      }
    });

    it(`given a policy that has moved to another set, when the first one is deleted before it is replaced (${say}), then the policy stays, edited or not`, async () => {
      for (const enabled of [true, false])
        for (const how of ["replace", "replaceOnChanges"]) {
          const { sim, engine } = begin();
          await engine.up(order({ set1: set("kx") }), { parallel });
          const { k: id } = Object(engine.outputs("set1")["policyIds"]);
          await engine.up(order({ set1: set("x"), set2: set("k") }), { parallel });
          const set2 = { zoneId: zoneA, policies: { k: { ...content, enabled } } };
          const program = order({ set1: set("y"), set2 });
          await engine.up(program, { parallel, [how]: ["set1"], deleteBeforeReplace: ["set1"] });
          assert.ok(
            !sim.journal.some(({ method, path }) => method === "DELETE" && path.endsWith(String(id))),
          );
          await expectReached({ sim, engine }, program);
        }
    });

    it(`given a policy that has moved to another set, when it gets another key there in the update that makes that set keep its policies (${say}), then it stays`, async () => {
      const story = begin();
      const { engine } = story;
      await engine.up(order({ set1: set("kx"), set2: set("l") }), { parallel });
      await engine.up(order({ set1: set("x"), set2: set("kl") }), { parallel });
      await engine.up(order({ set1: set("x"), set2: set("ml", { onDestroy: "keep" }) }), { parallel });
      await engine.up(order({ set1: set("x") }), { parallel });
      assert.equal(names(story), "lmx");
    });

    it(`given a move that was cut off before the taker was recorded, when the taker says something else then (${say}), then one update leaves nothing behind`, async () => {
      for (const takes of [{ single: single("k") }, { set2: set("k") }]) {
        const story = begin();
        const { engine } = story;
        await engine.up(order({ set1: set("kx") }), { parallel });
        await engine.up(order({ set1: set("x"), ...takes }), { parallel, death: { step: 2 } });
        const other = "single" in takes ? { single: single("o") } : { set2: set("o") };
        const program = order({ set1: set("x"), ...other });
        await engine.up(program, { parallel });
        await expectReached(story, program);
        await engine.destroy();
        assert.equal(names(story), "");
      }
    });

    it(`given a policy that has moved to a CspPolicy, whatever becomes of that one then (${say}), then the set leaves it alone`, async () => {
      const then: [string, Program, string][] = [
        ["is edited", { single: single("o") }, "ox"],
        ["is to stay", { single: single("k", { onDestroy: "keep" }) }, "kx"],
        ["goes", {}, "x"],
        ["is renamed without an alias", { other: single("k") }, "kx"],
        ["goes into a third set", { set3: set("k") }, "kx"],
        ["is edited beside the set", { single: single("o"), set1: set("xy") }, "oxy"],
        ["comes back", { set1: set("kx") }, "kx"],
      ];
      for (const [what, next, expected] of then) {
        const story = begin();
        const { sim, engine } = story;
        await engine.up(order({ set1: set("kx") }), { parallel });
        await engine.up(order({ set1: set("x"), single: single("k") }), { parallel });
        // Where the set cannot see it come, it stays on record.
        const isSeen = parallel || Object.keys(order({ set1: {}, single: {} }))[0] === "single";
        assert.equal(engine.outputs("set1")["released"] === undefined, isSeen);
        const id = String(engine.outputs("single")["policyId"]);
        const program = order({ set1: set("x"), ...next });
        await engine.up(program, { parallel });
        assert.equal(names(story), expected, what);
        if (expected !== "x")
          assert.ok(
            sim.zone(zoneA).policies.some((one) => one.id === id),
            `${what}: its id`,
          );
        await expectReached(story, program);
        await engine.destroy();
        assert.equal(names(story), what === "is to stay" ? "k" : "", what);
      }
    });
  }

  it("given a policy that moved and is in two states, when the set deletes it before the other resource is compared, then that one gets another policy in the same update", async () => {
    const story = begin();
    const { engine } = story;
    await engine.up(inOneGo({ set1: set("kx") }));
    await engine.up(inOneGo({ set1: set("x"), single: single("k") }));
    assert.notEqual(engine.outputs("set1")["released"], undefined);
    // In another turn of the program: the set knows nothing of it.
    const program = { set1: set("x"), single: single("k") };
    assert.deepEqual(await engine.preview(program), ["update set1"]);
    assert.match(
      engine.warnings[0]?.text ?? "",
      /was released for single, and nothing has adopted it: it is deleted/,
    );
    await engine.up(program);
    await expectReached(story, program);
  });
});

describe("A full zone", () => {
  const full = () => begin(2);
  const b = { ...content, value: "img-src 'self'" };
  const edited = { zoneId: zoneA, policies: { a: content, b } };

  it("given a set that gets another name without an alias, and an edit, when the state is read first, then the old policy makes room, with a warning", async () => {
    for (const wasTried of [false, true]) {
      const story = full();
      const { sim, engine } = story;
      await engine.up(inOneGo({ set1: set("ab") }));
      const program = inOneGo({ set2: edited });
      if (wasTried) {
        const told = await engine.upFails(program);
        assert.match(told, /Failed to create a policy: the zone is full.*aliases.*pulumi up --refresh/s);
        assert.equal(names(story), "ab");
      }
      await engine.up(program, { refresh: true });
      assert.match(engine.warnings.map(({ text }) => text).join(), /no room for 1 of the new policies/);
      await expectReached(story, program);
      assert.equal(sim.zone(zoneA).policies.find(({ description }) => description === "b")?.value, b.value);
    }
  });

  it("given another resource that may have the policy of that name, then it makes no room", async () => {
    const story = full();
    const { engine } = story;
    await engine.up(inOneGo({ set1: set("a"), single: single("b") }));
    for (const order of [0, 1]) {
      const resources = [
        ["set2", edited],
        ["single", single("b", { onDestroy: "keep" })],
      ] as const;
      const program = inOneGo(Object.fromEntries(order === 0 ? resources : [...resources].reverse()));
      assert.match(
        await engine.upFails(program, { refresh: true }),
        /Failed to create a policy: the zone is full/,
      );
      assert.equal(names(story), "ab");
    }
  });

  it("given what is replaced in its zone, then the old policies make room one by one, with a warning", async () => {
    for (const [name, before, after] of [
      ["set1", set("ab"), edited],
      ["single", single("b"), single("b", { value: "img-src 'self'" })],
    ] as const) {
      const story = begin(name === "set1" ? 2 : 1);
      const { engine } = story;
      await engine.up(inOneGo({ [name]: before }));
      const program = inOneGo({ [name]: after });
      await engine.up(program, { replaceOnChanges: [name] });
      assert.match(engine.warnings.map(({ text }) => text).join(), /no room for 1 of the new policies/);
      await expectReached(story, program);
    }
  });
});
