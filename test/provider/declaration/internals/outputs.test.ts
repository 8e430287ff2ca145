import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { bindOutputs, knowWhatIsRecorded } from "../../../../provider/src/declaration/internals/outputs";
import { CspPolicy } from "../../../../provider/src/index";
import { zoneA } from "../../small-engine/zones";
import { keepConsole } from "../support/kept-console";

/** Runs in a preview whose engine answers with what the resource is made of and `more`; gives what became of the outputs. */
async function previewed(more: object): Promise<Record<string, unknown>> {
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
  assert.equal(Reflect.get(policy, "schemaVersion"), undefined, "it is nobody's business");
  const asked = Object.entries(policy).filter(([, output]) => pulumi.Output.isInstance(output));
  const known = asked.map(async ([name, output]) => [name, await Reflect.get(output, "isKnown")] as const);
  const settled = Object.fromEntries(await Promise.all(known));
  let seen: unknown = "nothing";
  const { enabled } = policy;
  await pulumi.isSecret(enabled.apply((value) => (seen = value ?? "absent")));
  return { ...settled, seen };
}

describe("Outputs of a resource in a preview", () => {
  keepConsole();

  it("that are not on record are known to be absent where the resource stays as it is", async () => {
    const { enabled, policyId, impact, zoneId, seen } = await previewed({ schemaVersion: 1, policyId: "p" });
    assert.deepEqual([enabled, policyId, impact, zoneId, seen], [true, true, true, true, "absent"]);
  });

  it("that only the update will give are not known before it", async () => {
    const { enabled, policyId, impact, zoneId, seen } = await previewed({});
    assert.deepEqual([enabled, policyId, impact, zoneId, seen], [false, false, false, true, "nothing"]);
  });
});

describe("Outputs of an SDK that keeps what they are elsewhere", () => {
  it("stay as they are, and fail nothing", async () => {
    const output = Object(pulumi.output("value"));
    for (const part of ["isKnown", "promise", "allResources"]) Reflect.set(output, part, undefined);
    const resource = Object({ schemaVersion: output, output });
    knowWhatIsRecorded(resource);
    bindOutputs(resource, Promise.resolve());
    for (const part of ["isKnown", "promise", "allResources"])
      assert.equal(Reflect.get(output, part), undefined);
  });
});
