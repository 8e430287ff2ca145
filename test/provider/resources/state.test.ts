import assert from "node:assert/strict";
import { readRecordedInputs, upgradeState } from "../../../provider/src/lifecycle/state";
import { cspPolicySet } from "../../../provider/src/resources/csp-policy-set/lifecycle";
import { withoutFields } from "../../../provider/src/text/data";
import { policy, schemaVersion, useStories, zoneA } from "../small-engine/zones";

const kind = "CspPolicySet";
const newer = /written by a newer pulumi-page-guard \(schema .+, this one knows \d+\)\. Install the version/;

describe("The state of an older or newer version", () => {
  const begin = useStories(cspPolicySet);

  it("is upgraded to the current version, and keeps its content", () => {
    for (const state of [
      { zoneId: "z", unknown: 1 },
      { zoneId: "z", schemaVersion },
    ])
      assert.deepEqual(upgradeState(state, kind), { ...state, schemaVersion });
  });

  it("is reported with its version if that is a plausible number", () => {
    const schema = (version: unknown) => () => upgradeState({ schemaVersion: version }, kind);
    assert.throws(schema(8), /\(schema 8, this one/);
    assert.throws(schema("a secret"), /schemaVersion is not a version\. The state was edited/);
  });

  it("passes each upgrade after its own version, in order and once", () => {
    // Upgrades of two imaginary later versions.
    const steps = [
      ...Array.from({ length: schemaVersion }, () => (state: object) => ({ ...state })),
      ({ ids, ...state }: Readonly<Record<string, unknown>>, of: string) =>
        of === kind ? { ...state, policyIds: ids } : { ...state, ids },
      ({ policyIds, ...state }: Readonly<Record<string, unknown>>) => ({
        ...state,
        policies: Object.keys(Object(policyIds)),
      }),
    ];
    const newest = schemaVersion + 2;
    const rows = [
      [{ zoneId: "z", ids: { a: "1" } }, ["a"]],
      [{ zoneId: "z", ids: { a: "1" }, schemaVersion }, ["a"]],
      [{ zoneId: "z", policyIds: { b: "2" }, schemaVersion: schemaVersion + 1 }, ["b"]],
      [{ zoneId: "z", policies: ["c"], schemaVersion: newest }, ["c"]],
    ] as const;
    for (const [state, policies] of rows) {
      assert.deepEqual(upgradeState(state, kind, steps), { zoneId: "z", policies, schemaVersion: newest });
    }
    const other = upgradeState({ ids: { a: "1" }, schemaVersion }, "CspPolicy", steps.slice(0, -1));
    assert.deepEqual(other, { ids: { a: "1" }, schemaVersion: schemaVersion + 1 });
  });

  it("is refused if a newer version has written it, because reading it would lose newer fields", () => {
    const refusal = { code: "state-of-newer-version", message: newer };
    assert.throws(() => upgradeState({ schemaVersion: schemaVersion + 1 }, kind), refusal);
    for (const version of ["2", 1.5, -1, null, Number.NaN])
      assert.throws(() => upgradeState({ schemaVersion: version }, kind), { code: "state-unreadable" });
  });

  /** Creates a set and replaces some of its outputs in the state. Clears the journal, so that a test can find later requests. */
  async function tampered(outputs: object) {
    const { sim, engine } = await begin();
    const { zoneId: _zone, ...shop } = policy();
    const program = (description: string) => ({
      set: { zoneId: zoneA, policies: { shop: { ...shop, description } } },
    });
    await engine.up(program("first"));
    const recorded = engine.state.get("set") ?? assert.fail();
    assert.equal(recorded.outputs["schemaVersion"], schemaVersion);
    engine.state.set("set", { ...recorded, outputs: { ...recorded.outputs, ...outputs } });
    sim.journal.clear();
    return { sim, engine, edited: program("second") };
  }

  it("is refused if it is damaged, before any request, with the place and without its value", async () => {
    const { sim, engine, edited } = await tampered({ policyIds: { shop: ["a secret"] } });
    const refusal = / writes: policyIds\.shop\. .*pulumi stack import.*\[state-unreadable\]$/;
    for (const text of [await engine.previewFails(edited), await engine.destroyFails()]) {
      assert.match(text, refusal);
      assert.doesNotMatch(text, /a secret/);
    }
    await assert.rejects(engine.refresh(), /policyIds\.shop\. .*\[state-unreadable\]$/);
    assert.equal(sim.journal.length, 0);
  });

  it("names five damaged places and counts the others", () => {
    const inputs = { zoneId: 1, policies: 2, others: 3, onDestroy: 4, lint: 5, impact: 6 };
    const code = "state-unreadable";
    const message = /writes: zoneId, policies, others, onDestroy, lint, and 1 more\./;
    assert.throws(() => readRecordedInputs(cspPolicySet, inputs), { code, message });
    const five = { message: /writes: zoneId, policies, others, onDestroy, lint\. / };
    assert.throws(() => readRecordedInputs(cspPolicySet, { ...inputs, impact: "off" }), five);
  });

  it("is refused by preview, update, refresh and destroy, before any request", async () => {
    const { sim, engine, edited } = await tampered({ schemaVersion: schemaVersion + 1 });
    assert.match(await engine.previewFails(edited), newer);
    assert.match(await engine.upFails(edited), newer);
    assert.match(await engine.destroyFails(), newer);
    await assert.rejects(engine.refresh(), newer);
    assert.equal(sim.journal.length, 0);
  });

  it("contains no undefined at any depth, because the engine refuses that", () => {
    const state = { a: undefined, b: [{ c: undefined, d: null }], e: { f: { g: undefined } }, h: false };
    assert.deepEqual(withoutFields(state, undefined), { b: [{ d: null }], e: { f: {} }, h: false });
    assert.ok(!("a" in Object(withoutFields(state, undefined))));
  });
});
