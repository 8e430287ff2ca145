import assert from "node:assert/strict";
import { cspPolicy } from "../../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../../provider/src/resources/csp-policy-set/lifecycle";
import type { Simulator } from "../../../../simulator/src";
import type { Properties } from "../../small-engine/checkpoint";
import type { Death } from "../../small-engine/mortal";
import type { Options, Program } from "../../small-engine/operation";
import type { SmallEngine } from "../../small-engine/small-engine";
import { policy, quickStory, quietZone, zoneA } from "../../small-engine/zones";

const kindOf = (name: string) => (name.startsWith("set") ? cspPolicySet : cspPolicy) as never;
const { zoneId: _zone, description: _named, ...content } = policy();

/** Returns a set of policies that differ only in their keys. */
const set = (keys: string, args: Properties = {}): Properties => ({
  zoneId: zoneA,
  policies: Object.fromEntries([...keys].map((key) => [key, content])),
  ...args,
});
const single = (description: string, more: Properties = {}): Properties => policy({ description, ...more });

interface Story {
  readonly sim: Simulator;
  readonly engine: SmallEngine<unknown, object>;
}

function begin(policyQuota?: number): Story {
  const zone = { ...quietZone, policies: [], ...(policyQuota !== undefined && { policyQuota }) };
  return quickStory<unknown, object>(kindOf as never, { [zoneA]: zone });
}

const names = ({ sim }: Story) =>
  sim
    .zone(zoneA)
    .policies.map(({ description }) => description)
    .sort()
    .join("");

const warnings = ({ engine }: Story) =>
  engine.warnings.map(({ name, text }) => `${name}: ${text}`).join("\n");

/** Asserts that the zone has the declared policies and `left`, that each declared one is in one state, and that nothing is planned. */
async function expectReached(story: Story, program: Program, left = ""): Promise<void> {
  const { sim, engine } = story;
  const declared = Object.values(program).flatMap(({ policies, description }) =>
    policies === undefined ? [String(description)] : Object.keys(Object(policies)),
  );
  assert.equal(names(story), [...declared, ...left].sort().join(""));
  const recorded = [...engine.state.values()].flatMap(({ outputs: { policyId, policyIds } }) =>
    policyIds === undefined ? [policyId] : Object.values(Object(policyIds)),
  );
  assert.equal(new Set(recorded).size, declared.length, "each has its own policy");
  const there = sim.zone(zoneA).policies.map(({ id }) => id);
  assert.ok(recorded.every((id) => there.includes(String(id))));
  const requests = sim.journal.length;
  assert.deepEqual(await engine.preview(program), []);
  assert.equal(sim.journal.length, requests, "a preview without changes sends no request");
}

/** Each move: the programs before and after it, and the policies that stay in the zone undeclared. */
const moves: Readonly<Record<string, readonly [before: Program, after: Program, left?: string]>> = {
  "a CspPolicy becomes a key": [{ single: single("k"), set1: set("x") }, { set1: set("kx") }],
  "a key is released for a CspPolicy": [
    { set1: set("kx") },
    { single: single("k"), set1: set("x", { release: ["k"] }) },
  ],
  "a key becomes a CspPolicy": [{ set1: set("kx") }, { single: single("k"), set1: set("x") }],
  "a key is removed": [{ set1: set("kx") }, { set1: set("x") }],
  "a key moves from one set to another": [
    { set1: set("kx"), set2: set("y") },
    { set1: set("x"), set2: set("ky") },
  ],
  "two sets exchange keys": [
    { set1: set("kx"), set2: set("ly") },
    { set1: set("lx", { release: ["k"] }), set2: set("ky", { release: ["l"] }) },
  ],
  "a CspPolicy is renamed": [
    { single: single("k"), set1: set("x") },
    { other: single("k"), set1: set("x") },
  ],
  "two equal policies are new": [{}, { single: single("k"), other: single("k") }],
  "one of two equal ones is removed": [{ single: single("k"), other: single("k") }, { other: single("k") }],
  "an equal policy is added": [{ other: single("k") }, { single: single("k"), other: single("k") }],
  "a set is replaced by CspPolicies": [{ set1: set("ab") }, { one: single("a"), two: single("b") }],
  "CspPolicies are replaced by a set": [{ one: single("a"), two: single("b") }, { set1: set("ab") }],
};

const reversed = (program: Program): Program => Object.fromEntries(Object.entries(program).reverse());
/** Moves that cannot always be reverted: if cut off, they leave a policy that is in no state and not in the first program. */
const isOpen = new Set(["two sets exchange keys", "two equal policies are new", "an equal policy is added"]);

const orders = { "in one order": (program: Program) => program, "in the other order": reversed };

const deaths: (Death | undefined)[] = [
  undefined,
  ...[1, 2, 3].map((step) => ({ step })),
  ...[0, 1, 2, 3].flatMap((request) => (["before", "after"] as const).map((side) => ({ request, side }))),
];

