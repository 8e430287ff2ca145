import assert from "node:assert/strict";
import { createRun } from "../../provider/src/lifecycle/process-run";
import { type Form, PolicyClaims } from "../../provider/src/policies/policy-claims";
import { rivalFindings } from "../../provider/src/policies/zone-policies";
import { zoneA } from "../small-engine/zones";

describe("Whose a policy is in a run", () => {
  const claims = () => new PolicyClaims();
  const urn = (name: string) => `urn:pulumi:dev::p::t::${name}`;

  it("is the first's that has it in its state, whoever names it later, until that one gives it up", () => {
    const of = claims();
    of.recordOwned("1", urn("a"));
    of.recordOwned("1", urn("b"));
    of.startReplacing("1", urn("b"), "delete");
    assert.deepEqual(of.takenFrom("1", urn("b")), { by: urn("a") });
    assert.deepEqual([of.heldBy("a"), of.heldBy("b"), of.isFree("1")], ["1", undefined, false]);
    of.startReplacing("1", urn("a"), "delete");
    // Nobody new adopts it; who has it in its state too goes on.
    assert.deepEqual([of.isFree("1"), of.isHeld("1"), of.isLeaving("1", urn("a"))], [false, false, true]);
    of.recordOwned("1", urn("b"));
    assert.deepEqual([of.claimForDeletion("1"), of.takenFrom("1", urn("b"))], [false, undefined]);
  });

  it("is no one's where its resource leaves it in the zone", () => {
    const of = claims();
    of.recordOwned("1", urn("a"));
    of.startReplacing("1", urn("a"), "keep");
    assert.deepEqual([of.isFree("1"), of.isAccountedFor("1")], [true, false]);
  });

  it("belongs to a new resource that creates or adopts it: its former holder has lost it", () => {
    const of = claims();
    of.adopt("1", urn("new"), "key");
    assert.deepEqual(of.takenFrom("1", urn("old")), { by: undefined });
    assert.deepEqual([of.heldBy("new.policies.key"), of.takenFrom("1", urn("new"))], ["1", undefined]);
  });

  it("is lost for whoever comes when its deletion is on the way", () => {
    const of = claims();
    assert.ok(of.claimForDeletion("1"));
    of.recordOwned("1", urn("a"));
    of.release("1", urn("set"), []);
    assert.deepEqual([of.takenFrom("1", urn("a")), of.isFree("1")], [{ by: undefined }, false]);
  });

  it("is known to be about to go where a set knows no one to take it, until it leaves it in the zone", () => {
    const of = claims();
    of.release("1", urn("set"), []);
    of.startReplacing("1", urn("other"), "keep");
    assert.equal(of.aboutToBeDroppedBy("1"), urn("set"));
    of.startReplacing("1", urn("set"), "keep");
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
      of.keepTakers("1", (taker) => taker === "b"),
      false,
    );
    assert.ok(of.isFree("1"));
    assert.equal(
      of.keepTakers("1", () => false),
      true,
    );
    assert.ok(!of.isFree("1"));
    of.adopt("2", urn("a"));
    assert.deepEqual(
      [of.keepTakers("2", () => false), of.isHeld("2"), of.releasedFor("a")],
      [false, true, []],
    );
  });
});

describe("Who declares policies of a zone beside an exact set", () => {
  it("is reported in either order", () => {
    const run = createRun({ env: {} });
    const told = (urn: string, form: Form) =>
      rivalFindings(run, { zoneId: zoneA }, urn, form).map(({ message }) => message);
    assert.deepEqual(told("single", "policy"), []);
    assert.match(told("exact", "exact set").join(), /^exact decides .*, and single declares/);
    assert.match(told("other", "set").join(), /^exact decides .*, and other declares/);
    assert.deepEqual(rivalFindings(createRun({ env: {} }), { zoneId: zoneA }, "exact", "exact set"), []);
  });
});
