import assert from "node:assert/strict";
import { importedPolicies } from "../../../provider/src/resources/csp-policy-set/entries";
import { cspPolicySet } from "../../../provider/src/resources/csp-policy-set/lifecycle";
import { each } from "../../support/each";
import { placeAndCode } from "../../support/place-and-code";
import type { Properties } from "../small-engine/checkpoint";
import { ourPolicies, policy, quickStory, quietZone, useStories, zoneA, zoneB } from "../small-engine/zones";
import { inspected } from "./support/asked-kind";
import { many, set } from "./support/policy-set";

describe("CspPolicySet", () => {
  const begin = useStories(cspPolicySet);
  const roomy = { [zoneA]: { ...quietZone, policyQuota: 1000 } };

  it("given keys such as constructor, when the set is created, refreshed, edited and destroyed, then they work like any other key", async () => {
    const { sim, engine } = await begin();
    const names = ["constructor", "toString", "hasOwnProperty"];
    const program = { set: set(Object.fromEntries(names.map((name) => [name, {}]))) };
    await engine.up({ set: set({ a: {} }) });
    await engine.up(program);
    assert.deepEqual([...ourPolicies(sim)].sort(), [...names].sort());
    await engine.refresh();
    assert.deepEqual(await engine.preview(program), []);
    await engine.up({ set: set({ constructor: { action: "allow" } }, { impact: "off" }) });
    assert.deepEqual(ourPolicies(sim), ["constructor"]);
    const lost = { set: set(Object.fromEntries([["__proto__", {}]])) };
    assert.match(await engine.previewFails(lost), /^policies\.__proto__: /m);
    await engine.destroy();
    assert.deepEqual(ourPolicies(sim), []);
  });

  it("given a zone that is imported, then a policy has its description as its key, or its id if the description would be lost or misread", () => {
    const mark = "4dabf18193072939515e22adb298388d";
    const names = ["shop", "twin", "twin", " ", "__proto__", mark];
    const body = { action: "log", expression: "true", enabled: true, value: "script-src 'self'" };
    const live = names.map((description, at) => ({ ...body, description, policyId: `id-${at}` }));
    assert.deepEqual(each(importedPolicies(live), "key"), ["shop", "id-1", "id-2", "id-3", "id-4", "id-5"]);
  });

  it("given many policies, when they are created, previewed, refreshed and destroyed, then no unnecessary request is sent", async () => {
    const { sim, engine } = await begin(roomy);
    const program = { set: set(many(40)) };
    await engine.up(program);
    const counts = ["GET", "POST"].map((method) => sim.requests({ method }).length);
    assert.deepEqual(counts, [1, 40]);
    assert.equal(ourPolicies(sim).length, 40);
    assert.equal(Object.keys(Object(engine.outputs("set")["policyIds"])).length, 40);
    sim.journal.clear();
    assert.deepEqual(await engine.preview(program), []);
    await engine.up(program);
    assert.equal(sim.journal.length, 0, "an update without changes sends no request");
    await engine.refresh();
    assert.equal(sim.journal.length, 1, "one list");
    assert.deepEqual(await engine.preview(program), [], "a refresh changes nothing");
    sim.journal.clear();
    await engine.destroy();
    assert.deepEqual([...new Set(sim.journal.map(({ method }) => method))], ["DELETE"]);
    assert.equal(sim.journal.length, 40);
    assert.deepEqual(ourPolicies(sim), []);
  });

  it("given a set, when one policy is edited, one dropped and one added, then only these requests are sent, the deletion last", async () => {
    const { sim, engine } = await begin();
    await engine.up({ set: set({ a: {}, b: {}, c: {} }) });
    const before = Object(engine.outputs("set")["policyIds"]);
    sim.journal.clear();
    const edited = { a: {}, b: { action: "allow" }, d: { value: "img-src 'self'" } };
    await engine.up({ set: set(edited, { impact: "off" }) });
    const methods = sim.changing().map(({ method }) => method);
    assert.deepEqual([methods.slice(0, 2).sort(), methods.slice(2)], [["POST", "PUT"], ["DELETE"]]);
    const after = Object(engine.outputs("set")["policyIds"]);
    assert.deepEqual([after.a, after.b, Object.keys(after)], [before.a, before.b, ["a", "b", "d"]]);
    assert.deepEqual(ourPolicies(sim), ["a", "b", "d"]);
  });

  it("given a set, when policies are declared in another spelling or order, then nothing changes; when one is also edited, then only the edit is shown", async () => {
    const { sim, engine } = await begin();
    await engine.up({ set: set({ a: {}, b: {} }) });
    const spelt = {
      value: "object-src 'none';;  SCRIPT-SRC https://js.example.com 'self' ; ",
      expression: 'http.host   eq  "shop.example.com"',
    };
    assert.deepEqual(await engine.preview({ set: set({ b: spelt, a: {} }) }), []);
    const edited = set({ b: spelt, a: { action: "allow" } }, { impact: "off" });
    const { inputs } = await engine.checked("set", edited);
    const [before, now] = [engine.state.get("set")?.inputs["policies"], inputs["policies"]].map(Object);
    assert.deepEqual(now.b, before.b, "in the words of the record");
    assert.deepEqual({ ...now.a, action: "log" }, before.a);
    assert.equal(sim.changing().length, 2);
  });

  it("given a key that is renamed, when the update is applied, then the policy keeps its id, also beside an equal policy", async () => {
    const { sim, engine } = await begin();
    const named = { description: "checkout" };
    await engine.up({ set: set({ a: named, twin: named, c: { value: "img-src 'self'" } }) });
    const before = Object(engine.outputs("set")["policyIds"]);
    assert.equal(new Set(Object.values(before)).size, 3);
    sim.journal.clear();
    const renamed = { set: set({ twin: named, z: named, c: { value: "img-src 'self'" } }) };
    assert.deepEqual(await engine.preview(renamed), ["update set"]);
    await engine.up(renamed);
    assert.equal(sim.changing().length, 0);
    const after = Object(engine.outputs("set")["policyIds"]);
    assert.deepEqual([after.z, after.twin, after.c], [before.a, before.twin, before.c]);
    // The description is the key by default, so that the same policy gets the new description.
    await engine.up({ set: set({ twin: named, z: named, d: { value: "img-src 'self'" } }) });
    assert.deepEqual(each(sim.changing(), "method"), ["PUT"]);
    assert.equal(Object(engine.outputs("set")["policyIds"]).d, before.c);
    assert.deepEqual(ourPolicies(sim), ["checkout", "checkout", "d"]);
  });

  it("given equal unmanaged policies, when a set declares them, then one line announces them and they are adopted; onDestroy keep leaves them in the zone on destroy and on replacement", async () => {
    const { sim, engine } = await begin();
    for (const id of ["one", "two"]) sim.dashboard.putPolicy(zoneA, { ...policy({ description: id }), id });
    const program = { set: set({ one: {}, two: {}, three: {} }, { onDestroy: "keep" }) };
    await engine.preview(program);
    const told = [...engine.progress, ...engine.warnings].map(({ text }) => text);
    assert.deepEqual(told.map(placeAndCode), ["policies [csp-adopted]", "policies.three [csp-near-miss]"]);
    assert.match(told.join(), / 2 policies already: one, two\. /);
    await engine.up(program);
    assert.equal(sim.requests({ method: "POST" }).length, 1);
    assert.deepEqual(Object(engine.outputs("set")["policyIds"]).one, "one");
    const more = { set: set({ one: {}, two: {}, three: {}, four: {} }, { onDestroy: "keep" }) };
    await engine.up(more, { replaceOnChanges: ["set"] });
    await engine.destroy();
    assert.deepEqual(ourPolicies(sim), ["four", "one", "three", "two"]);
  });

  it("given policies that someone edits or deletes, when the stack is refreshed, then only these differ, and the next update restores them", async () => {
    const { sim, engine } = await begin();
    const b = { value: undefined, directives: { "img-src": ["'self'"] } };
    const program = { set: set({ a: {}, b, c: {}, d: {}, e: { description: "eee" } }) };
    await engine.up(program);
    const ids = Object(engine.outputs("set")["policyIds"]);
    for (const [id, edit] of [
      [ids.a, { action: "allow" }],
      [ids.b, { value: "img-src 'none'" }],
      [ids.d, { description: "renamed" }],
      [ids.e, { description: "e" }],
    ])
      sim.dashboard.putPolicy(zoneA, { id, ...edit });
    sim.dashboard.deletePolicy(zoneA, ids.c);
    await engine.refresh();
    const found = Object(engine.state.get("set")?.inputs["policies"]);
    const shown = [found.a.action, found.b.directives, found.c, found.d.description, found.e.description];
    assert.deepEqual(shown, ["allow", { "img-src": ["'none'"] }, undefined, "renamed", "e"]);
    assert.deepEqual(await engine.preview(program), ["update set"]);
    await engine.up(program);
    assert.deepEqual(ourPolicies(sim), ["a", "b", "c", "d", "eee"]);
    await engine.refresh();
    assert.deepEqual(await engine.preview(program), []);
    assert.equal(Object(engine.outputs("set")["policyIds"]).a, ids.a);
  });

  it("given a change to another zone, when it is applied, then the policies are created there and deleted in the first zone", async () => {
    const { sim, engine } = await begin();
    await engine.up({ set: set({ a: {} }) });
    assert.deepEqual(await engine.preview({ set: set({ a: {} }, { zoneId: zoneB }) }), ["replace set"]);
    await engine.up({ set: set({ a: {} }, { zoneId: zoneB }) });
    assert.deepEqual([ourPolicies(sim, zoneA), ourPolicies(sim, zoneB)], [[], ["a"]]);
    await engine.up({ renamed: set({ a: {} }, { zoneId: zoneB }) });
    assert.deepEqual(ourPolicies(sim, zoneB), ["a"], "renaming the resource does not move policies");
  });
});

