import assert from "node:assert/strict";
import { midwayOf } from "../../provider/src/cli/approval/midway";
import { untilPlanIsViolated } from "../../provider/src/cli/approval/update";
import { step } from "../lifecycle/support/approve";
import { policy } from "../small-engine/zones";
import { diagnostic } from "./support/events";

const steps = [step("CspPolicy", "create", "csp", policy())];
const [{ urn } = step("CspPolicy", "", "")] = steps;

function ended(op: string, name: string, type = "x:y:Bucket"): string {
  const metadata = { op, urn: `urn:pulumi:dev::story::${type}::${name}`, type };
  return JSON.stringify({ resOutputsEvent: { metadata } });
}

describe("An update that is refused after it has begun", () => {
  const reasons = (...lines: string[]) => midwayOf(lines, { steps })?.reasons;

  it("is one that the provider process or the engine's plan refuses, and no other failure", () => {
    assert.deepEqual(reasons(diagnostic("error", "no [PG_NOT_APPROVED]", urn)), ["no [PG_NOT_APPROVED]"]);
    for (const text of [
      "create is not allowed by the plan: no steps were expected for this resource",
      `resource ${urn} violates plan: provider changed (expected x)`,
      `expected resource operations for ${urn} but none were seen`,
    ]) {
      assert.match(reasons(diagnostic("error", text, urn))?.[0] ?? "", /^csp \(.*\), by the engine's plan: /);
    }
    assert.equal(reasons(diagnostic("error", "500 [PG_SERVER]", urn)), undefined);
    assert.equal(reasons(diagnostic("warning", "no [PG_NOT_APPROVED]", urn)), undefined);
    assert.equal(reasons("not JSON", "{}"), undefined);
  });

  it("names inputs that differ from the plan, and never shows their values", () => {
    const text = `resource ${urn} violates plan: properties changed: ~~value[{&{{hush}}}!={hush action[}], ++other[{hush}]`;
    const [said = ""] = reasons(diagnostic("error", text, urn)) ?? [];
    assert.match(said, /^the engine's plan has other inputs for csp \(.*\): (action, )?value \(/);
    assert.doesNotMatch(said, /hush/);
  });

  it("lists what was done by then, and ignores text that only looks like it", () => {
    const refused = diagnostic("error", "no [PG_NOT_APPROVED]", urn);
    const lines = [
      ended("create", "story-dev", "pulumi:pulumi:Stack"),
      ended("create", "default", "pulumi:providers:x"),
      ...["same", "refresh", "read", "replace"].map((op) => ended(op, op)),
      ended("create", "a"),
      ended("delete-replaced", "b"),
      ended("update", "waf-step", "pulumi-nodejs:dynamic/page-guard:WafMigrationStep"),
      refused,
    ];
    assert.deepEqual(midwayOf(lines, { steps })?.done, [
      "created a (Bucket)",
      "deleted, replaced b (Bucket)",
      "updated waf (WafMigration)",
    ]);
    assert.deepEqual(midwayOf([refused], { steps })?.done, []);
  });
});

describe("The output of an update", () => {
  it("is shown line by line until the plan is violated: after that the engine prints secrets", () => {
    const said: string[] = [];
    const shown = untilPlanIsViolated({
      out: (text: string) => said.push(text),
      err: (text: string) => said.push(text),
    });
    for (const part of ["creat", "ing a\ncreating b\n error: r viol", "ates plan: x[hush\n", "hush\n\nhush"])
      shown.out(part);
    shown.err("warning");
    shown.end();
    assert.deepEqual(said, ["creating a\n", "creating b\n", "warning"]);
  });
});
