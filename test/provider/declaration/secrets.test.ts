import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { CspPolicy, CspPolicySet } from "../../../provider/src";
import { zoneA } from "../small-engine/zones";
import { recordedRegistrations } from "./support/registrations";

const policy = { zoneId: zoneA, description: "", action: "log", expression: "true" } as const;

describe("Secret inputs of a program", () => {
  it("are named to `check`, however deep the secret is; what is plain or only late is not", async () => {
    const registrations = await recordedRegistrations(() => {
      const late = pulumi.output("script-src 'self'");
      new CspPolicy("plain", { ...policy, value: "script-src 'self'" });
      new CspPolicy("late", { ...policy, value: late });
      new CspPolicy("secret", { ...policy, expression: pulumi.secret("true"), value: late });
      const sources = Promise.resolve([pulumi.secret("'self'")]);
      new CspPolicy("deep", { ...policy, directives: { "script-src": sources } });
    });
    assert.deepEqual(
      registrations.map(({ name, inputs }) => [name, inputs["__secrets"]]),
      [
        ["deep", ["directives"]],
        ["late", []],
        ["plain", undefined],
        ["secret", ["expression"]],
      ],
    );
  });

  it("are distinguished by the entries of a set: what is secret in one hides nothing of the others", async () => {
    const { description: _, zoneId, ...rule } = policy;
    const weak = "script-src https://hush.example.com 'unsafe-inline'; object-src 'none'; base-uri 'self'";
    const plain = { ...rule, value: weak.replace("hush", "open") };
    const [set, whole] = await recordedRegistrations(() => {
      new CspPolicySet("set", {
        zoneId,
        policies: {
          hidden: { ...rule, value: pulumi.secret(weak) },
          late: pulumi.secret({ ...rule, value: weak }),
          "a.b": { ...rule, directives: { "script-src": [pulumi.secret("'self'")] } },
          plain,
        },
      });
      new CspPolicySet("whole", { zoneId, policies: pulumi.secret({ plain }) });
    });
    assert.deepEqual(set?.inputs["__secrets"], [
      ["policies", "hidden", "value"],
      ["policies", "late"],
      ["policies", "a.b", "directives"],
    ]);
    assert.deepEqual(whole?.inputs["__secrets"], ["policies"]);
  });
});