describe("Findings of a CspPolicySet", () => {
  const begin = useStories(cspPolicySet);

  it("given faults in one policy, when the set is checked, then the findings name its key and field", () => {
    const inspect = (policies: Record<string, Properties>, args: Properties = {}) =>
      inspected(cspPolicySet, set(policies, args)).map(({ property }) => property);
    assert.ok(inspect({ good: {}, bad: { value: "script-src self" } }).includes("policies.bad.value"));
    assert.deepEqual(inspect({ "it's": { value: undefined } }), [`policies["it's"]`]);
    assert.deepEqual(inspect({ a: {} }, { lint: { off: ["no-such-rule"] } }), ["lint.off[0]"]);
    assert.ok(inspect({ a: { action: "add_reporting_directives" } }).includes("policies.a.action"));
  });

  it("given a policy that changes to allow too early, or starts with allow, when it is previewed, then the refusal names its key, and nothing changes", async () => {
    const { sim, engine } = await begin();
    const quiet = { impact: "off", minimumLogDays: 7 };
    await engine.up({ set: set({ a: {}, b: {} }, quiet) });
    const refusals = [
      await engine.previewFails({ set: set({ a: { action: "allow" }, b: {} }, quiet) }),
      await engine.previewFails({ set: set({ a: {}, b: {}, c: { action: "allow" } }, quiet) }),
    ];
    assert.deepEqual(refusals.map(placeAndCode), [
      "policies.a.action [csp-too-early]",
      "policies.c.action [csp-not-logged-yet]",
    ]);
    assert.equal(sim.changing().length, 2);
    engine.passDays(7);
    await engine.up({ set: set({ a: { action: "allow" }, b: {} }, quiet) });
    assert.equal(Object(engine.outputs("set")["loggingSince"]).a, "2024-02-01T00:00:00.000Z");
  });

  it("given scripts in use that policies would block, when the policies change, then each policy is reported once by its key, and unseen kinds in one line", async () => {
    const seen = { host: "shop.example.com", first_page_url: "https://shop.example.com/", status: "active" };
    const scripts = [{ url: "https://tags.example.net/a.js", ...seen }];
    const { sim, engine } = await begin({ [zoneA]: { ...quietZone, scripts } });
    const both = { a: { action: "allow" }, b: { action: "allow" } };
    await engine.up({ set: set({ ...both, c: {} }) });
    const told = engine.warned;
    assert.deepEqual(told.map(placeAndCode).sort(), [
      "[csp-not-checked]",
      "policies.a [csp-blocks-in-use]",
      "policies.b [csp-blocks-in-use]",
    ]);
    assert.equal(told.filter((text) => / block 1 /.test(text)).length, 2);
    assert.equal(told.filter((text) => / a, b also restrict /.test(text)).length, 1);
    assert.equal(Object(engine.outputs("set")["impact"]).a.blocked, 1);
    sim.journal.clear();
    await engine.preview({ set: set({ ...both, c: { enabled: false } }) });
    assert.deepEqual(engine.warnings, []);
    const stricter = { action: "allow", value: "img-src 'self'; script-src 'none'" };
    const refused = set({ ...both, b: stricter, c: {} }, { impact: "error" });
    assert.match(await engine.previewFails({ set: refused }), /^policies\.b: .* block 1 /);
  });
});

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

