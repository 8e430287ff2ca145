import assert from "node:assert/strict";
import type { PageGuardClient, PolicyBody, Service } from "../../../provider/src/api/client-types";
import { createClient } from "../../../provider/src/api/create-client";
import { ApiError } from "../../../provider/src/errors/api-error";
import { type FaultSpec, type Simulator, startSimulator } from "../../../simulator/src";
import { attemptClock } from "../virtual-time/attempt-clock";
import { ZONE } from "./scripted-server";

const POLICY: PolicyBody = {
  description: "ours",
  action: "log",
  expression: 'http.host eq "example.com"',
  enabled: true,
  value: "script-src 'self'",
};

describe("the client and the simulator understand each other", () => {
  let simulator: Simulator;
  beforeEach(async () => {
    simulator = await startSimulator();
    simulator.zones.seed(ZONE, { scripts: 260, waf: { owasp: true, uriOverrides: 3 } });
  });
  afterEach(() => simulator.stop());

  function client(service: Service = "page_guard"): PageGuardClient {
    return createClient(
      { baseUrl: simulator.url, token: simulator.token, service },
      {
        random: () => 0,
        env: { PAGE_GUARD_TIMEOUT_MS: "300" },
        clock: attemptClock(300, (timeIsOver) =>
          simulator.onProcessed(({ fault }) => {
            if (fault?.includes("hang")) timeIsOver();
          }),
        ),
      },
    );
  }

  for (const service of ["page_guard", "page_shield"] as const) {
    it(`about settings and policies as ${service}`, async () => {
      const c = client(service);
      const before = await c.getSettings(ZONE);
      const after = await c.updateSettings(ZONE, { enabled: !before.enabled, useConnectionUrlPath: true });
      assert.deepEqual([after.enabled, after.useConnectionUrlPath], [!before.enabled, true]);
      const { policyId, ...made } = await c.createPolicy(ZONE, POLICY);
      assert.deepEqual(made, POLICY);
      assert.equal((await c.updatePolicy(ZONE, policyId, { ...POLICY, enabled: false })).enabled, false);
      assert.deepEqual(await c.listPolicies(ZONE), [{ policyId, ...POLICY, enabled: false }]);
      assert.deepEqual(await c.getPolicy(ZONE, policyId), { policyId, ...POLICY, enabled: false });
      await c.deletePolicy(ZONE, policyId);
      await c.deletePolicy(ZONE, policyId);
      assert.deepEqual(await c.listPolicies(ZONE), []);
    });
  }

  it("about the whole migration", async () => {
    const c = client();
    assert.equal((await c.listUriOverrides(ZONE)).length, 3);
    assert.equal((await c.getCompatibility(ZONE)).compatible, false);
    simulator.zones.seed(ZONE, { plan: "enterprise", waf: { owasp: true } });
    assert.equal((await c.getCompatibility(ZONE)).compatible, true);
    const before = await c.getWafStatus(ZONE);
    assert.deepEqual([before.oldEnabled, before.newEnabled], [true, false]);
    const { name, rules } = await c.getWafConfiguration(ZONE);
    const bare = rules.map(({ id: _i, version: _v, ref: _r, ...rule }) => rule);
    await c.migrate(ZONE, "validation", { name, rules: bare });
    const between = await c.getWafStatus(ZONE);
    assert.deepEqual([between.oldEnabled, between.newEnabled], [true, true]);
    await c.migrate(ZONE, "pending", { name, rules });
    const entrypoint = await c.getEntrypoint(ZONE);
    assert.equal(entrypoint?.rules.length, rules.length);
    assert.deepEqual(await c.listUriOverrides(ZONE), []);
  });

  it("about an entry point that is read, changed and sent back", async () => {
    const c = client();
    simulator.zones.seed(ZONE, {
      entrypoint: {
        rules: [
          {
            action: "execute",
            expression: "true",
            action_parameters: {
              id: "0".repeat(32),
              overrides: { rules: [{ id: "1".repeat(32), action: "log" }] },
            },
          },
        ],
      },
    });
    const read = await c.getEntrypoint(ZONE);
    assert.ok(read);
    const kept = read.rules.map(({ version: _v, lastUpdated: _l, ...rule }) => rule);
    const sent = await c.putEntrypoint(ZONE, { rules: kept });
    assert.equal(sent.rules[0]?.ref, read.rules[0]?.ref);
    const override = simulator.changing().at(-1);
    assert.ok(override);
    assert.doesNotMatch(JSON.stringify(sent.rules[0]?.actionParameters?.overrides), /enabled/);
  });

  for (const move of ["insert", "remove", "touch"] as const) {
    it(`about a list that changes while it is read: ${move}`, async () => {
      simulator.faults.add({ kind: "shift", move, path: "/scripts", count: 1 });
      const listed = await client().listAll("scripts", ZONE, { status: "all" });
      simulator.faults.add({ kind: "shift", move, path: "/scripts", count: 1 });
      const iterated: string[] = [];
      for await (const { id } of client().iterate("scripts", ZONE, { status: "all" })) iterated.push(id);
      const there = simulator.zone(ZONE).scripts.map(({ id }) => id);
      assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length);
      assert.equal(new Set(iterated).size, iterated.length);
      for (const id of there) assert.ok(iterated.includes(id), `${id} was lost`);
    });
  }

  const broken: [FaultSpec, "carried out" | "not carried out"][] = [
    [{ kind: "reset-before" }, "not carried out"],
    [{ kind: "reset-after" }, "carried out"],
    [{ kind: "hang", when: "after" }, "carried out"],
    [{ kind: "truncate" }, "carried out"],
    [{ kind: "html", status: 502, when: "after" }, "carried out"],
    [{ kind: "503", when: "after" }, "carried out"],
    [{ kind: "missing-fields", fields: ["id"] }, "carried out"],
  ];
  for (const [fault, done] of broken) {
    it(`about what is not known after ${JSON.stringify(fault)}: one POST, ${done}`, async () => {
      simulator.faults.add({ ...fault, method: "POST", count: 1 });
      await assert.rejects(client().createPolicy(ZONE, POLICY), (error: unknown) => {
        assert.ok(error instanceof ApiError);
        assert.equal(error.outcome, "unknown");
        return true;
      });
      assert.equal(simulator.changing().length, 1);
      assert.equal(simulator.zone(ZONE).policies.length, done === "carried out" ? 1 : 0);
    });
  }

  it("about fields that are new", async () => {
    simulator.faults.add({ kind: "extra-fields", fields: { novel: [1] } });
    const c = client();
    assert.deepEqual((await c.listAll("scripts", ZONE, {}, { limit: 1 }))[0]?.extra, { novel: [1] });
    await c.createPolicy(ZONE, POLICY);
    await c.getSettings(ZONE);
    await c.getCompatibility(ZONE);
  });
});
