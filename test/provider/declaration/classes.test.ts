import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as pageGuard from "../../../provider/src";
import { zoneA } from "../small-engine/zones";
import { keepConsole } from "./support/kept-console";
import { recordedRegistrations } from "./support/registrations";

const resources = join(__dirname, "../../../provider/src/resources");
const { CspPolicy, CspPolicySet, ManagedWafEntrypoint, PageGuardSettings, WafMigration } = pageGuard;
const classes = { CspPolicy, CspPolicySet, ManagedWafEntrypoint, PageGuardSettings, WafMigration };

const content = { description: "", action: "log", expression: "true" } as const;
const policy = { ...content, value: "script-src 'self'", lint: "off" } as const;

/** Declares one resource of each class that is not a component. */
const declareEach = () => [
  new PageGuardSettings("PageGuardSettings", { zoneId: zoneA, enabled: true }),
  new CspPolicy("CspPolicy", { ...policy, zoneId: zoneA }),
  new CspPolicySet("CspPolicySet", { zoneId: zoneA, policies: {} }),
  new ManagedWafEntrypoint("ManagedWafEntrypoint", { zoneId: zoneA, rules: [] }),
];

describe("The resource classes", () => {
  const { said } = keepConsole();

  it("recognise their own resources by the type alone, without a receiver, because policy packs call isInstance so", async () => {
    const registrations = await recordedRegistrations(() => {
      declareEach();
      new WafMigration("WafMigration", { zoneId: zoneA, stage: "finished", confirm: zoneA });
    });
    for (const [name, { __pulumiType, isInstance }] of Object.entries(classes)) {
      const registered = registrations.find((registration) => registration.name === name);
      assert.equal(__pulumiType, registered?.type);
      assert.ok(isInstance({ __pulumiType }));
      for (const other of [{ __pulumiType: "pulumi:pulumi:Stack" }, {}, null, undefined, __pulumiType]) {
        assert.equal(isInstance(other), false);
      }
    }
    assert.ok(pulumi.CustomResource.isInstance(new PageGuardSettings("x", { zoneId: zoneA, enabled: true })));
  });

  it("read objects that the stack does not own: with get, by id, over the given connection", async () => {
    let found: readonly pulumi.Output<string>[] = [];
    const registrations = await recordedRegistrations(() => {
      const connection = { tokenEnv: "READER" };
      const parent = new pulumi.ComponentResource("test:index:Component", "shop");
      found = [
        CspPolicy.get("csp", `${zoneA}/1`, { connection, parent }).id,
        PageGuardSettings.get("watch", zoneA, { protect: false }).id,
        ManagedWafEntrypoint.get("waf", pulumi.output(zoneA)).id,
      ];
    });
    const connections = Object.fromEntries(registrations.map((one) => [one.name, one.inputs["connection"]]));
    const none = { shop: undefined, waf: undefined, watch: undefined };
    assert.deepEqual(connections, { csp: { tokenEnv: "READER" }, ...none });
    const ids = await Promise.all(found.map((id) => new Promise((resolve) => id.apply(resolve))));
    assert.deepEqual(ids, [`${zoneA}/1`, zoneA, zoneA]);
    assert.deepEqual(said(), [], "a resource that is only read needs no arguments");
  });

  it("have every output that their types name, in declared and in read resources", async () => {
    const made: pulumi.CustomResource[] = [];
    await recordedRegistrations(() => {
      made.push(
        ...declareEach(),
        PageGuardSettings.get("read settings", zoneA),
        CspPolicy.get("read policy", `${zoneA}/1`),
        ManagedWafEntrypoint.get("read entry point", zoneA),
      );
    });
    const missing = made.flatMap((resource) => {
      const { name } = resource.constructor;
      const file = name.replace(/\B[A-Z]/g, "-$&").toLowerCase();
      const source = readFileSync(join(resources, file, `${file}.ts`), "utf8");
      return [...source.matchAll(/^ {2}declare readonly (\w+): pulumi\.Output/gm)]
        .map(([, output = ""]) => output)
        .filter((output) => !pulumi.Output.isInstance(Reflect.get(resource, output)))
        .map((output) => `${name}.${output}`);
    });
    assert.deepEqual(missing, [], "a program that uses one of these outputs would crash");
  });

  it("refuse the option import with a message, and register nothing", async () => {
    const registrations = await recordedRegistrations(() => {
      new PageGuardSettings("watch", { zoneId: zoneA, enabled: true }, { import: zoneA });
    });
    assert.deepEqual(registrations, []);
    assert.match(said().join("\n"), / option import .*\[import-option\]/s);
  });
});