describe("A set of many policies", () => {
  const empty = { [zoneA]: { ...quietZone, policies: [] } };
  const entry = { action: "allow", expression: "true", value: "script-src 'self'" };

  it("has twenty findings in full, and one line that names the policies of the others", async () => {
    const { engine } = quickStory(cspPolicySet, empty);
    const policies = Object.fromEntries(
      Array.from({ length: 23 }, (_, index) => [`p${index}`, { ...entry, description: `${index}` }]),
    );
    const said = await engine.previewFails({ set: { zoneId: zoneA, policies, minimumLogDays: 3 } });
    const lines = said.split("\n");
    assert.equal(lines.length, 21);
    for (const index of [0, 19]) assert.ok(lines[index]?.startsWith(`policies.p${index}.action: `));
    const rest = [20, 21, 22].map((index) => `policies.p${index}.action`).join(", ");
    assert.ok(lines[20]?.startsWith(`3 more findings of this kind: ${rest}. [`));
  });

  it("has no findings about an entry, or about all entries, while they are unknown", async () => {
    const { engine } = quickStory(cspPolicySet, empty);
    for (const decision of ["create set", "update set"]) {
      for (const policies of [unknown, { a: unknown }])
        assert.deepEqual(await engine.preview({ set: { zoneId: zoneA, policies } }), [decision]);
      await engine.up({ set: { zoneId: zoneA, policies: { a: { ...entry, action: "log" } } } });
    }
  });
});
