import assert from "node:assert/strict";
import type { PageGuardClient, Policy } from "../../provider/src/api/client-types";
import { NetworkError } from "../../provider/src/errors/network-error";
import { createRun } from "../../provider/src/lifecycle/process-run";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import { countsAnew } from "../../provider/src/resources/csp-policy/create-findings";
import { declaredText } from "../../provider/src/resources/csp-policy/declared-policy";
import { ensurePolicy } from "../../provider/src/resources/csp-policy/ensure-policy";
import { changedFields, isSamePolicy } from "../../provider/src/resources/csp-policy/equal-policy";
import { PolicyList } from "../../provider/src/resources/csp-policy/policy-list";
import { zonePolicies } from "../../provider/src/resources/csp-policy/zone-policies";
import { zoneA } from "../small-engine/zones";

const body = (description: string) => ({
  description,
  action: "log",
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
});
const policy = (policyId: string, description: string): Policy => ({ ...body(description), policyId });
const begin = () => zonePolicies(createRun({ env: {} }), zoneA);
const ids = (policies: readonly Policy[]) => policies.map(({ policyId }) => policyId);

describe("Who of a run has which policy", () => {
  it("is the first that has it on record, whoever names it later", () => {
    const zone = begin();
    zone.declare("1", "a");
    zone.declare("1", "b");
    assert.deepEqual([zone.ownerOf("1"), zone.takenFrom("1", "b")], ["a", { by: "a" }]);
  });

  it("does not change by what another one gives up", () => {
    const zone = begin();
    zone.declare("1", "a");
    zone.giveUp("1", "b", "delete");
    assert.deepEqual([zone.ownerOf("1"), zone.isFree("1")], ["a", false]);
    // Left in the zone, it is nobody's.
    zone.giveUp("1", "a", "keep");
    assert.deepEqual([zone.ownerOf("1"), zone.isFree("1")], [undefined, true]);
  });

  it("is about to let go what it said so of, until it leaves it in the zone", () => {
    const zone = begin();
    zone.noteAboutToDrop("1", "set");
    zone.giveUp("1", "other", "keep");
    assert.equal(zone.aboutToBeDroppedBy("1"), "set");
    zone.giveUp("1", "set", "keep");
    assert.equal(zone.aboutToBeDroppedBy("1"), undefined);
  });

  it("is offered what a set has let go, and takes back of it only what says the same and is nobody's", () => {
    const zone = begin();
    zone.offer(policy("1", "a"));
    assert.equal(zone.withdrawOffer(body("b")), undefined);
    assert.equal(zone.withdrawOffer(body("a")), "1");
    assert.equal(zone.withdrawOffer(body("a")), undefined, "once");
    zone.offer(policy("2", "a"));
    zone.acquire("2", "urn");
    assert.equal(zone.withdrawOffer(body("a")), undefined);
  });

  it("is told of an exact set and of one beside it, whichever comes first", () => {
    const zone = begin();
    assert.equal(zone.declareForm("single", "policy"), undefined);
    assert.deepEqual(zone.declareForm("exact", "exact set"), { exact: "exact", beside: "single" });
    assert.deepEqual(zone.declareForm("other", "set"), { exact: "exact", beside: "other" });
    const alone = begin();
    assert.equal(alone.declareForm("exact", "exact set"), undefined);
    assert.equal(alone.declareForm("exact", "set"), undefined);
  });
});

