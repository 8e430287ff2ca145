import assert from "node:assert/strict";
import { makePlan } from "../../../command/src/approval/make-approval";
import { readEvents } from "../../../command/src/preview/read-events";
import { zoneEffects } from "../../../command/src/review/zone-effects";
import { isSameZone, parseZoneId } from "../../../provider/src/model/zone-id";
import { step } from "../../command/support/events";
import { each } from "../../support/each";
import { zoneA, zoneB } from "../small-engine/zones";

const big = zoneA.toUpperCase();

describe("A zone id in capitals", () => {
  it("means the same zone", () => {
    assert.deepEqual([big, zoneA].map(parseZoneId), [zoneA, zoneA]);
    for (const none of ["", "a0", `${zoneA}0`, ` ${zoneA}`, `${zoneA}/p`, 7, undefined, null])
      assert.equal(parseZoneId(none), undefined, String(none));
    assert.ok(isSameZone(big, zoneA) && isSameZone("odd", "odd") && isSameZone(undefined, undefined));
    assert.ok(!isSameZone(zoneA, zoneB) && !isSameZone("odd", "ODD") && !isSameZone(zoneA, undefined));
    assert.ok(!isSameZone(undefined, "odd") && !isSameZone("odd", undefined));
  });

  it("appears in lower case in the steps of a preview, and as one zone in the plan", () => {
    const inputs = (zoneId: string, enabled: boolean) => ({ zoneId, enabled });
    const read = readEvents(
      [
        { op: "update", id: big, before: inputs(big, true), after: inputs(big, false) },
        { op: "create", after: inputs(zoneA, true) },
      ].map((one, index) => step({ ...one, kind: "PageGuardSettings", name: `watch${index}` })),
    );
    assert.deepEqual(each(zoneEffects(read.steps), "zone"), [zoneA]);
    assert.deepEqual(each(makePlan(read).zones, "zoneId"), [zoneA]);
  });
});