describe("A policy that moves between resources", () => {
  for (const [what, [before, after, left = ""]] of Object.entries(moves))
    for (const [how, order] of Object.entries(orders))
      for (const parallel of [false, true])
        it(`given that ${what} (${how}, ${parallel ? "all at once" : "one by one"}), when the update is cut off anywhere and then repeated or reverted, then each declared policy exists once`, async () => {
          const back = isOpen.has(what) ? [] : ["back"];
          for (const death of deaths)
            for (const next of death ? ["again", "other order", ...back] : ["again"]) {
              const story = begin();
              const { engine } = story;
              const options: Options = { parallel };
              await engine.up(order(before), options);
              await engine.up(order(after), { ...options, death });
              const then = {
                again: order(after),
                "other order": reversed(order(after)),
                back: order(before),
              };
              const program = then[next as keyof typeof then];
              // A refresh finds a deletion that is not in the state.
              await engine.up(program, { ...options, refresh: next === "back" });
              const say = `${JSON.stringify(death)}, ${next}`;
              await expectReached(story, program, left).catch((error: Error) => {
                error.message = `${say}: ${error.message}`;
                throw error;
              });
              await engine.destroy();
              assert.equal(names(story), left, say);
            }
        });
});

describe("The policy of a key that is removed from a set", () => {
  it("is deleted, and the preview says so and how to keep it", async () => {
    const story = begin();
    await story.engine.up({ set1: set("abx") });
    await story.engine.preview({ set1: set("x") });
    assert.match(
      warnings(story),
      /^set1: policies: these policies leave the set and are deleted.*: a, b\. .* name its key in release\. \[csp-key-removed\]$/,
    );
  });

  it("stays in the zone if release names its key, and a resource that declares it later adopts it without a request", async () => {
    const story = begin();
    const { engine, sim } = story;
    await engine.up({ set1: set("kx") });
    const sent = sim.changing().length;
    const released = { set1: set("x", { release: ["k", "never there"] }) };
    await engine.preview(released);
    assert.equal(warnings(story), "");
    await engine.up(released);
    await expectReached(story, released, "k");
    for (const args of [{}, { release: [] }, { release: ["k"] }])
      assert.deepEqual(await engine.preview({ set1: set("x", args) }), [], "release alone changes nothing");
    const taken = { set1: set("x"), single: single("k") };
    await engine.up(taken);
    assert.equal(sim.changing().length, sent);
    await expectReached(story, taken);
  });

  it("is not released if release contradicts policies or others", async () => {
    const { engine } = begin();
    const refuse = (keys: string, args: Properties) =>
      engine.previewFails({ set1: set(keys, { ...args, release: ["k"] }) });
    assert.match(await refuse("k", {}), /k\. .*\[csp-release-unclear\]$/);
    for (const others of ["refuse", "delete"])
      assert.match(
        await refuse("x", { others }),
        /release requires others "keep":.*\[csp-release-unclear\]$/,
      );
  });
});

describe("A state in which an older version listed released policies", () => {
  it("loads: one message names the policies, they are neither deleted nor adopted, and the list leaves the state", async () => {
    for (const program of [
      { set1: set("x") },
      { set1: set("x", { others: "delete" }) },
      { set1: set("x"), single: single("k") },
    ]) {
      const story = begin();
      const { engine, sim } = story;
      sim.dashboard.putPolicy(zoneA, { ...Object(content), description: "k", id: "released" });
      await engine.up({ set1: set("x") });
      const recorded = engine.state.get("set1") ?? assert.fail();
      engine.state.set("set1", {
        ...recorded,
        outputs: { ...recorded.outputs, released: { released: { single: "0123456789abcdef" } } },
      });
      await engine.preview(program);
      assert.match(warnings(story), /\breleased\b.*\[csp-released-before\]/);
      await engine.up(program);
      assert.equal(names(story), "kx");
      assert.equal(engine.outputs("set1")["released"], undefined);
      if ("single" in program) assert.equal(engine.outputs("single")["policyId"], "released");
      await engine.destroy();
      assert.equal(names(story), "single" in program ? "" : "k");
    }
  });
});

describe("An exact set and other resources with policies of its zone", () => {
  it("are refused together in every preview, in both orders", async () => {
    for (const others of ["refuse", "delete"])
      for (const rival of [{ single: single("k") }, { set2: set("k") }] as Program[])
        for (const order of Object.values(orders)) {
          const { engine } = begin();
          await engine.up(rival);
          const program = order({ set1: set("x", { others }), ...rival });
          const [theirs] = Object.keys(rival);
          assert.match(
            await engine.previewFails(program),
            new RegExp(`set1 .*\\b${theirs}\\b.*\\[csp-set-not-alone\\]|\\[csp-undeclared\\]`),
          );
        }
  });

  it("are refused in an update without a preview, after it has deleted only policies that a finding named, and the refusal names these and the way back", async () => {
    const story = begin();
    const { engine } = story;
    await engine.up({ single: single("k") });
    const failure = await engine.upFails({ set1: set("x", { others: "delete" }), single: single("k") });
    const id = String(engine.outputs("single")["policyId"]);
    assert.match(
      failure,
      new RegExp(`has already deleted: ${id}\\. .*pulumi up --refresh.*\\[csp-set-not-alone\\]$`),
    );
    const fixed = { set1: set("x"), single: single("k") };
    await engine.up(fixed, { refresh: true });
    await expectReached(story, fixed);
  });
});