describe("The list of a zone's policies", () => {
  it("goes with what happens to them, whatever was looked up before", () => {
    for (const isLookedUp of [false, true]) {
      const list = new PolicyList([policy("1", "a"), policy("2", "b")]);
      const seen = (description: string) => [
        ids(list.equalTo(body(description))),
        list.nearTo({ ...body(description), enabled: false }).map((near) => near.policy.policyId),
      ];
      if (isLookedUp) seen("a");
      list.note(policy("3", "a"));
      list.note(policy("2", "a"));
      list.remove("1");
      list.remove("9");
      assert.deepEqual(seen("a"), [
        ["3", "2"],
        ["3", "2"],
      ]);
      assert.deepEqual(seen("b"), [[], []]);
      assert.deepEqual(ids(list.all()), ["3", "2"]);
    }
  });

  it("is asked for once in a run, which notes in it what it makes and deletes", async () => {
    const zone = begin();
    let asked = 0;
    const client = {
      listPolicies: async () => {
        asked += 1;
        return [policy("1", "a")];
      },
    } as unknown as PageGuardClient;
    await zone.list(client, zoneA);
    await zone.note(policy("2", "b"));
    await zone.noteDeleted("1");
    assert.deepEqual([ids((await zone.list(client, zoneA)).all()), asked], [["2"], 1]);
  });

  it("has as near ones those that differ in just one field", () => {
    const list = new PolicyList([policy("1", "a")]);
    const near = (more: object) => list.nearTo({ ...body("a"), ...more }).map(({ field }) => field);
    assert.deepEqual(near({}), [], "the same is not near");
    assert.deepEqual(near({ description: "b" }), ["description"]);
    assert.deepEqual(near({ action: "allow" }), ["action"]);
    assert.deepEqual(near({ action: "allow", enabled: false }), []);
  });

  it("holds two for the same where nothing but their spelling differs", () => {
    const same = (more: object) => isSamePolicy(body("a"), { ...body("a"), ...more });
    assert.ok(same({ expression: " true", value: "script-src 'self';" }));
    for (const more of [
      { description: "b" },
      { action: "allow" },
      { enabled: false },
      { expression: "false" },
      { value: "script-src 'none'" },
    ])
      assert.ok(!same(more), JSON.stringify(more));
    const directives = { "script-src": ["'none'"] };
    assert.deepEqual(changedFields(body("a"), { ...body("a"), value: undefined, directives }), [
      "directives",
    ]);
    assert.deepEqual(changedFields(body("a"), { ...body("a"), value: "script-src 'none'" }), ["value"]);
  });
});

describe("A policy that is made without an answer", () => {
  const lost = new NetworkError(
    { operation: "create a policy", zoneId: zoneA, outcome: "unknown" },
    { reason: "ECONNRESET", host: "x", attempts: 1, viaProxy: false },
  );

  /** The zone before and after the request, and what the run knows of it by then. */
  async function made(before: readonly Policy[], after: readonly Policy[], owned: readonly string[]) {
    const zone = begin();
    let looks = 0;
    const client = {
      listPolicies: async () => {
        looks += 1;
        return looks === 1 ? before : after;
      },
      createPolicy: async () => {
        for (const policyId of owned) zone.declare(policyId, "other");
        throw lost;
      },
    } as unknown as PageGuardClient;
    const { policyId } = await ensurePolicy(client, zone, zoneA, body("a"), "urn", () => 1);
    return [policyId, zone.ownerOf(policyId)];
  }

  it("is the one that has come into being since and that nobody has", async () => {
    const [old, fresh] = [policy("1", "a"), policy("2", "a")];
    assert.deepEqual(await made([], [fresh], []), ["2", "urn"]);
    assert.deepEqual(await made([old], [old, fresh], []), ["2", "urn"]);
    // It may be kept for somebody; it may be somebody's.
    await assert.rejects(made([old], [old], []), lost);
    await assert.rejects(made([], [fresh], ["2"]), lost);
    await assert.rejects(made([], [], []), lost);
  });
});

describe("The text of a declared policy", () => {
  it("is known where all of it is, and directives are such", () => {
    const of = (directives: unknown) => declaredText({ directives });
    assert.equal(of({ "script-src": ["'self'", "a.example"] }), "script-src 'self' a.example");
    assert.equal(declaredText({ value: "script-src 'self'" }), "script-src 'self'");
    for (const directives of [
      unknownValue,
      { "script-src": unknownValue },
      { "script-src": ["'self'", unknownValue] },
      { "script-src": 7 },
      7,
      undefined,
    ])
      assert.equal(of(directives), undefined);
  });
});

describe("Days of log that begin anew", () => {
  it("are those of a policy that reports, is on, and of which nobody knows since when", () => {
    const counts = (more: object, since?: string) => countsAnew({ ...policy("1", "a"), ...more }, since);
    assert.deepEqual(
      [counts({}), counts({}, "2025"), counts({ enabled: false }), counts({ action: "allow" })],
      [true, false, false, false],
    );
  });
});
