import assert from "node:assert/strict";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { ourPolicies, policy, quickStory, quietZone, useStories, zoneA } from "../small-engine/zones";

describe("CspPolicy", () => {
  const begin = useStories(cspPolicy);
  it("given many policies of one zone, when they are created, previewed, refreshed and destroyed, then no unnecessary request is sent", async () => {
    const { sim, engine } = await begin({ [zoneA]: { ...quietZone, policyQuota: 100 } });
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    const program = Object.fromEntries(
      numbers.map((n) => [`csp${n}`, policy({ description: `policy ${n}` })]),
    );
    await engine.up(program, { parallel: true });
    assert.equal(sim.requests({ method: "GET" }).length, 1, "one list");
    assert.equal(sim.requests({ method: "POST" }).length, 30);
    sim.journal.clear();
    assert.deepEqual(await engine.preview(program), []);
    await engine.up(program);
    assert.equal(sim.journal.length, 0, "what has not changed asks nothing");
    await engine.refresh();
    const requests = sim.journal.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(requests, [`GET /zones/${zoneA}/page_guard/policies`]);
    assert.deepEqual(await engine.preview(program), [], "a refresh brings no difference");
    sim.journal.clear();
    await engine.destroy();
    assert.deepEqual([...new Set(sim.journal.map(({ method }) => method))], ["DELETE"]);
    assert.equal(sim.journal.length, 30);
    assert.deepEqual(ourPolicies(sim), []);
  });

  it("given a policy, when it is declared in another spelling, then nothing changes", async () => {
    const { sim, engine } = await begin();
    await engine.up({ csp: policy() });
    for (const spelling of [
      { value: "object-src 'none';;  SCRIPT-SRC https://js.example.com 'self' ; " },
      { expression: 'http.host   eq  "shop.example.com"' },
      { enabled: true },
      { directives: { "object-src": ["'none'"], "script-src": ["https://js.example.com", "'self'"] } },
      { lint: "off", impact: "off", minimumLogDays: 9, connection: { service: "page_guard" } },
    ])
      assert.deepEqual(await engine.preview({ csp: policy(spelling) }), [], JSON.stringify(spelling));
    for (const edit of [
      { value: "script-src 'self'" },
      { expression: 'http.host eq "shop.example.com "' },
      { enabled: false },
      { description: "" },
      { action: "allow" },
    ])
      assert.deepEqual(await engine.preview({ csp: policy(edit) }), ["update csp"], JSON.stringify(edit));
    assert.equal(sim.changing().length, 1);
  });

  it("given directives, when they are applied, then one canonical text is sent, stored and shown", async () => {
    const { sim, engine } = await begin();
    const scripts = ["'self'", "https://js.example.com"];
    const directives = { "script-src": scripts, "upgrade-insecure-requests": [] };
    await engine.up({ csp: policy({ directives }) });
    const sent = sim.zone(zoneA).policies.at(-1)?.value;
    assert.equal(sent, "script-src 'self' https://js.example.com; upgrade-insecure-requests");
    assert.equal(engine.outputs("csp")["value"], sent);
    assert.equal(engine.outputs("csp")["schemaVersion"], 1);
    await engine.refresh();
    assert.deepEqual(await engine.preview({ csp: policy({ directives }) }), []);
  });

  it("given someone who edits each field, when the stack is refreshed, then each edit is shown, and the next update reverts it", async () => {
    const { sim, engine } = await begin();
    const program = { csp: policy() };
    await engine.up(program);
    const id = String(engine.outputs("csp")["policyId"]);
    const before = sim.zone(zoneA).policies;
    for (const edit of [
      { value: "script-src 'self'" },
      { description: "theirs" },
      { action: "allow" },
      { enabled: false },
      { expression: "true" },
    ]) {
      sim.dashboard.putPolicy(zoneA, { id, ...edit });
      await engine.refresh();
      const [field = ""] = Object.keys(edit);
      assert.deepEqual(engine.state.get("csp")?.inputs[field], Object.values(edit)[0]);
      assert.deepEqual(await engine.preview(program), ["update csp"]);
      await engine.up(program);
      assert.deepEqual(sim.zone(zoneA).policies, before);
    }
    // Another spelling by the service is no drift.
    const value = "object-src 'none'; script-src https://js.example.com 'self'";
    sim.dashboard.putPolicy(zoneA, { id, value });
    await engine.refresh();
    assert.deepEqual(await engine.preview(program), []);
  });

  it("given a policy that is missing from the list, when the stack is refreshed, then only a clear 404 means that it is deleted", async () => {
    const { sim, engine } = await begin();
    const program = { csp: policy() };
    await engine.up(program);
    sim.journal.clear();
    const id = String(engine.outputs("csp")["policyId"]);
    const stop = sim.onRequest(({ path }) => {
      // Between the list and the look at the policy it is back.
      if (path.endsWith(id)) sim.dashboard.putPolicy(zoneA, { ...lost });
    });
    const lost = sim.zone(zoneA).policies.find((found) => found.id === id);
    sim.dashboard.deletePolicy(zoneA, id);
    await engine.refresh();
    stop();
    assert.equal(sim.requests({ path: id }).length, 1);
    assert.ok(engine.state.has("csp"));

    sim.dashboard.deletePolicy(zoneA, id);
    sim.faults.add({ method: "GET", path: id, kind: "status", status: 403 });
    await assert.rejects(engine.refresh(), { message: /token/ });
    assert.ok(engine.state.has("csp"));
    sim.faults.clear();
    await engine.refresh();
    assert.ok(!engine.state.has("csp"));
    assert.deepEqual(await engine.preview(program), ["create csp"]);
  });

  it("given a policy that was deleted in the zone, when it is edited, then the update fails and says how to create it again, which works", async () => {
    const { sim, engine } = await begin();
    await engine.up({ csp: policy() });
    sim.dashboard.deletePolicy(zoneA, String(engine.outputs("csp")["policyId"]));
    const edited = { csp: policy({ action: "allow", impact: "off" }) };
    const said = await engine.upFails(edited);
    assert.match(said, / deleted outside of this program.* run `pulumi refresh`.*\[PG_NOT_FOUND\]/);
    assert.deepEqual(ourPolicies(sim), []);
    await engine.refresh();
    await engine.up(edited);
    assert.deepEqual(ourPolicies(sim), ["checkout"]);
  });

  it("given a create whose outcome is unknown, when the list cannot be read either, then the create fails without a second POST, and the next update completes it", async () => {
    for (const kind of ["reset-before", "reset-after"] as const) {
      const { sim, engine } = await begin();
      sim.faults.add({ method: "POST", kind });
      // Reading the list fails too, so that only the next update can find out.
      sim.faults.add({ method: "GET", path: "/policies", kind: "status", status: 403, skip: 1 });
      const said = await engine.upFails({ csp: policy() });
      assert.match(
        said,
        /Failed to create a policy: [\s\S]*not known whether the service carried out the request/,
      );
      assert.equal(sim.requests({ method: "POST" }).length, 1, kind);
      assert.deepEqual(ourPolicies(sim), kind === "reset-after" ? ["checkout"] : []);
      assert.ok(!engine.state.has("csp"));
      sim.faults.clear();
      await engine.up({ csp: policy() });
      assert.deepEqual(ourPolicies(sim), ["checkout"], "one policy in either case");
    }
  });

  it("given two equal policies whose responses are lost, when they are created together, then each resource gets its own policy", async () => {
    const { sim, engine } = await begin();
    sim.faults.add({ method: "POST", kind: "reset-after" });
    await engine.up({ one: policy(), two: policy() }, { parallel: true });
    assert.deepEqual(ourPolicies(sim), ["checkout", "checkout"]);
    const ids = ["one", "two"].map((name) => engine.outputs(name)["policyId"]);
    assert.equal(new Set(ids).size, 2);
  });

  it("given someone who writes an expression that a program may not declare, then a refresh reads it, and the next update reverts it", async () => {
    const { sim, engine } = await begin();
    await engine.up({ csp: policy() });
    const id = String(engine.outputs("csp")["policyId"]);
    for (const expression of ["", `http.host eq "${"x".repeat(5000)}"`]) {
      sim.dashboard.putPolicy(zoneA, { id, expression });
      await engine.refresh();
      assert.deepEqual(await engine.preview({ csp: policy() }), ["update csp"]);
      await engine.up({ csp: policy() });
      assert.deepEqual(await engine.preview({ csp: policy() }), []);
    }
  });

  it("given the action add_reporting_directives, when the service is page_shield, then it is applied; for page_guard it is refused by name", async () => {
    const reporting = policy({ action: "add_reporting_directives" });
    const { sim: guarded, engine } = await begin();
    const told = await engine.previewFails({ csp: reporting });
    assert.match(told, /^action: .*"add_reporting_directives" .*\[csp-action-not-known\]$/);
    assert.equal(guarded.journal.length, 0, "no request for an impossible action");
    const { sim, engine: shield } = await begin(undefined, { PAGE_GUARD_SERVICE: "page_shield" });
    await shield.up({ csp: reporting });
    assert.equal(sim.zone(zoneA).policies.at(-1)?.action, "add_reporting_directives");
    assert.ok(shield.outputs("csp")["loggingSince"], "it logs like the action log");
    assert.deepEqual(await shield.preview({ csp: reporting }), []);
    const blocking = { ...reporting, action: "allow", minimumLogDays: 7, impact: "off" };
    assert.match(await shield.previewFails({ csp: blocking }), /minimumLogDays requires 7 days/);
  });

  it("given an update that is accepted but cannot be read back, when the program reverts it, then the next update reverts it in the zone", async () => {
    const { sim, engine } = await begin();
    await engine.up({ csp: policy() });
    const id = String(engine.outputs("csp")["policyId"]);
    // The response lacks the id, so that the client has to read the policy back.
    sim.faults.add({ method: "PUT", path: id, kind: "missing-fields", fields: ["id"] });
    sim.faults.add({ method: "GET", path: id, kind: "status", status: 403 });
    await engine.upFails({ csp: policy({ description: "second" }) });
    sim.faults.clear();
    assert.deepEqual(ourPolicies(sim), ["second"]);
    assert.equal(engine.outputs("csp")["incomplete"], true);
    await engine.up({ csp: policy() });
    assert.deepEqual(ourPolicies(sim), ["checkout"]);
  });
});

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

describe("A policy, without sockets,", () => {
  const begin = () => quickStory(cspPolicy, { [zoneA]: { ...quietZone, policies: [] } });

  it("causes no request while its zone is unknown, and no message about an equal policy while any input is unknown", async () => {
    const { sim, engine } = begin();
    assert.deepEqual(await engine.preview({ csp: policy({ zoneId: unknown }) }), ["create csp"]);
    assert.equal(sim.journal.length, 0);
    await engine.up({ csp: policy() });
    const policies = [...sim.zone(zoneA).policies];
    const other = quickStory(cspPolicy, { [zoneA]: { ...quietZone, policies } });
    await other.engine.preview({ csp: policy({ expression: unknown }) });
    assert.deepEqual(other.engine.progress, []);
    await other.engine.preview({ csp: policy() });
    assert.equal(other.engine.progress.length, 1);
  });
});
