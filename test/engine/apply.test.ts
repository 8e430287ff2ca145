import assert from "node:assert/strict";
import { entrypoint, policy, policySet, settings } from "./real-engine/declaration";
import { useStories, zoneA, zoneB } from "./real-engine/story";
import { Pipeline, twoAtOnce } from "./support/pipeline";

describe("On the engine: page-guard apply", function () {
  const begin = useStories(this);
  const value = "script-src 'self'; object-src 'none'; base-uri 'self'";
  const quiet = { scripts: 0, connections: 0, cookies: 0 };

  it("given an approval, when zone and program change, then apply refuses and says why; when two applies run at once, then one succeeds, and the other waits and refuses; when the state is lost, then apply refuses", async () => {
    const { sim, stack } = await begin({ [zoneA]: quiet, [zoneB]: quiet });
    const pipeline = new Pipeline(stack);
    const declared = {
      watch: settings({ zoneId: zoneA, enabled: true }),
      csp: policy({ zoneId: zoneB, value }),
    };
    stack.declare(declared);
    await pipeline.approve();

    // A colleague edits the zone after the approval, and the program changes too. (In pipelines.test.ts only the zone changes.)
    const added = sim.dashboard.putPolicy(zoneB, { description: "by a colleague", expression: "true" });
    stack.declare({
      ...declared,
      csp: policy({ zoneId: zoneB, value, action: "allow", impact: "off" }),
      more: policy({ zoneId: zoneA, value }),
    });
    const other = await pipeline.refuses();
    assert.match(other, new RegExp(`zone ${zoneB}: the policy "by a colleague" \\(${added.id}\\) is new`));
    assert.match(other, /create csp \(CspPolicy\): inputs have changed: action "allow" in place of "log"/);
    assert.match(other, /create more \(CspPolicy\): this was not approved/);
    assert.deepEqual(sim.changing(), []);

    // Zone and program are as approved again.
    sim.dashboard.deletePolicy(zoneB, added.id);
    stack.declare(declared);
    const { first, second, waits } = await twoAtOnce(sim, pipeline);
    assert.equal(first.code, 0, first.out);
    assert.match(first.out + first.err, /As approved \(.*\): 2 to create; 2 zones checked/);
    assert.equal(second?.code, 2, `${second?.out}${second?.err}`);
    assert.match(second?.err ?? "", /The stack is locked by \S+@\S+ \(process \d+\) since \S+\. Waiting/);
    assert.match(second?.out ?? "", /create csp \(CspPolicy\): this is no longer needed/);
    assert.deepEqual(waits, [10_000]);
    assert.equal(sim.changing().length, 2);

    // An update is approved, and then the state is lost.
    stack.declare({ ...declared, csp: policy({ zoneId: zoneB, value: `${value}; form-action 'self'` }) });
    await pipeline.approve();
    stack.loseState();
    assert.match(await pipeline.refuses(), /create csp \(CspPolicy\): the approved operation is update/);
  });

  it("given new policies that are equal to policies of resources that stay, when they are approved and applied, then each resource keeps its policies, as the review says", async () => {
    const { sim, stack } = await begin({ [zoneA]: { ...quiet, policies: [] } });
    const pipeline = new Pipeline(stack);
    const set = (edited: string) =>
      policySet({ zoneId: zoneA, policies: { edited: { description: edited, value }, same: { value } } });
    stack.declare({ set: set("before") });
    await stack.up();
    const kept = sim.zone(zoneA).policies.map(({ id }) => id);
    stack.declare({
      one: policy({ zoneId: zoneA, description: "before", value }),
      other: policy({ zoneId: zoneA, description: "same", value }),
      set: set("after"),
    });
    assert.match(await pipeline.approve(), /2 policies to create, 1 policy to change/);
    await pipeline.applies();
    const policies = sim.zone(zoneA).policies.map(({ id, description }) => [description, kept.includes(id)]);
    assert.deepEqual(policies.sort(), [
      ...[
        ["after", true],
        ["before", false],
        ["same", false],
        ["same", true],
      ],
    ]);
    assert.deepEqual(Object.values(Object(stack.state()["set"]?.outputs["policyIds"])), kept);
  });

  it("given an approval with --refresh, when the service changes only versions and times, then updates, replacements and deletions are applied; when the state was edited, then apply refuses", async () => {
    const { sim, stack } = await begin({
      [zoneA]: quiet,
      [zoneB]: { ...quiet, plan: "enterprise", entrypoint: { rules: [] } },
    });
    const pipeline = new Pipeline(stack, ["--refresh"]);
    const rules = [{ action: "block", expression: 'http.host eq "a.example.com"' }];
    stack.declare({
      list: entrypoint({ zoneId: zoneB, rules }),
      watch: settings({ zoneId: zoneA, enabled: true }),
      set: policySet({ zoneId: zoneA, policies: { a: {}, b: { value: { $secret: value } } } }),
      moves: policy({ zoneId: zoneA, description: "moves", value }),
      goes: policy({ zoneId: zoneA, description: "goes", value }),
    });
    await stack.up();
    stack.declare({
      list: entrypoint({ zoneId: zoneB, rules: [{ ...rules[0], enabled: false }] }),
      watch: settings({ zoneId: zoneA, enabled: true, useConnectionUrlPath: true }),
      set: policySet({
        zoneId: zoneA,
        policies: { a: { enabled: false }, b: { value: { $secret: value } } },
      }),
      moves: policy({ zoneId: zoneB, description: "moves", value }),
    });
    const pass = (time: string): void => {
      sim.edit(zoneA, (zone) => void Object.assign(zone.settings, { updated_at: time }));
      sim.edit(zoneB, ({ entrypoint: list }) => {
        for (const one of [list, ...(list?.rules ?? [])])
          Object.assign(one ?? {}, { version: "9", last_updated: time });
      });
    };
    pass("2030-01-01T00:00:00Z");
    await pipeline.approve();

    const ids = stack.state()["set"]?.outputs["policyIds"];
    const edited = JSON.stringify(Object(ids).a);
    const other = JSON.stringify("f".repeat(32));
    stack.editState((recorded) => recorded.replaceAll(edited, other));
    assert.match(
      await pipeline.refuses(),
      /update set \(CspPolicySet\): the state (differs in|now refers to a different object)/,
    );
    stack.editState((recorded) => recorded.replaceAll(other, edited));

    pass("2031-01-01T00:00:00Z");
    const said = await pipeline.applies();
    for (const part of ["1 to replace", "3 to update", "1 to delete"]) assert.ok(said.includes(part), said);
    assert.deepEqual(
      [zoneA, zoneB].map((zone) => sim.zone(zone).policies.map(({ description }) => description)),
      [["a", "b"], ["moves"]],
    );
  });
});
