import assert from "node:assert/strict";
import type { Simulator } from "../../../provider/src/simulator";
import { type Declaration, outputOf, policy, policySet, secret } from "../../real-engine/declaration";
import { changesOf } from "../../real-engine/preview";
import type { AddStory } from "../../real-engine/shared-stories";
import { zoneWithPolicy } from "../../real-engine/story";

const entries = { a: {}, b: { value: "img-src 'self'" }, c: { value: "font-src 'self'" } };

/** A set of a zone, and the same three policies as resources of their own. */
function inZone(zoneId: string) {
  const single = (description: keyof typeof entries) =>
    policy({ zoneId, description, ...entries[description] });
  return {
    set: (policies: Record<string, Record<string, unknown>>, args: object = {}) =>
      policySet({ zoneId, policies, ...args }),
    singles: { a: single("a"), b: single("b"), c: single("c") },
  };
}

const whole = (zoneId: string) => ({ set: inZone(zoneId).set(entries) });
const apart = (zoneId: string) => inZone(zoneId).singles;
/** Some of them in the set, the others before or after it in the program. */
const inPart = (before: string, within: string, after: string) => (zoneId: string) => {
  const { set, singles } = inZone(zoneId);
  const of = (from: object, keys: string) =>
    Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
  return { ...of(singles, before), set: set(of(entries, within)), ...of(singles, after) };
};

/** What they are declared as, one after the other. */
const movements: readonly (readonly [
  moves: string,
  begun: (zoneId: string) => Declaration,
  ...then: readonly ((zoneId: string) => Declaration)[],
])[] = [
  ["into a set and back", apart, whole, apart],
  ["into a set in part, and others in their place", apart, inPart("", "ab", "c"), inPart("a", "bc", "")],
  [
    "between a set and what stands around it",
    inPart("a", "bc", ""),
    inPart("c", "ab", ""),
    inPart("", "b", "ac"),
  ],
  [
    "into a set that is called otherwise",
    inPart("", "b", "ac"),
    (zoneId) => ({ renamed: inZone(zoneId).set(entries) }),
  ],
];

function ours(sim: Pick<Simulator, "zone">, zoneId: string): string[] {
  return sim
    .zone(zoneId)
    .policies.map(({ description }) => description)
    .filter((description) => description !== "unmanaged")
    .sort();
}

