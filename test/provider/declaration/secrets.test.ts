import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { CspPolicy, WafMigration } from "../../../provider/src";
import { zoneA } from "../small-engine/zones";
import { recordedRegistrations } from "./support/registrations";

const policy = { zoneId: zoneA, description: "", action: "log", expression: "true" } as const;

describe("Secret inputs of a program", () => {
  it("are listed for `check`, at any depth, but not inputs that are plain or only resolved later", async () => {
    const registrations = await recordedRegistrations(() => {
      const late = pulumi.output("script-src 'self'");
      new CspPolicy("plain", { ...policy, value: "script-src 'self'" });
      new CspPolicy("late", { ...policy, value: late });
      new CspPolicy("secret", { ...policy, expression: pulumi.secret("true"), value: late });
      const sources = Promise.resolve([pulumi.secret("'self'")]);
      new CspPolicy("deep", { ...policy, directives: { "script-src": sources } });
    });
    const named = Object.fromEntries(registrations.map(({ name, inputs }) => [name, inputs["__secrets"]]));
    const secrets = { deep: ["directives"], secret: ["expression"] };
    assert.deepEqual(named, { ...secrets, late: [], plain: undefined });
  });

  it("make the outputs secret that repeat them", async () => {
    const overrides = pulumi.secret([{ rulesetId: zoneA, ruleId: zoneA, action: "log" }]);
    const registrations = await recordedRegistrations(() => {
      new CspPolicy("csp", { ...policy, directives: pulumi.secret({ "script-src": ["'self'"] }) });
      new WafMigration("move", {
        zoneId: zoneA,
        stage: "finished",
        confirm: zoneA,
        ruleOverrides: overrides,
      });
    });
    const named = registrations.map(({ name, additionalSecrets }) => [name, additionalSecrets]);
    assert.deepEqual(Object.fromEntries(named), { csp: ["value"], move: [], "move-step": ["applied"] });
  });
});
