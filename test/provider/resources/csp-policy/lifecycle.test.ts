import assert from "node:assert/strict";
import type { PageGuardClient } from "../../../../provider/src/api/create-client";
import { createRun } from "../../../../provider/src/lifecycle/run";
import { unknownValue } from "../../../../provider/src/model/unknown";
import { changeFindings } from "../../../../provider/src/resources/csp-policy/impact";
import { cspPolicy } from "../../../../provider/src/resources/csp-policy/lifecycle";
import { script } from "../../../csp/items";
import type { Properties } from "../../small-engine/checkpoint";
import { policy, quickStory, quietZone, zoneA } from "../../small-engine/zones";
import { inspected } from "../support/asked-kind";

const allow = (more: Properties = {}) => policy({ action: "allow", impact: "warn", ...more });
const none = "script-src 'none'";

describe("The state of a policy", () => {
  const begin = () => quickStory(cspPolicy, { [zoneA]: { ...quietZone, scripts: 3 } });

  it("keeps its spelling of fields that only change their spelling, also if another field changes", async () => {
    const { engine } = begin();
    const directives = { "script-src": ["'self'"] };
    await engine.up({ csp: policy({ value: undefined, directives, expression: 'http.host  eq "a"' }) });
    const other = { directives: { "Script-Src": ["'self'"] }, expression: 'http.host eq "a"' };
    await engine.up({ csp: policy({ value: undefined, ...other, description: "other" }) });
    const { expression, description, directives: recorded } = engine.outputs("csp");
    assert.deepEqual([expression, description, recorded], ['http.host  eq "a"', "other", directives]);
  });

  it("given a text of several lines, when the policy is created, read and changed, then the text is sent as one line", async () => {
    const { sim, engine } = begin();
    const value = "\n  script-src 'self';\r\n  object-src 'none'\n";
    await engine.up({ csp: policy({ value }) });
    const line = "script-src 'self'; object-src 'none'";
    const inZone = () => sim.zone(zoneA).policies.map((one) => one.value);
    assert.deepEqual([inZone().at(-1), engine.outputs("csp")["value"]], [line, line]);
    await engine.refresh();
    assert.deepEqual(await engine.preview({ csp: policy({ value }) }), []);
    await engine.up({ csp: policy({ value: `${value};\nimg-src *` }) });
    assert.equal(inZone().at(-1), `${line} ; img-src *`);
  });

  it("given a policy that a program reads on two days, then both reads return the same, without loggingSince", async () => {
    const { engine, time } = begin();
    await engine.up({ ours: policy() });
    const id = engine.state.get("ours")?.id ?? "";
    const read = await engine.get("theirs", id);
    assert.equal(read["description"], "checkout");
    assert.equal(read["loggingSince"], undefined);
    await time.sleep(24 * 60 * 60 * 1000);
    assert.deepEqual(await engine.get("theirs", id), read);
  });

  it("contains the impact of each policy, and keeps it while the policy enforces the same", async () => {
    const { engine } = begin();
    const impactOf = (name: string) => Object(engine.outputs(name)["impact"])["blocked"];
    const declared = {
      one: allow({ description: "one", value: none, expression: "true" }),
      two: allow({ description: "two", value: "script-src *", expression: "true" }),
      three: allow({ description: "three", value: none, expression: "true", impact: "off" }),
    };
    await engine.up(declared);
    assert.deepEqual([impactOf("one"), impactOf("two"), impactOf("three")], [2, 0, undefined]);
    // From now on, nothing is checked. The earlier result stays only while the policy blocks the same.
    const then = (more: Properties) => ({ ...declared, one: { ...declared.one, impact: "off", ...more } });
    await engine.up(then({ description: "renamed" }));
    assert.equal(impactOf("one"), 2);
    await engine.up(then({ expression: 'http.host eq "x.example.com"' }));
    assert.equal(engine.outputs("one")["impact"], undefined);
    await engine.up(then({ action: "log", expression: 'http.host eq "x.example.com"' }));
    await engine.up(then({ expression: 'http.host eq "x.example.com"' }));
    assert.equal(engine.outputs("one")["impact"], undefined);
  });

  it("is read by the ids of zone and policy; an incomplete id is refused without a request", async () => {
    const run = createRun({ env: {} });
    for (const id of ["0".repeat(32), "shop/1", `${zoneA}/`, `${zoneA}/../1`, `${zoneA}/1\n`]) {
      const message = `id: ${JSON.stringify(id)} is not the id of a CspPolicy. Expected zoneId/policyId.`;
      await assert.rejects(cspPolicy.read({ run, id, state: {}, isRecorded: false }), { message });
    }
  });
});

describe("The preview of a new policy", () => {
  it("says whether a destroy deletes a policy that is adopted", async () => {
    const { zoneId: _zone, ...there } = policy();
    const policies = [{ ...there, description: "checkout", action: "log" as const }];
    const told = async (more: Properties) => {
      const { engine } = quickStory(cspPolicy, { [zoneA]: { ...quietZone, policies } });
      await engine.preview({ csp: policy(more) });
      return engine.progress.map(({ text }) => text).join("\n");
    };
    assert.match(await told({}), /destroy deletes this policy.*\[csp-adopted\]$/);
    assert.match(await told({ onDestroy: "keep" }), /^(?!.*destroy deletes).*\[csp-adopted\]$/);
  });

  it("refuses an action that the service does not have, if the connection is known", async () => {
    const action = "add_reporting_directives";
    const notKnown = / page_shield only, .* page_guard/;
    const of = (connection: unknown) =>
      inspected(cspPolicy, policy({ action, connection }))
        .map(({ message }) => message)
        .join();
    assert.match(of({ service: "page_guard" }), notKnown);
    assert.doesNotMatch(of({ service: "page_shield" }), notKnown);
    assert.doesNotMatch(of(unknownValue), notKnown);
    assert.doesNotMatch(of({ service: unknownValue }), notKnown);
  });

  it("reports the impact as data, too, with the first 20 hosts by name", async () => {
    const hosts = Array.from({ length: 25 }, (_, index) => `h${index}.example.com`);
    const client = {
      listAll: async (kind: string) =>
        kind === "scripts" ? hosts.map((host) => script({ url: `https://${host}/a.js`, host })) : [],
    } as unknown as PageGuardClient;
    const run = { ...createRun({ env: {} }), client: () => client };
    const blocking = { policy: { action: "allow", expression: "true", value: none } };
    const [finding] = await changeFindings(run, { zoneId: zoneA }, [blocking], undefined);
    const { blocked, examined, hosts: named, moreHosts } = Object(finding?.data);
    assert.deepEqual([blocked, examined, moreHosts], [25, 25, 5]);
    const shown = Array.from(named, (one) => Object(one));
    assert.deepEqual([shown.length, new Set(shown.map(({ host }) => host)).size], [20, 20]);
    assert.ok(shown.every(({ host, items }) => hosts.includes(host) && items === undefined));
  });
});
