import assert from "node:assert/strict";
import { owaspRulesetId, type Plan, type Simulator, type WafSeed } from "../../simulator/src";
import * as raw from "./raw-client";
import { type Body, call, seeded, start, stopAll, zoneId } from "./raw-client";

const check = (sim: Simulator) => call(sim, "GET", "waf_migration/check?phase_two=1");
const config = (sim: Simulator) => call(sim, "GET", "waf_migration/config?phase_two=1");
const status = (sim: Simulator) => call(sim, "GET", "waf_migration/status");
const migrate = (sim: Simulator, mode: string, body: unknown) =>
  call(sim, "PUT", `${raw.entrypointPath}?waf_migration=${mode}&phase_two=1`, body);

const finishing = { name: "default", rules: [{ ...raw.executeRule, id: "", version: "", ref: "" }] };
const validating = { name: "default", rules: [raw.executeRule] };
const shown = async (sim: Simulator) => {
  const { migration_state, new_waf_status, old_waf_status } = (await status(sim)).result;
  return [migration_state, new_waf_status, old_waf_status];
};
/** Counts of accepted and refused validations, of accepted and refused finishes, and of repeated finishes. */
const counts = (sim: Simulator) => {
  const { acceptedValidation, refusedValidation, acceptedPending, refusedPending, repeatedPending } =
    sim.zone(zoneId).waf;
  return [acceptedValidation, refusedValidation, acceptedPending, refusedPending, repeatedPending];
};

function zoneOn(sim: Simulator, waf: WafSeed = {}, plan: Plan = "enterprise"): void {
  sim.zones.seed(zoneId, { plan, waf });
}

/** Starts a simulator with a zone on the previous WAF. */
const oldZone = (waf: WafSeed = {}, plan: Plan = "enterprise") => seeded({ plan, waf });

afterEach(stopAll);

describe("the stages of the migration", () => {
  it("given the previous WAF on Enterprise, when waf_migration is validation or 2, then both are on", async () => {
    for (const mode of ["validation", "2"]) {
      const sim = await oldZone();
      assert.deepEqual((await check(sim)).result, { compatible: true, migration_state: "start" });
      assert.equal((await migrate(sim, mode, validating)).status, 200);
      assert.deepEqual((await check(sim)).result, { compatible: true, migration_state: "validation" });
      assert.deepEqual(await shown(sim), ["validation", "enabled", "enabled"]);
      assert.equal((await status(sim)).result.source, "api");
      assert.equal(sim.zone(zoneId).entrypoint?.rules.length, 1);
    }
  });

  it("given the previous WAF on any plan, when waf_migration is pending or 1, then after some time only the new one is on", async () => {
    for (const plan of ["pro", "business", "enterprise"] as const) {
      const mode = plan === "business" ? "1" : "pending";
      let clock = 0;
      const sim = await seeded({ plan, waf: { finishMs: 1000 } }, { now: () => clock });
      const put = await migrate(sim, mode, finishing);
      assert.match(put.result.rules[0].id, /^[0-9a-f]{32}$/);
      assert.deepEqual(await shown(sim), ["pending", "disabled", "enabled"]);
      assert.deepEqual((await check(sim)).result, { compatible: false, migration_state: "pending" });
      clock = 999;
      assert.equal((await shown(sim))[0], "pending");
      clock = 1000;
      assert.deepEqual(await shown(sim), ["done", "enabled", "disabled"]);
      assert.equal(sim.zone(zoneId).waf.acceptedPending, 1);
    }
  });

  it("given validation mode, when waf_migration is pending, then it finishes, and the new WAF is never off", async () => {
    let clock = 0;
    const sim = await start({ now: () => clock });
    zoneOn(sim, { finishMs: 10, validationMs: 10 });
    await migrate(sim, "validation", validating);
    assert.deepEqual(await shown(sim), ["validation", "disabled", "enabled"]);
    clock = 10;
    assert.deepEqual(await shown(sim), ["validation", "enabled", "enabled"]);
    const adjusted = { ...raw.executeRule, enabled: false };
    assert.equal((await migrate(sim, "validation", { name: "default", rules: [adjusted] })).status, 200);
    await migrate(sim, "pending", finishing);
    assert.deepEqual(await shown(sim), ["pending", "enabled", "enabled"]);
    clock = 20;
    assert.deepEqual(await shown(sim), ["done", "enabled", "disabled"]);
    assert.deepEqual(counts(sim), [2, 0, 1, 0, 0]);
  });

  it("given Deploy in the dashboard, then Pro and Business finish, and Enterprise validates until the old WAF is turned off", async () => {
    const sim = await start();
    for (const plan of ["pro", "business"] satisfies Plan[]) {
      zoneOn(sim, {}, plan);
      sim.dashboard.deployNewWaf(zoneId);
      assert.equal((await status(sim)).result.migration_state, "done");
    }
    zoneOn(sim);
    sim.dashboard.deployNewWaf(zoneId);
    assert.equal((await status(sim)).result.migration_state, "validation");
    sim.dashboard.turnOffPreviousVersion(zoneId);
    const { result } = await status(sim);
    assert.deepEqual([result.migration_state, result.source], ["done", "dashboard"]);
    assert.deepEqual(counts(sim), [0, 0, 0, 0, 0]);
    assert.throws(() => sim.dashboard.deployNewWaf(zoneId), /left the previous WAF/);
  });

  it("never go back, even if the answer is lost", async () => {
    const sim = await oldZone();
    sim.faults.add({ kind: "reset-after", query: "waf_migration=pending", count: 1 });
    await assert.rejects(migrate(sim, "pending", finishing));
    assert.deepEqual(counts(sim), [0, 0, 1, 0, 0]);
    const before = sim.zone(zoneId).entrypoint;
    assert.equal((await migrate(sim, "validation", validating)).status, 409);
    assert.equal((await migrate(sim, "pending", finishing)).status, 409);
    assert.deepEqual(sim.zone(zoneId).entrypoint, before);
    assert.deepEqual(counts(sim), [0, 1, 1, 1, 1]);
  });

  it("given repeats: accept, then a second finish is counted, and a validation is still refused", async () => {
    const sim = await oldZone({ repeats: "accept" });
    assert.equal((await migrate(sim, "pending", finishing)).status, 200);
    assert.equal((await migrate(sim, "pending", finishing)).status, 200);
    assert.equal((await migrate(sim, "validation", validating)).status, 409);
    assert.deepEqual(counts(sim), [0, 1, 2, 0, 1]);
  });
});

