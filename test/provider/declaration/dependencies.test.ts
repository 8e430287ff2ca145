import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { CspPolicy, ManagedWafEntrypoint, PageGuardSettings, WafMigration } from "../../../provider/src";
import { each } from "../../support/each";
import { zoneA } from "../small-engine/zones";
import { type Registration, recordedRegistrations } from "./support/registrations";

/** A resource of another package, to compare what it registers with what our resources register. */
class Plain extends pulumi.CustomResource {
  constructor(name: string, args: object, options?: pulumi.CustomResourceOptions) {
    super("test:index:Plain", name, { ...args }, options);
  }
}

class Component extends pulumi.ComponentResource {
  constructor(name: string, declare: (parent: Component) => void, options?: pulumi.ComponentResourceOptions) {
    super("test:index:Component", name, {}, options);
    declare(this);
    this.registerOutputs();
  }
}

type Make = (name: string, options: pulumi.CustomResourceOptions, zoneId?: pulumi.Input<string>) => Made;
interface Made extends pulumi.CustomResource {
  readonly zoneId?: pulumi.Output<string>;
}

const logging = { description: "", action: "log", expression: "true" } as const;
const policy = { zoneId: zoneA, ...logging, value: "script-src 'self'", lint: "off" } as const;
const watch = { zoneId: zoneA, enabled: true };
const moved = { zoneId: zoneA, stage: "finished", confirm: zoneA } as const;

const ours: Make = (name, options, zoneId = zoneA) => new CspPolicy(name, { ...policy, zoneId }, options);
const plain: Make = (name, options, zoneId = zoneA) => new Plain(name, { zoneId, ...logging }, options);

/** Programs that declare resources with `make`, which makes them either ours or plain. */
const programs: Readonly<Record<string, (make: Make) => void>> = {
  "two children of a component": (make) => {
    new Component("shop", (parent) => {
      make("one", { parent });
      make("two", { parent });
    });
  },
  "a child and a sibling that depends on it, and one that uses its output": (make) => {
    new Component("shop", (parent) => {
      const one = make("one", { parent });
      make("two", { parent, dependsOn: [one] });
      new Plain("three", { id: one.id }, { parent });
      make("four", { parent, dependsOn: pulumi.output(one) });
      make("five", { parent, dependsOn: Promise.resolve([one]) }, one.id);
    });
  },
  "a loop of 20 in a component in a component": (make) => {
    new Component("outer", (outer) => {
      new Component(
        "inner",
        (parent) => {
          for (let number = 0; number < 20; number += 1) make(`policy-${number}`, { parent });
        },
        { parent: outer },
      );
      make("beside", { parent: outer });
    });
  },
  "a component that depends on another one": (make) => {
    const first = new Component("first", (parent) => void make("one", { parent }));
    new Component("second", (parent) => void make("two", { parent }), { dependsOn: [first] });
    make("three", { dependsOn: [first] });
  },
  "a parent of this package, and a parent of another package": (make) => {
    const parent = make("parent", {});
    make("child", { parent: make("middle", { parent }) });
    make("of-plain", { parent: new Plain("plain", {}) });
  },
  "a remote component as parent": (make) => {
    const remote = new pulumi.ComponentResource("test:index:Remote", "remote", {}, {}, true);
    make("one", { parent: remote });
    make("two", { parent: remote });
  },
  "inputs from a stack reference, secret and not": (make) => {
    const network = new pulumi.StackReference("organization/project/network");
    const zone = network.requireOutput("zone");
    make("one", {}, zone.apply(String));
    make("two", {}, pulumi.secret(zone).apply(String));
    make("three", {}, Promise.resolve(zoneA));
  },
};

describe("The dependencies that a resource registers", () => {
  for (const [what, program] of Object.entries(programs)) {
    it(`are exactly those that the program declares: ${what}`, async () => {
      const register = (make: Make) => recordedRegistrations(() => program(make));
      const [withOurs, withPlain] = [await register(ours), await register(plain)];
      assert.deepEqual(withOurs.map(comparable), withPlain.map(comparable));
    });
  }

  it("are right for every class, and no resource waits for its siblings", async () => {
    const registrations = await recordedRegistrations(() => {
      new Component("shop", (parent) => {
        new PageGuardSettings("watch", watch, { parent });
        new ManagedWafEntrypoint("waf", { zoneId: zoneA, rules: [] }, { parent });
        ours("csp", { parent });
        new WafMigration("move", moved, { parent });
        new WafMigration("move-2", moved, { parent });
      });
    });
    assert.deepEqual(each(registrations, "dependencies"), Array(8).fill([]));
  });

  it("come with the URN that the engine will give the resource, for `check`", async () => {
    const registrations = await recordedRegistrations(() => {
      programs["a loop of 20 in a component in a component"]?.(ours);
      ours("child", { parent: ours("parent", { parent: new Plain("foreign", {}) }) });
      ours("alone", {});
    });
    const policies = registrations.filter(({ type }) => type.endsWith("CspPolicy"));
    assert.equal(policies.length, 24);
    for (const { urn, inputs } of policies) assert.equal(inputs["__urn"], urn);
  });
});

/** Returns the comparable part of a registration: without its type and without inputs that only our resources have. */
function comparable({ name, dependencies, propertyDependencies, inputs, secrets }: Registration) {
  const common = ["zoneId", "id"];
  return {
    name,
    dependencies: dependencies.map(withoutType),
    propertyDependencies: Object.fromEntries(
      Object.entries(propertyDependencies)
        .filter(([input, urns]) => common.includes(input) || urns.length > 0)
        .map(([input, urns]) => [input, urns.map(withoutType)]),
    ),
    zoneId: inputs["zoneId"],
    secrets,
  };
}

function withoutType(urn: string): string {
  return urn.replaceAll("pulumi-nodejs:dynamic/page-guard:CspPolicy", "test:index:Plain");
}
