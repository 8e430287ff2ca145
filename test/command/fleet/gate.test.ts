import assert from "node:assert/strict";
import { explainWait, type FleetZone } from "../../../command/src/fleet/gate";
import { sessionOf, useDesk } from "../support/console";
import { PlayedPulumi } from "../support/played-pulumi";

const day = 86_400_000;
const now = Date.parse("2026-11-20T12:00:00.000Z");
const zone: FleetZone = { id: "a".repeat(32), name: "shop", hosts: [], wave: 1, stage: undefined, tags: [] };
const update = { kind: "update", message: "", result: "succeeded", resourceChanges: { create: 1 } };
const changed = (endTime: string) => ({ ...update, endTime });
const unchanged = { ...changed("2026-11-20T11:00:00.000Z"), resourceChanges: { same: 3 } };

describe("The gate of a wave", () => {
  const begin = useDesk();

  async function gate(history: readonly object[], outputs: object = {}, after = 7 * day, exitCode = 0) {
    const desk = await begin();
    const pulumi = new PlayedPulumi(desk);
    pulumi.remembers(history);
    const resource = { urn: "urn:pulumi:shop::p::t::n", type: "t", outputs };
    pulumi.exports(JSON.stringify({ version: 3, deployment: { resources: [resource] } }));
    if (exitCode === 0) pulumi.previews();
    else pulumi.fails(exitCode, "no passphrase");
    const session = sessionOf({ env: pulumi.env, cwd: desk.folder, now: () => now });
    const limits = { after, maxFailures: 0, parallel: 2 };
    return { why: await explainWait(session, [zone], limits, () => false), calls: pulumi.calls() };
  }

  it("counts --after from the last update that changed something, not from one without changes", async () => {
    assert.equal((await gate([unchanged, changed("2026-11-10T00:00:00.000Z")])).why, undefined);
    const { why } = await gate([unchanged, changed("2026-11-15T00:00:00.000Z")]);
    assert.equal(why, "waits until 2026-11-22T00:00:00.000Z");
    const refreshed = { ...changed("2026-11-19T00:00:00.000Z"), kind: "refresh" };
    assert.equal((await gate([refreshed, changed("2026-11-10T00:00:00.000Z")])).why, undefined);
  });

  it("counts --after also from times in the state: when policies began to log and when a migration finished", async () => {
    const old = [changed("2026-10-01T00:00:00.000Z")];
    for (const outputs of [
      { loggingSince: "2026-11-18T00:00:00.000Z" },
      { loggingSince: { checkout: "2026-11-02T00:00:00.000Z", shop: "2026-11-18T00:00:00.000Z" } },
      { finishedAt: "2026-11-18T00:00:00.000Z" },
    ])
      assert.equal((await gate(old, outputs)).why, "waits until 2026-11-25T00:00:00.000Z");
    assert.equal((await gate(old, { loggingSince: "2026-11-12T00:00:00.000Z" })).why, undefined);
  });

  it("finds the last update before any number of refreshes and updates without changes", async () => {
    const since = Array.from({ length: 130 }, (_, at) =>
      at % 2 === 0 ? unchanged : { ...unchanged, kind: "refresh" },
    );
    const { why } = await gate([...since, changed("2026-11-15T00:00:00.000Z")]);
    assert.equal(why, "waits until 2026-11-22T00:00:00.000Z");
  });

  it("waits for a stack whose preview is not empty, and says that it may have failed, because both exit with the same code", async () => {
    const { why } = await gate([changed("2026-10-01T00:00:00.000Z")], {}, 7 * day, 255);
    assert.equal(why, "waits: shop has changes to apply, or its preview failed");
  });

  it("waits for a stack that was never applied, or whose last update failed", async () => {
    assert.equal((await gate([])).why, "waits: shop is not done");
    const failed = { ...changed("2026-10-01T00:00:00.000Z"), result: "failed" };
    const refreshed = { ...unchanged, kind: "refresh" };
    const { why, calls } = await gate([refreshed, failed, changed("2026-09-01T00:00:00.000Z")]);
    assert.equal(why, "waits: shop is not done");
    assert.ok(!calls.some((call) => call.startsWith("preview")), "no further command runs");
  });
});