describe("a migration request is refused", () => {
  const refused = async (sim: Simulator, mode: string, body: unknown, expected = 400): Promise<void> => {
    const before = sim.zone(zoneId);
    const reply = await migrate(sim, mode, body);
    assert.equal(reply.status, expected, reply.text);
    const after = sim.zone(zoneId);
    assert.deepEqual([after.entrypoint, after.waf.stage], [before.entrypoint, before.waf.stage]);
    assert.equal(sim.journal.at(-1)?.changed, false);
  };

  it("given no phase_two, a phase_two other than 1, or an unknown mode", async () => {
    const sim = await oldZone();
    const reads = ["check", "config"].flatMap((operation) =>
      ["", "?phase_two=true", "?phase_two=2", "?phase_two="].map((query) => `${operation}${query}`),
    );
    const wrong = ["waf_migration=pending", "waf_migration=pending&phase_two=0", "phase_two=1"];
    const updates = [...wrong, "waf_migration=3&phase_two=1", "waf_migration=&phase_two=1"];
    for (const path of reads) assert.equal((await call(sim, "GET", `waf_migration/${path}`)).status, 400);
    for (const query of updates)
      assert.equal((await call(sim, "PUT", `${raw.entrypointPath}?${query}`, finishing)).status, 400, query);
    assert.equal(counts(sim)[2], 0);
    assert.equal(sim.zone(zoneId).entrypoint, null);
  });

  it("given a validation on another plan than Enterprise", async () => {
    const sim = await start();
    for (const plan of ["pro", "business"] satisfies Plan[]) {
      zoneOn(sim, {}, plan);
      await refused(sim, "validation", validating, 403);
      assert.deepEqual(counts(sim), [0, 1, 0, 0, 0]);
    }
  });

  it("given id, version or ref in another form than the document says, unless strictIds is off", async () => {
    const sim = await oldZone();
    await refused(sim, "pending", validating);
    const one = (more: object) => ({ name: "d", rules: [{ ...raw.executeRule, ...more }] });
    await refused(sim, "pending", one({ id: "", version: "" }));
    await refused(sim, "pending", one({ id: "", version: "", ref: "x" }));
    await refused(sim, "validation", finishing);
    await refused(sim, "validation", one({ ref: "" }));
    await refused(sim, "pending", { rules: finishing.rules });
    sim.dashboard.setWaf(zoneId, { strictIds: false });
    assert.equal((await migrate(sim, "validation", finishing)).status, 200);
    assert.equal((await migrate(sim, "pending", validating)).status, 200);
  });

  it("given URI-based overrides, until they are deleted", async () => {
    const sim = await oldZone({ uriOverrides: 3 });
    assert.equal((await check(sim)).result.compatible, false);
    await refused(sim, "pending", finishing);
    await refused(sim, "validation", validating);
    const list = await call(sim, "GET", "firewall/waf/overrides?page=2&per_page=2");
    const info = { page: 2, per_page: 2, count: 1, total_count: 3, total_pages: 2 };
    assert.deepEqual(list.body.result_info, info);
    const all = (await call(sim, "GET", "firewall/waf/overrides")).result;
    assert.deepEqual(Object.keys(all[0]).sort(), [
      ...["description", "groups", "id", "paused", "priority", "rules", "urls"],
    ]);
    for (const { id } of all)
      assert.equal((await call(sim, "DELETE", `firewall/waf/overrides/${id}`)).status, 200);
    assert.equal((await call(sim, "DELETE", `firewall/waf/overrides/${all[0].id}`)).status, 404);
    assert.equal((await check(sim)).result.compatible, true);
    assert.equal((await migrate(sim, "pending", finishing)).status, 200);
  });

  it("given more than 200 firewall rules, or an expression over 4 KB, which the refusal names", async () => {
    const sim = await oldZone({ firewallRules: 201 });
    assert.match((await config(sim)).error.message, /201 firewall rules.*at most 200/);
    await refused(sim, "pending", finishing);
    sim.dashboard.setWaf(zoneId, { overLimit: "show" });
    assert.equal((await config(sim)).result.rules.length, 202);
    await refused(sim, "pending", finishing);

    const long = { expression: `http.host eq "${"x".repeat(4090)}"`, description: "the long one" };
    zoneOn(sim, { firewallRules: [{ expression: "true", description: "short" }, long] });
    assert.match((await config(sim)).error.message, /rule 2 \(the long one\)/);
    await refused(sim, "pending", finishing);

    zoneOn(sim, { firewallRules: 200 });
    const { result } = await config(sim);
    assert.equal((await migrate(sim, "pending", result)).status, 200);
  });

  it("given too many rules in the body, or a zone that is not eligible", async () => {
    const sim = await oldZone();
    const skip = { ...finishing.rules[0], action: "skip", action_parameters: { ruleset: "current" } };
    const rules = Array.from({ length: 201 }, (_, index) => ({ ...skip, expression: `ip.src eq ${index}` }));
    await refused(sim, "pending", { name: "default", rules });
    zoneOn(sim, { eligible: false });
    assert.equal((await check(sim)).result.compatible, false);
    await refused(sim, "pending", finishing);
  });
});