export function cspPolicySet(addStory: AddStory): void {
  describe("a set of policies", () => {
    addStory(
      "given a set, when it is applied, edited, drifts, is renamed with an alias and destroyed, then previews show just the keys and fields that differ",
      { zoneA: zoneWithPolicy },
      async ({ sim, stack, zones: { zoneA } }) => {
        const { set } = inZone(zoneA);
        stack.declare({ set: set(entries) });
        await stack.up();
        assert.equal(sim.changing().length, 3);
        await stack.expectEmptyPreview();
        // A reordering and another spelling beside the edit are no part of it.
        const spelt = { b: { value: "  IMG-SRC 'self';" }, c: entries.c, a: { enabled: false }, d: {} };
        stack.declare({ set: set(spelt) });
        assert.deepEqual(changesOf(await stack.preview()), ["update set: policies.a.enabled, policies.d"]);
        await stack.up();
        await stack.expectEmptyPreview();
        const id = Object(stack.state()["set"]?.outputs["policyIds"]).b;
        sim.dashboard.putPolicy(zoneA, { id, action: "allow" });
        assert.match(await stack.seesDrift(), /action\s*: "log" => "allow"/);
        await stack.refresh();
        assert.deepEqual(changesOf(await stack.preview()), ["update set: policies.b.action"]);
        await stack.up();
        stack.declare({ renamed: { ...set(spelt), options: { aliases: [{ name: "set" }] } } });
        await stack.expectEmptyPreview();
        await stack.destroy();
        assert.deepEqual(ours(sim, zoneA), []);
      },
    );

    for (const [moves, begun, ...then] of movements) {
      addStory(
        `given policies, when they move ${moves}, then the zone is not touched`,
        { zoneA: zoneWithPolicy },
        async ({ sim, stack, zones: { zoneA } }) => {
          stack.declare(begun(zoneA));
          await stack.up();
          const before = sim.zone(zoneA).policies;
          sim.forget();
          for (const declaration of then) {
            stack.declare(declaration(zoneA));
            await stack.up();
            assert.deepEqual(
              sim.changing().map(({ method, path }) => `${method} ${path}`),
              [],
            );
            assert.deepEqual(sim.zone(zoneA).policies, before);
            await stack.expectEmptyPreview();
          }
          await stack.destroy();
          assert.deepEqual(ours(sim, zoneA), []);
        },
      );
    }

    addStory(
      "given an exact set, when someone else adds a policy, then it is drift, named in the preview, and deleted by the up; refuse fails instead",
      { zoneA: zoneWithPolicy },
      async ({ sim, stack, unmanaged, zones: { zoneA } }) => {
        const { set } = inZone(zoneA);
        unmanaged.release(...sim.zone(zoneA).policies.map(({ id }) => id));
        stack.declare({ set: set(entries, { others: "delete" }) });
        await stack.up();
        assert.deepEqual(sim.zone(zoneA).policies.length, 3);
        sim.dashboard.putPolicy(zoneA, {
          id: "late",
          description: "late",
          action: "log",
          expression: "true",
          value: "img-src *",
        });
        await stack.seesDrift();
        const { messages, ...preview } = await stack.preview();
        assert.deepEqual(changesOf({ messages, ...preview }), ["update set"]);
        assert.ok(
          messages.some(
            ({ name, text }) => name === "set" && text.includes('nothing declares the policy "late"'),
          ),
        );
        assert.match(await stack.up(), /nothing declares the policy "late"/);
        assert.deepEqual(ours(sim, zoneA), ["a", "b", "c"]);
        sim.dashboard.putPolicy(zoneA, {
          id: "later",
          description: "later",
          action: "log",
          expression: "true",
          value: "img-src *",
        });
        stack.declare({ set: set(entries, { others: "refuse" }) });
        assert.match(await stack.fails("preview"), /nothing declares, and others is "refuse": "later"/);
        sim.dashboard.deletePolicy(zoneA, "later");
        await stack.up();
      },
    );

    addStory(
      "given single policies of which one is dropped while the others move into an exact set, when the state is read first, then it is not undeclared",
      { zoneA: zoneWithPolicy },
      async ({ sim, stack, unmanaged, zones: { zoneA } }) => {
        const { set, singles } = inZone(zoneA);
        unmanaged.release(...sim.zone(zoneA).policies.map(({ id }) => id));
        for (const { id } of sim.zone(zoneA).policies) sim.dashboard.deletePolicy(zoneA, id);
        stack.declare(singles);
        await stack.up();
        stack.declare({ set: set({ a: entries.a, b: entries.b }, { others: "refuse" }) });
        // test/resources shows what the preview says without it.
        await stack.up("--refresh");
        assert.deepEqual(ours(sim, zoneA), ["a", "b"]);
        assert.deepEqual(Object.keys(stack.state()), ["set"]);
      },
    );

    addStory(
      "given secret values and values that are not known yet, when it is previewed and applied, then the first stay secret and the second are waited for",
      { zoneA: zoneWithPolicy },
      async ({ sim, stack, zones: { zoneA } }) => {
        const { set } = inZone(zoneA);
        const text = "script-src https://secret-host.example; object-src 'none'";
        const declared = (other: string): Declaration => ({
          first: policy({ zoneId: zoneA, description: other }),
          set: set({
            hidden: { value: secret(text) },
            late: { description: outputOf("first", "policyId") },
            plain: {},
          }),
        });
        stack.declare(declared("one"));
        await stack.preview();
        await stack.up();
        assert.ok(sim.zone(zoneA).policies.some(({ value }) => value === text));
        assert.ok(!stack.said.includes("secret-host"), "the CLI has shown it");
        assert.ok(
          !JSON.stringify(stack.resources()).includes("secret-host"),
          "the checkpoint has it in the clear",
        );
        await stack.expectEmptyPreview();
        sim.dashboard.putPolicy(zoneA, {
          id: Object(stack.state()["set"]?.outputs["policyIds"]).plain,
          enabled: false,
        });
        await stack.refresh();
        await stack.up();
        assert.ok(!JSON.stringify(stack.resources()).includes("secret-host"));
        assert.ok(!stack.said.includes("secret-host"));
      },
    );

    addStory(
      "given answers that are lost, when it is applied, edited and destroyed, then each run succeeds and nothing is done twice",
      { zoneA: zoneWithPolicy },
      async ({ sim, stack, zones: { zoneA } }) => {
        const { set } = inZone(zoneA);
        const lose = () => {
          sim.faults.clear();
          for (const method of ["POST", "PUT", "DELETE"])
            sim.faults.add({ method, path: "/policies", kind: "reset-after", count: 1 });
        };
        lose();
        stack.declare({ set: set(entries) });
        await stack.up();
        assert.equal(sim.requests({ method: "POST" }).length, 3);
        await stack.expectEmptyPreview();
        lose();
        stack.declare({ set: set({ a: { enabled: false }, b: entries.b }) });
        await stack.up();
        await stack.expectEmptyPreview();
        lose();
        await stack.destroy();
        assert.deepEqual(ours(sim, zoneA), []);
      },
    );
  });
}
