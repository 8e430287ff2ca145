import assert from "node:assert/strict";
import { createRun } from "../../../provider/src/lifecycle/process-run";
import { claimZone, hasSuccessor, holdZone } from "../../../provider/src/lifecycle/zone-claims";
import { zoneA, zoneB } from "../small-engine/zones";

describe("Claims on a zone", () => {
  it("are made once for each kind, and the same resource may repeat its own", () => {
    const run = createRun({ env: {} });
    assert.equal(claimZone(run, "Toy", zoneA, "urn:a"), undefined);
    assert.equal(claimZone(run, "Toy", zoneA.toUpperCase(), "urn:b"), "urn:a");
    assert.equal(claimZone(run, "Toy", zoneA, "urn:a"), undefined);
    assert.equal(claimZone(run, "Other", zoneA, "urn:b"), undefined);
  });

  it("are held once the resource exists, and no longer while it is being replaced", () => {
    const run = createRun({ env: {} });
    claimZone(run, "Toy", zoneA, "urn:a");
    assert.equal(hasSuccessor(run, "Toy", zoneA), false);
    holdZone(run, "Toy", zoneA, "urn:a");
    assert.deepEqual(
      [
        hasSuccessor(run, "Toy", zoneA.toUpperCase()),
        hasSuccessor(run, "Toy", zoneB),
        hasSuccessor(run, "Third", zoneA),
      ],
      [true, false, false],
    );
    claimZone(run, "Toy", zoneA.toUpperCase(), "urn:a");
    assert.equal(hasSuccessor(run, "Toy", zoneA), false);
  });
});
