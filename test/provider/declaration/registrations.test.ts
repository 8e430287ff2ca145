import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { CspPolicy, PageGuardSettings, WafMigration } from "../../../provider/src";
import { zoneA } from "../small-engine/zones";
import { keepConsole } from "./support/kept-console";
import { recordedRegistrations } from "./support/registrations";

const watch = { zoneId: zoneA, enabled: true };
const bare = { zoneId: zoneA, description: "", action: "log", expression: "true" } as const;
const policy = { ...bare, value: "script-src 'self'", lint: "off" } as const;
const moved = { zoneId: zoneA, stage: "finished", confirm: zoneA } as const;

/** An explicit provider, of another package or of the package of dynamic resources. */
class Provider extends pulumi.ProviderResource {}

class Bucket extends pulumi.CustomResource {
  constructor(name: string, options: pulumi.CustomResourceOptions) {
    super("cloud:index:Bucket", name, {}, options);
  }
}

describe("The provider of a program's resources", () => {
  keepConsole();

  it("is one default provider for all, whatever their own or inherited options say, because two processes would not share what they know", async () => {
    const registrations = await recordedRegistrations(() => {
      const own = new Provider("pulumi-nodejs", "own", {});
      const cloud = new Provider("cloud", "cloud", {});
      new PageGuardSettings("given", watch, { provider: own });
      const versioned = { version: "1.2.3", pluginDownloadURL: "https://example.com" };
      new PageGuardSettings("versioned", watch, versioned);
      const house = new pulumi.ComponentResource("test:index:Zone", "house", {}, { providers: [own, cloud] });
      new CspPolicy("inherited", policy, { parent: house });
      new WafMigration("waf", moved, { parent: house });
      CspPolicy.get("read", `${zoneA}/${zoneA}`, { provider: own });
      const shared = new CspPolicy("shared", policy, { provider: cloud });
      new Bucket("below", { parent: shared });
    });
    const providers = registrations.map(({ name, provider }) => [name, provider]);
    const chosen = Object.fromEntries(providers);
    for (const name of ["given", "versioned", "inherited", "waf-step", "read", "shared"]) {
      assert.equal(chosen[name], "", name);
    }
    // A child of another package still inherits the provider.
    assert.match(chosen["below"] ?? "", /pulumi:providers:cloud::cloud::/);
  });
});

describe("Secret inputs of a program", () => {
  it("are listed for `check`, at any depth, but not inputs that are plain or only resolved later", async () => {
    const registrations = await recordedRegistrations(() => {
      const late = pulumi.output("script-src 'self'");
      new CspPolicy("plain", policy);
      new CspPolicy("late", { ...bare, value: late });
      new CspPolicy("secret", { ...bare, expression: pulumi.secret("true"), value: late });
      const sources = Promise.resolve([pulumi.secret("'self'")]);
      new CspPolicy("deep", { ...bare, directives: { "script-src": sources } });
    });
    const named = Object.fromEntries(registrations.map(({ name, inputs }) => [name, inputs["__secrets"]]));
    const secrets = { deep: ["directives"], secret: ["expression"] };
    assert.deepEqual(named, { ...secrets, late: [], plain: undefined });
  });

  it("make the outputs secret that repeat them", async () => {
    const ruleOverrides = pulumi.secret([{ rulesetId: zoneA, ruleId: zoneA, action: "log" }]);
    const registrations = await recordedRegistrations(() => {
      new CspPolicy("csp", { ...bare, directives: pulumi.secret({ "script-src": ["'self'"] }) });
      new WafMigration("move", { ...moved, ruleOverrides });
    });
    const named = registrations.map(({ name, additionalSecrets }) => [name, additionalSecrets]);
    assert.deepEqual(Object.fromEntries(named), { csp: ["value"], move: [], "move-step": ["applied"] });
  });
});
