import assert from "node:assert/strict";
import type { PageGuardClient, Policy } from "../../provider/src/api/client-types";
import { NetworkError } from "../../provider/src/errors/network-error";
import { createRun } from "../../provider/src/lifecycle/process-run";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import { countsFromNow } from "../../provider/src/policies/create-findings";
import { declaredText } from "../../provider/src/policies/declared-policy";
import { changedFields, isSamePolicy } from "../../provider/src/policies/equal-policy";
import { type Form, PolicyClaims } from "../../provider/src/policies/policy-claims";
import { PolicyList } from "../../provider/src/policies/policy-list";
import { reconcilePolicy } from "../../provider/src/policies/reconcile-policy";
import { rivalFindings, zonePolicies } from "../../provider/src/policies/zone-policies";
import { zoneA } from "../small-engine/zones";

const body = (description: string) => ({
  description,
  action: "log",
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
});
const policy = (policyId: string, description: string): Policy => ({ ...body(description), policyId });
const env = { PAGE_GUARD_API_TOKEN: "t", PAGE_GUARD_BASE_URL: "http://127.0.0.1/v4" };
const begin = (client?: PageGuardClient) =>
  zonePolicies(createRun({ env, ...(client && { createClient: () => client }) }), zoneA);
const ids = (policies: readonly Policy[]) => policies.map(({ policyId }) => policyId);

describe("Whose a policy is in a run", () => {
  const claims = () => new PolicyClaims();
  const urn = (name: string) => `urn:pulumi:dev::p::t::${name}`;

  it("is the first's that has it in its state, whoever names it later, until that one gives it up", () => {
    const of = claims();
    of.hold("1", urn("a"));
    of.hold("1", urn("b"));
    of.giveUp("1", urn("b"), "delete");
    assert.deepEqual(of.takenFrom("1", urn("b")), { by: urn("a") });
    assert.deepEqual([of.heldBy("a"), of.heldBy("b"), of.isFree("1")], ["1", undefined, false]);
    of.giveUp("1", urn("a"), "delete");
    // Nobody new adopts it; who has it in its state too goes on.
    assert.deepEqual([of.isFree("1"), of.isHeld("1"), of.isLeaving("1", urn("a"))], [false, false, true]);
    of.hold("1", urn("b"));
    assert.deepEqual([of.mayDelete("1"), of.takenFrom("1", urn("b"))], [false, undefined]);
  });

  it("is no one's where its resource leaves it in the zone", () => {
    const of = claims();
    of.hold("1", urn("a"));
    of.giveUp("1", urn("a"), "keep");
    assert.deepEqual([of.isFree("1"), of.isAccountedFor("1")], [true, false]);
  });

  it("is that of a new resource that creates or adopts it: who had it is told so", () => {
    const of = claims();
    of.take("1", urn("new"), "key");
    assert.deepEqual(of.takenFrom("1", urn("old")), { by: undefined });
    assert.deepEqual([of.heldBy("new.policies.key"), of.takenFrom("1", urn("new"))], ["1", undefined]);
  });

  it("is lost for whoever comes when its deletion is on the way", () => {
    const of = claims();
    assert.ok(of.mayDelete("1"));
    of.hold("1", urn("a"));
    of.release("1", urn("set"), []);
    assert.deepEqual([of.takenFrom("1", urn("a")), of.isFree("1")], [{ by: undefined }, false]);
  });

  it("is known to be about to go where a set knows no one to take it, until it leaves it in the zone", () => {
    const of = claims();
    of.release("1", urn("set"), []);
    of.giveUp("1", urn("other"), "keep");
    assert.equal(of.aboutToBeDroppedBy("1"), urn("set"));
    of.giveUp("1", urn("set"), "keep");
    assert.equal(of.aboutToBeDroppedBy("1"), undefined);
    of.release("2", urn("set"), ["taker"]);
    assert.equal(of.aboutToBeDroppedBy("2"), undefined);
  });

  it("is left to its takers until there are none, or one has it", () => {
    const of = claims();
    of.release("1", urn("set"), ["a", "b"]);
    of.release("2", urn("set"), ["a"]);
    assert.deepEqual([of.releasedFor("a"), of.releasedFor("b")], [["1", "2"], ["1"]]);
    assert.equal(
      of.leaveTo("1", (taker) => taker === "b"),
      false,
    );
    assert.ok(of.isFree("1"));
    assert.equal(
      of.leaveTo("1", () => false),
      true,
    );
    assert.ok(!of.isFree("1"));
    of.take("2", urn("a"));
    assert.deepEqual([of.leaveTo("2", () => false), of.isHeld("2"), of.releasedFor("a")], [false, true, []]);
  });
});

describe("Who declares policies of a zone beside an exact set", () => {
  it("is reported, whichever comes first", () => {
    const run = createRun({ env: {} });
    const told = (urn: string, form: Form) =>
      rivalFindings(run, { zoneId: zoneA }, urn, form).map(({ message }) => message);
    assert.deepEqual(told("single", "policy"), []);
    assert.match(told("exact", "exact set").join(), /^exact decides .*, and single declares/);
    assert.match(told("other", "set").join(), /^exact decides .*, and other declares/);
    assert.deepEqual(rivalFindings(createRun({ env: {} }), { zoneId: zoneA }, "exact", "exact set"), []);
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
    let asked = 0;
    const client = {
      listPolicies: async () => {
        asked += 1;
        return [policy("1", "a")];
      },
      deletePolicy: async () => undefined,
    } as unknown as PageGuardClient;
    const zone = begin(client);
    await zone.list();
    await zone.note(policy("2", "b"));
    await zone.delete("1");
    assert.deepEqual([ids((await zone.list()).all()), asked], [["2"], 1]);
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

describe("A policy that is created without an answer", () => {
  const lost = new NetworkError(
    { operation: "create a policy", zoneId: zoneA, outcome: "unknown" },
    { reason: "ECONNRESET", host: "x", attempts: 1, viaProxy: false },
  );

  /** The zone before and after the request, and what the run knows of it by then. */
  async function made(before: readonly Policy[], after: readonly Policy[], owned: readonly string[]) {
    let looks = 0;
    const client = {
      listPolicies: async () => {
        looks += 1;
        return looks === 1 ? before : after;
      },
      createPolicy: async () => {
        for (const policyId of owned) zone.claims.hold(policyId, "other");
        throw lost;
      },
    } as unknown as PageGuardClient;
    const zone = begin(client);
    const { policyId } = await reconcilePolicy({
      zone,
      body: body("a"),
      urn: "urn",
      reserved: () => 1,
    });
    return [policyId, zone.claims.heldBy("urn")];
  }

  it("is the one that has come into being since and that no one has", async () => {
    const [old, fresh] = [policy("1", "a"), policy("2", "a")];
    assert.deepEqual(await made([], [fresh], []), ["2", "2"]);
    assert.deepEqual(await made([old], [old, fresh], []), ["2", "2"]);
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

describe("Days of log that start again", () => {
  it("are those of a policy that reports, is on, and of which no one knows since when", () => {
    const counts = (more: object, since?: string) => countsFromNow({ ...policy("1", "a"), ...more }, since);
    assert.deepEqual(
      [counts({}), counts({}, "2025"), counts({ enabled: false }), counts({ action: "allow" })],
      [true, false, false, false],
    );
  });
});
