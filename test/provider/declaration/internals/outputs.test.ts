import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { bindOutputs, knowWhatIsRecorded } from "../../../../provider/src/declaration/internals/outputs";
import { CspPolicy } from "../../../../provider/src/index";
import { zoneA } from "../../small-engine/zones";
import { keepConsole } from "../support/kept-console";

/** Declares a policy in a preview whose engine returns its inputs and `more`. Returns which outputs are known. */
async function preview(more: object): Promise<Record<string, unknown>> {
  await pulumi.runtime.setMocks(
    { newResource: ({ inputs }) => ({ id: "there", state: { ...inputs, ...more } }), call: () => ({}) },
    "project",
    "stack",
    true,
  );
  const policy = new CspPolicy("policy", {
    zoneId: zoneA,
    description: "",
    action: "log",
    expression: "true",
    value: "script-src 'self'; object-src 'none'; base-uri 'self'",
  });
  assert.equal(Reflect.get(policy, "schemaVersion"), undefined, "schemaVersion is internal");
  const outputs = Object.entries(policy).filter(([, output]) => pulumi.Output.isInstance(output));
  const known = outputs.map(async ([name, output]) => [name, await Reflect.get(output, "isKnown")] as const);
  const settled = Object.fromEntries(await Promise.all(known));
  let seen: unknown = "nothing";
  const { enabled } = policy;
  await pulumi.isSecret(enabled.apply((value) => (seen = value ?? "absent")));
  return { ...settled, seen };
}

describe("In a preview, outputs of a resource", () => {
  keepConsole();

  it("that are not in the state are known to be absent if the resource does not change", async () => {
    const { enabled, policyId, impact, zoneId, seen } = await preview({ schemaVersion: 1, policyId: "p" });
    assert.deepEqual([enabled, policyId, impact, zoneId, seen], [true, true, true, true, "absent"]);
  });

  it("that only the update sets are unknown", async () => {
    const { enabled, policyId, impact, zoneId, seen } = await preview({});
    assert.deepEqual([enabled, policyId, impact, zoneId, seen], [false, false, false, true, "nothing"]);
  });
});

describe("Outputs of an SDK with other internals", () => {
  it("stay unchanged and cause no failure", async () => {
    const output = Object(pulumi.output("value"));
    for (const part of ["isKnown", "promise", "allResources"]) Reflect.set(output, part, undefined);
    const resource = Object({ schemaVersion: output, output });
    knowWhatIsRecorded(resource);
    bindOutputs(resource, Promise.resolve());
    for (const part of ["isKnown", "promise", "allResources"])
      assert.equal(Reflect.get(output, part), undefined);
  });
});
