import assert from "node:assert/strict";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../provider/src/resources/csp-policy-set/lifecycle";
import { type Simulator, startSimulator } from "../../../provider/src/simulator";
import type { Properties } from "../../small-engine/checkpoint";
import type { Program } from "../../small-engine/operation";
import type { KindOf } from "../../small-engine/provider-process";
import { SmallEngine } from "../../small-engine/small-engine";
import { ourPolicies, policy, quietZone, zoneA, zoneB } from "../../small-engine/zones";
import { inOneGo } from "../support/one-go";

const kindOf: KindOf = (name) => (name.startsWith("set") ? (cspPolicySet as never) : (cspPolicy as never));
const { zoneId: _zone, description: _named, ...content } = policy();

/** A set of equal policies under these keys. */
const set = (keys: string, args: Properties = {}): Properties => ({
  zoneId: zoneA,
  policies: Object.fromEntries([...keys].map((key) => [key, content])),
  ...args,
});
const single = (description: string): Properties => policy({ description });

describe("Policies of a set and beside it", () => {
  let sim: Simulator;
  let engine: SmallEngine<unknown, object>;

  beforeEach(async () => {
    sim = await startSimulator();
    sim.zones.seed(zoneA, quietZone);
    engine = new SmallEngine(sim, kindOf);
  });

  afterEach(() => sim.stop());

  /** Each policy that is declared is in the zone under the id that is on record for it, and for nobody else. */
  const expectTogether = async (program: Program, keys: string) => {
    assert.deepEqual(ourPolicies(sim), [...keys]);
    const recorded = [...engine.state.values()].flatMap(({ outputs: { policyId, policyIds } }) =>
      policyIds === undefined ? [policyId] : Object.values(Object(policyIds)),
    );
    const there = sim
      .zone(zoneA)
      .policies.filter(({ description }) => description !== "somebody's")
      .map(({ id }) => id);
    assert.deepEqual(recorded.sort(), there.sort());
    assert.deepEqual(await engine.preview(program), []);
  };

  it("given a lost checkpoint of a set and a single resource that declare the same, when both are applied again, then each takes one over and none is made", async () => {
    const program = inOneGo({ checkout: single("key"), set: { ...set(""), policies: { key: content } } });
    await engine.up(program);
    assert.equal(ourPolicies(sim).length, 2);
    engine.state.clear();
    await engine.up(program);
    assert.equal(ourPolicies(sim).length, 2);
    await engine.destroy();
    assert.deepEqual(ourPolicies(sim), []);
  });

  it("given two sets of a zone, when a policy goes from one to the other and back, then the set that released it no longer has it in the state", async () => {
    await engine.up({ set1: set("abc") });
    await engine.up({ set2: set("bc"), set1: set("a") });
    assert.deepEqual(Object.keys(Object(engine.outputs("set1")["policyIds"])), ["a"]);
    const back = { set2: set("b"), set1: set("ac") };
    await engine.up(back);
    await expectTogether(back, "abc");
  });

  it("given a policy whose deletion is under way, when another resource declares the same, then it gets one of its own", async () => {
    await engine.up({ set1: set("ab") });
    for (const taker of [{ set2: set("b") }, { single: single("b") }] as Program[]) {
      await engine.up({ set1: set("ab") });
      const created = new Promise<void>((resolve) => {
        const takeBack = sim.onProcessed(({ method }) => {
          if (method === "POST") resolve(takeBack());
        });
      });
      const stop = sim.onRequest(async ({ method }) => {
        let turns = 0;
        const patience = async () => {
          while (turns++ < 3000) await new Promise((resolve) => setImmediate(resolve));
        };
        if (method === "DELETE") await Promise.race([created, patience()]);
      });
      const program = { set1: set("a"), ...taker };
      await engine.up(program, { parallel: true });
      stop();
      await expectTogether(program, "ab");
    }
  });

  it("given a policy that a set releases, when another resource declares it in another turn of the program, then the preview does not say that it is adopted for sure", async () => {
    await engine.up({ set1: set("abc") });
    await engine.preview({ set1: set("a"), set2: set("b"), single: single("c") });
    const told = engine.warnings.map(({ name, text }) => `${name}: ${text}`);
    assert.equal(told.length, 2);
    for (const name of ["set2", "single"])
      assert.ok(
        told.some(
          (text) =>
            text.startsWith(`${name}: the zone has this already`) && /set1 stops managing it/.test(text),
        ),
        told.join("\n"),
      );
    await engine.preview(inOneGo({ set1: set("a"), set2: set("bc") }));
    assert.match(engine.warnings[0]?.text ?? "", /exactly these 2 policies already: b, c/);
    assert.match(engine.warnings[0]?.text ?? "", /days of log count from now on\./);
  });

  it("given single policies of which one is dropped while the others move into an exact set, when the state is not read first, then the preview takes it for undeclared and says so; after a refresh it is not", async () => {
    for (const { id } of sim.zone(zoneA).policies) sim.dashboard.deletePolicy(zoneA, id);
    await engine.up({ a: single("a"), b: single("b"), c: single("c") });
    const program = { set: set("ab", { others: "refuse" }) };
    assert.match(await engine.previewFails(program), /"c".*with --refresh/s);
    await engine.up(program, { refresh: true });
    assert.deepEqual(ourPolicies(sim), ["a", "b"]);
  });

  it("given sets that are declared in one go, when policies go from one to another, then nothing is sent that changes the zone", async () => {
    await engine.up(inOneGo({ set1: set("abc"), set2: set("d") }));
    const before = sim.zone(zoneA).policies;
    for (const program of [
      { set1: set("a"), set2: set("bcd") },
      { set2: set("d"), set1: set("ab"), set3: set("c") },
      { set3: set("bcd"), set1: set(""), set2: set("a") },
      { set1: set("ab"), set2: set("c"), single: single("d") },
    ].map(inOneGo)) {
      await engine.up(program, { parallel: true });
      assert.deepEqual(sim.zone(zoneA).policies, before);
      await expectTogether(program, "abcd");
    }
    assert.equal(sim.changing().length, 4);
  });

  it("given a policy that a set releases, when a resource that has another one is changed to say the same, then one of them goes", async () => {
    const takers: [string, Program, Program][] = [
      ["p", { single: single("p") }, { single: single("a") }],
      ["q", { set2: { ...set("k"), policies: { k: { ...content, description: "q" } } } }, { set2: set("a") }],
    ];
    for (const [was, before, after] of takers) {
      for (const parallel of [false, true]) {
        await engine.up(inOneGo({ set1: set("ab"), ...before }), { parallel });
        assert.deepEqual(ourPolicies(sim), ["a", "b", was]);
        const program = inOneGo({ set1: set("b"), ...after });
        await engine.up(program, { parallel });
        await expectTogether(program, "ab");
        await engine.destroy();
      }
    }
  });

  it("given a policy that a set releases for a resource that is changed to say the same, when its deletion fails, then the failure names it, and the next up deletes it", async () => {
    const takers: [Program, Program][] = [
      [{ single: single("p") }, { single: single("a") }],
      [{ set2: set("k") }, { set2: { ...set("k"), policies: { k: { ...content, description: "a" } } } }],
    ];
    for (const [before, after] of takers) {
      await engine.up(inOneGo({ set1: set("ab"), ...before }));
      const id = String(Object(engine.outputs("set1")["policyIds"]).a);
      const program = inOneGo({ set1: set("b"), ...after });
      const fault = sim.faults.add({ method: "DELETE", path: id, kind: "status", status: 403 });
      const told = await engine.upFails(program, { parallel: true });
      sim.faults.remove(fault);
      const [, whose] =
        /Failed to delete policy ([0-9a-f]+), which a set released for (single|set2\.policies\.k): /.exec(
          told,
        ) ?? [];
      assert.equal(whose, id, told);
      assert.match(told, /still has it in its state: run `pulumi up` again/);
      await engine.up(program);
      await expectTogether(program, "ab");
      await engine.destroy();
    }
  });

  for (const name of ["checkout", "set1"]) {
    it(`given ${name} that leaves its policy in the zone, when it goes in the update in which a set becomes exact, then the preview names the policy as no one's and one update is enough`, async () => {
      sim.edit(zoneA, (zone) => {
        zone.policies.length = 0;
      });
      const leaves =
        name === "set1" ? set("x", { onDestroy: "keep" }) : { ...single("x"), onDestroy: "keep" };
      await engine.up(inOneGo({ set2: set("a"), [name]: leaves }));
      const exact = inOneGo({ set2: set("a", { others: "delete" }) });
      await engine.preview(exact, { refresh: true });
      assert.match(engine.warnings.map(({ text }) => text).join("\n"), /nothing declares the policy "x"/);
      await engine.up(exact, { refresh: true });
      await expectTogether(exact, "a");
      await engine.destroy();
    });
  }

  for (const order of [
    ["mover", "set2"],
    ["set2", "mover"],
  ])
    for (const mover of ["checkout", "set1"])
      for (const onDestroy of ["keep", "delete"]) {
        it(`given ${mover} with onDestroy ${onDestroy}, when it goes to another zone in the update in which ${order.join(" before ").replace("mover", "it").replace("set2", "a set of the old zone")} becomes exact, then the preview names what it leaves, and that update is enough`, async () => {
          sim.zones.seed(zoneB, quietZone);
          for (const zoneId of [zoneA, zoneB])
            sim.edit(zoneId, (zone) => {
              zone.policies.length = 0;
            });
          const moved = (zoneId: string) =>
            mover === "set1"
              ? set(zoneId === zoneA ? "xy" : "x", { onDestroy, zoneId })
              : { ...single("x"), onDestroy, zoneId };
          const program = (zoneId: string, others: string) => {
            const both: Program = { mover: moved(zoneId), set2: set("a", { others }) };
            const named = order.map((name) => [name === "mover" ? mover : name, Object(both[name])]);
            return inOneGo(Object.fromEntries(named));
          };
          await engine.up(program(zoneA, "keep"));
          const exact = program(zoneB, "delete");
          // What is on record of a resource that comes later is not known yet, and goes in any case.
          if (onDestroy === "keep" || order[0] === "mover") {
            await engine.preview(exact);
            const told = engine.warnings.map(({ text }) => text).join("\n");
            assert.equal(/nothing declares the policy "x"/.test(told), onDestroy === "keep", told);
            if (mover === "set1") assert.equal(/the policy "y"/.test(told), onDestroy === "keep", told);
          }
          await engine.up(exact);
          assert.deepEqual(ourPolicies(sim), ["a"]);
          assert.deepEqual(ourPolicies(sim, zoneB), ["x"]);
          assert.deepEqual(await engine.preview(exact), []);
          await engine.destroy();
          assert.deepEqual(ourPolicies(sim), []);
        });
      }
});
