import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { CspPolicy, PageGuardSettings, WafMigration } from "../../../provider/src";
import { zoneA } from "../small-engine/zones";
import { keepConsole } from "./support/kept-console";
import { recordedRegistrations } from "./support/registrations";

const watch = { zoneId: zoneA, enabled: true };
const policy = {
  zoneId: zoneA,
  description: "",
  action: "log",
  expression: "true",
  value: "script-src 'self'; object-src 'none'; base-uri 'self'",
} as const;

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
      new PageGuardSettings("versioned", watch, {
        version: "1.2.3",
        pluginDownloadURL: "https://example.com",
      });
      const house = new pulumi.ComponentResource(
        "house:index:Zone",
        "house",
        {},
        {
          providers: [own, cloud],
        },
      );
      new CspPolicy("inherited", policy, { parent: house });
      new WafMigration("waf", { zoneId: zoneA, stage: "finished", confirm: zoneA }, { parent: house });
      CspPolicy.get("read", `${zoneA}/${zoneA}`, { provider: own });
      const shared = new CspPolicy("shared", policy, { provider: cloud });
      new Bucket("below", { parent: shared });
    });
    const providers = registrations.map(({ name, provider }) => [name, provider]);
    const chosen = Object.fromEntries(providers);
    for (const name of ["given", "versioned", "inherited", "waf-step", "read", "shared"]) {
      assert.equal(chosen[name], "", name);
    }
    assert.match(
      chosen["below"] ?? "",
      /pulumi:providers:cloud::cloud::/,
      "a child of another package still inherits the provider",
    );
  });
});
