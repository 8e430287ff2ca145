import assert from "node:assert/strict";
import { type Declaration, outputOf, policy, policySet, secret } from "../real-engine/declaration";
import { changesOf } from "../real-engine/preview";
import { type Story, useStories, zoneA } from "../real-engine/story";

const allow = { action: "allow", impact: "off" };
const entries = { a: {}, b: { value: "img-src 'self'" }, c: { value: "font-src 'self'" } };

/** The same three policies as resources of their own. */
const singles: Declaration = Object.fromEntries(
  Object.entries(entries).map(([key, entry]) => [key, policy({ zoneId: zoneA, description: key, ...entry })]),
);
const { a, b, c } = singles;
assert.ok(a && b && c);
const set = (policies: Record<string, Record<string, unknown>>, args: object = {}) =>
  policySet({ zoneId: zoneA, policies, ...args });

function ours({ sim }: Pick<Story, "sim">): string[] {
  return sim
    .zone(zoneA)
    .policies.map(({ description }) => description)
    .filter((description) => description !== "somebody's")
    .sort();
}

describe("On the engine: a set of policies", function () {
  const begin = useStories(this);

  it("given a set, when it is applied, edited, drifts and is destroyed, then previews show just the keys and fields that differ", async () => {
    const { sim, stack } = await begin();
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
    await stack.expectEmptyPreview();
    await stack.destroy();
    assert.deepEqual(ours({ sim }), []);
  });

  it("given policies as resources of their own, when they move into a set and back, whole and in part, then the zone is not touched", async () => {
    const { sim, stack } = await begin();
    stack.declare(singles);
    await stack.up();
    const before = sim.zone(zoneA).policies;
    const untouched = async (declaration: Declaration) => {
      sim.journal.clear();
      stack.declare(declaration);
      await stack.up();
      assert.deepEqual(
        sim.changing().map(({ method, path }) => `${method} ${path}`),
        [],
      );
      assert.deepEqual(sim.zone(zoneA).policies, before);
      await stack.expectEmptyPreview();
    };
    await untouched({ set: set(entries) });
    await untouched(singles);
    // Some of them, in both directions and wherever they stand in the program.
    await untouched({ set: set({ a: entries.a, b: entries.b }), c });
    await untouched({ a, set: set({ b: entries.b, c: entries.c }) });
    await untouched({ c, set: set({ a: entries.a, b: entries.b }) });
    await untouched({ set: set({ b: entries.b }), a, c });
    await untouched({ renamed: set(entries) });
    await stack.destroy();
    assert.deepEqual(ours({ sim }), []);
  });

  it("given an exact set, when somebody adds a policy, then it is drift, named in the preview, and deleted by the up; refuse fails instead", async () => {
    const { sim, stack, strangers } = await begin();
    strangers.release(...sim.zone(zoneA).policies.map(({ id }) => id));
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
    assert.deepEqual(ours({ sim }), ["a", "b", "c"]);
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
    stack.declare({ set: set(entries, { others: "refuse" }), a });
    assert.match(await stack.fails("preview"), /set decides on all policies of the zone/);
    stack.declare({ set: set(entries, { others: "refuse" }) });
    await stack.up();
  });

  it("given single policies of which one is dropped while the others move into an exact set, when the state is read first, then it is not undeclared", async () => {
    const { sim, stack, strangers } = await begin();
    strangers.release(...sim.zone(zoneA).policies.map(({ id }) => id));
    for (const { id } of sim.zone(zoneA).policies) sim.dashboard.deletePolicy(zoneA, id);
    stack.declare(singles);
    await stack.up();
    stack.declare({ set: set({ a: entries.a, b: entries.b }, { others: "refuse" }) });
    assert.match(await stack.fails("preview"), /"c".*with --refresh/s);
    await stack.up("--refresh");
    assert.deepEqual(ours({ sim }), ["a", "b"]);
    assert.deepEqual(Object.keys(stack.state()), ["set"]);
  });

  it("given secret values and values that are not known yet, when it is previewed and applied, then the first stay secret and the second are waited for", async () => {
    const { sim, stack } = await begin();
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
  });

  for (const at of ["arrival", "processed"] as const) {
    it(`given a provider that dies at ${at} of creates, updates and deletes, when it is run again, then the zone is as declared and nothing is there twice`, async () => {
      const { sim, stack } = await begin();
      const edited = {
        a: { ...allow, impact: undefined, action: "log", enabled: false },
        b: { value: "img-src 'none'" },
        d: {},
      };
      stack.declare({ set: set(entries) });
      stack.killProviderAt({ at, method: "GET", path: "/policies" });
      await stack.upFails();
      stack.killProviderAt({ at, method: "POST", skip: 1 });
      await stack.upFails();
      await stack.up();
      assert.deepEqual(ours({ sim }), ["a", "b", "c"]);
      stack.declare({ set: set(edited) });
      stack.killProviderAt({ at, method: "PUT" });
      await stack.upFails();
      stack.killProviderAt({ at, method: "DELETE" });
      await stack.upFails();
      await stack.up();
      assert.deepEqual(ours({ sim }), ["a", "b", "d"]);
      await stack.expectEmptyPreview();
      stack.killProviderAt({ at, method: "DELETE", skip: 1 });
      await stack.fails("destroy", "--yes", "--skip-preview");
      assert.ok(ours({ sim }).length < 3);
      await stack.destroy();
      assert.deepEqual(ours({ sim }), []);
    });
  }

  it("given answers that are lost, when it is applied, edited and destroyed, then each run succeeds and nothing is done twice", async () => {
    const { sim, stack } = await begin();
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
    assert.deepEqual(ours({ sim }), []);
  });
});