describe("the answers of the migration API", () => {
  it("include a configuration with overrides, OWASP settings from the document's table, skip rules, and empty identities", async () => {
    const sim = await start();
    const override = { id: "a".repeat(32), action: "log" };
    const table = { high: [2, 40], medium: [1, 25], low: [1, 40], default: [2, 40] } as const;
    for (const sensitivity of ["high", "medium", "low", "default"] as const) {
      zoneOn(sim, {
        owasp: { sensitivity, action: "simulate" },
        overrides: [override],
        firewallRules: [{ expression: "ip.src eq 192.0.2.1", description: "office" }],
        pageRules: [
          { pattern: "example.com/a/*", setting: "waf_off" },
          { pattern: "example.com/b/*", setting: "disable_security" },
          { pattern: "example.com/c/*", setting: "waf_on" },
        ],
      });
      const { result } = await config(sim);
      const actions = result.rules.map((rule: Body) => rule.action).join(" ");
      assert.equal(actions, "skip skip skip execute execute execute");
      assert.ok(result.rules.every((rule: Body) => rule.id === "" && rule.version === "" && rule.ref === ""));
      const [managed, owasp] = result.rules.slice(-2);
      const parameters = { id: raw.managedRuleset, overrides: { rules: [override] } };
      assert.deepEqual(managed.action_parameters, parameters);
      const [paranoia, threshold] = table[sensitivity];
      const { id, overrides } = owasp.action_parameters;
      const off = [2, 3, 4].filter((level) => level > paranoia).map((level) => `paranoia-level-${level}`);
      const categories = overrides.categories.map(({ category }: Body) => category);
      assert.deepEqual([id, categories], [owaspRulesetId, off]);
      const [scoring] = overrides.rules;
      assert.deepEqual([scoring.action, scoring.score_threshold], ["log", threshold]);
      assert.equal((await migrate(sim, "pending", result)).status, 200);
    }
  });

  it("after the finish follow afterFinish for check, config and overrides, while status still works", async () => {
    // A zone that is seeded without `waf` is on the new WAF.
    const { result } = await status(await seeded());
    assert.deepEqual([result.migration_state, result.created], ["done", null]);
    for (const afterFinish of ["404", "410", "incompatible"] as const) {
      const gone = Number(afterFinish);
      const expected = afterFinish === "incompatible" ? [200, 400, 200] : [gone, gone, gone];
      const sim = await oldZone({ afterFinish });
      await migrate(sim, "pending", finishing);
      const overrides = await call(sim, "GET", "firewall/waf/overrides");
      const answers = [(await check(sim)).status, (await config(sim)).status, overrides.status];
      assert.deepEqual(answers, expected);
      if (afterFinish === "incompatible") assert.equal((await check(sim)).result.compatible, false);
      assert.equal((await status(sim)).result.migration_state, "done");
    }
  });

  it("use the names and values of the status that were set", async () => {
    const sim = await start();
    const stateNames = { old: "begin", validation: "v", finishing: "f", new: "over" };
    zoneOn(sim, { stateNames, statusValues: { on: true, off: false }, answer: "null" });
    const put = await migrate(sim, "pending", finishing);
    assert.deepEqual([put.status, put.result], [200, null]);
    assert.deepEqual(await shown(sim), ["over", true, false]);
  });
});
