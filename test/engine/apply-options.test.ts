import assert from "node:assert/strict";
import { type Declaration, faces, type Options, policy, secret } from "./real-engine/declaration";
import { useStories, zoneA, zoneB } from "./real-engine/story";
import { Pipeline } from "./support/pipeline";

const enterprise = { scripts: 0, connections: 0, cookies: 0, plan: "enterprise" } as const;

/** Options that only the update declares, by the name of the policy that gets them. */
const comparedByApply: Readonly<Record<string, Options>> = {
  deletedWith: { deletedWith: faces(undefined, "first") },
  hideDiffs: { hideDiffs: faces(undefined, ["value"]) },
  hooks: { hooks: faces(undefined, "after") },
  replaceOnChanges: { replaceOnChanges: faces(undefined, ["value"]) },
  // A replaceWith is also a dependency, which the plan compares: so both programs declare that.
  replaceWith: { dependsOn: ["first"], replaceWith: faces(undefined, ["first"]) },
  replacementTrigger: { replacementTrigger: faces(undefined, "now") },
  retainOnDelete: { retainOnDelete: faces(false, true) },
};

const comparedByPlan: readonly Options[] = [
  { customTimeouts: faces(undefined, { create: "5m" }) },
  { deleteBeforeReplace: faces(false, true) },
];

/** The policy `first`, and one policy for each entry, with its name. */
function declareEach(all: Readonly<Record<string, Options>>): Declaration {
  const others = Object.entries(all).map(([name, options]) => [
    name,
    policy({ zoneId: zoneA, description: name }, options),
  ]);
  return { first: policy({ zoneId: zoneA, description: "first" }), ...Object.fromEntries(others) };
}

describe("On the engine: resource options and approvals", function () {
  const begin = useStories(this);

  async function beginStory() {
    const story = await begin({ [zoneA]: enterprise });
    return { ...story, pipeline: new Pipeline(story.stack) };
  }

  it("given options that only the update declares, when it is applied, then apply exits with 2 and names each, and the next approved update removes them", async () => {
    const { sim, stack, pipeline } = await beginStory();
    stack.declare(declareEach(comparedByApply));
    await pipeline.approve();
    const { code, out: said } = await pipeline.apply();
    assert.equal(code, 2);
    for (const name of Object.keys(comparedByApply))
      assert.match(
        said,
        new RegExp(`^ {2}${name} \\(CspPolicy\\): the option ${name} is .+, but none was approved$`, "m"),
      );
    assert.match(said, /the option deletedWith is "urn:\S+::first", but none was approved$/m);
    assert.match(said, /Declare the option as it was approved .*Until then, do not remove any of these/);

    const plain = Object.fromEntries(Object.keys(comparedByApply).map((name) => [name, {}]));
    stack.declare(declareEach(plain));
    const changing = sim.changing().length;
    assert.match(await pipeline.approve(), /option deletedWith was "urn:\S+::first" and becomes none/);
    await pipeline.applies();
    assert.match(await pipeline.approve(), /nothing changes\.$/m);
    assert.equal(sim.changing().length, changing);
  });

  it("given a deletedWith, when both policies are removed, then the review names the one that stays in the zone", async () => {
    const { sim, stack, pipeline } = await beginStory();
    stack.declare(declareEach({ second: { deletedWith: "first" } }));
    await stack.up();
    stack.declare({});
    const review = await pipeline.approve();
    assert.match(review, /1 policy to leave unmanaged in the zone, 1 policy to delete/);
    assert.match(review, /deletedWith, and CspPolicy first is deleted, too\. .* object stays in the zone/);
    await pipeline.applies();
    const left = sim.zone(zoneA).policies.map(({ description }) => description);
    assert.deepEqual(left, ["second"]);
  });

  it("given a deletedWith, and that both policies move to another zone, then the review says that one stays in the old zone", async () => {
    const { sim, stack, pipeline } = await beginStory();
    sim.zones.seed(zoneB, enterprise);
    const both = (zoneId: string): Declaration => ({
      first: policy({ zoneId, description: "first" }),
      second: policy({ zoneId, description: "second" }, { deletedWith: "first" }),
    });
    stack.declare(both(zoneA));
    await stack.up();
    stack.declare(both(zoneB));
    assert.match(
      await pipeline.approve(),
      /2 policies to create, 1 policy to leave unmanaged in the zone, 1 policy to delete/,
    );
    await pipeline.applies();
    const left = sim.zone(zoneA).policies.map(({ description }) => description);
    assert.deepEqual(left, ["second"]);
  });

  it("given an option in the state that was not there at the approval, when the object is deleted or moves, then apply changes nothing and says what would happen to it", async () => {
    const { sim, stack, pipeline } = await beginStory();
    sim.zones.seed(zoneB, enterprise);
    const csp = (options: Options, zoneId: string = zoneA): Declaration => ({
      csp: policy({ zoneId }, options),
    });
    for (const [retained, next, says] of [
      [true, {}, /delete csp \(CspPolicy\): the update now deletes its object, because retainOnDelete/],
      [false, {}, /delete csp \(CspPolicy\): the update now leaves its object in the zone/],
      [false, csp({}, zoneB), /replace csp \(CspPolicy\): the update now leaves its object in the zone/],
    ] as const) {
      stack.declare(csp({ retainOnDelete: retained }));
      await stack.up();
      stack.declare(next);
      await pipeline.approve();
      stack.declare(csp({ retainOnDelete: !retained }));
      await stack.up();
      stack.declare(next);
      const changing = sim.changing().length;
      assert.match(await pipeline.refuses(), says);
      assert.equal(sim.changing().length, changing);
    }
  });

  it("given an option that the engine's plan compares, when only the update declares it, then the plan refuses it or the engine crashes; a secret replacementTrigger is not approved", async () => {
    const { sim, stack, pipeline } = await beginStory();
    const csp = (options: Options): Declaration => ({ csp: policy({ zoneId: zoneA }, options) });
    stack.declare(csp({}));
    await pipeline.approve();
    for (const options of comparedByPlan) {
      stack.declare(csp(options));
      assert.match(
        await pipeline.refusedMidway(),
        /does not follow the engine's plan for csp \(CspPolicy\)\nNothing was changed\./,
      );
    }
    stack.declare(csp({ additionalSecretOutputs: faces(undefined, ["value"]) }));
    const crashed = await pipeline.apply();
    assert.notEqual(crashed.code, 0);
    assert.match(crashed.err, /The engine ended without a result: .* unlock the stack with `pulumi cancel/);
    assert.deepEqual(sim.changing(), []);
    stack.declare(csp({ replacementTrigger: secret("hush") }));
    await assert.rejects(pipeline.approve(), /Failed to approve: .* a replacementTrigger that is secret/);
    assert.doesNotMatch(stack.said, /hush/);
  });
});
