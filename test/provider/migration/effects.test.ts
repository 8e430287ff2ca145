import assert from "node:assert/strict";
import type { ResourceChange } from "../../../provider/src/model/effect";
import { effectsOf } from "../../../provider/src/resources/kinds";

const zoneId = "0".repeat(32);
const applied = { name: "default", rules: [] };
const validation = { zoneId, stage: "validation", reached: "validation", applied };
const over = { ...validation, stage: "finished", reached: "finished" };

function fates(change: Partial<ResourceChange>, ...differences: readonly string[]): readonly string[] {
  const resource = {
    kind: "WafMigrationStep",
    urn: "urn",
    name: "waf",
    id: zoneId,
    op: "update",
    isRetained: false,
    ...change,
    differences: differences.map((path) => ({ path })),
  };
  return effectsOf([resource], {}).map(({ fate, after }) => `${fate} to ${after?.["stage"]}`);
}

describe("The effect of an update on a migration", () => {
  it("is the declared stage, unless the state already contains it with everything that would be sent", () => {
    const becomes = { zoneId, stage: "finished" };
    assert.deepEqual(fates({ op: "create", becomes }), ["update to finished"]);
    assert.deepEqual(fates({ was: validation, becomes }, "stage"), ["update to finished"]);
    assert.deepEqual(fates({ was: { ...over, applied: undefined }, becomes }), ["update to finished"]);
    // An attempt with an unknown outcome.
    assert.deepEqual(fates({ was: { ...validation, stage: "finished" }, becomes }), ["update to finished"]);
    const same = { was: validation, becomes: { zoneId, stage: "validation" } };
    assert.deepEqual(fates(same, "ruleOverrides[0].action"), ["update to validation"]);
    assert.deepEqual(fates(same, "timeoutMinutes", "allowForget"), []);
    assert.deepEqual(fates({ was: over, becomes }, "ruleOverrides"), []);
    assert.deepEqual(fates({ op: "same", was: validation, becomes }), []);
    assert.deepEqual(fates({ op: "delete", was: over }), []);
  });
});
