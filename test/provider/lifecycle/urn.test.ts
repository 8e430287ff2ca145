import assert from "node:assert/strict";
import { declaredAsIn, urnParts } from "../../../provider/src/model/urn";

describe("Parts of a URN", () => {
  it("are read from a URN, whose name may hold what parts it", () => {
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
});
