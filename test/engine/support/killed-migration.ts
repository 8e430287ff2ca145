import assert from "node:assert/strict";
import { migration } from "../../real-engine/declaration";
import type { AddStory } from "../../real-engine/shared-stories";
import type { Victim } from "../../real-engine/stack";
import { zoneWithPolicy } from "../../real-engine/story";

interface KillPoint {
  /** At this request of the update, counted from 0. */
  readonly request: number;
  /** It has arrived, or it was carried out and the answer is not yet on its way. */
  readonly at: "arrival" | "processed";
  readonly sentBy: "first" | "second";
}

/** An update straight to the finish: five requests of `check`, eight before the finishing one, that one, the waiting. */
const finishingRequest = 13;

/**
 * One of each kind; at any other request, those of `check` too, the random runs of test/migration kill, many times over.
 */
const killPoints: readonly KillPoint[] = [
  { request: finishingRequest - 1, at: "arrival", sentBy: "second" },
  { request: finishingRequest, at: "arrival", sentBy: "second" },
  { request: finishingRequest, at: "processed", sentBy: "first" },
  { request: finishingRequest + 2, at: "processed", sentBy: "first" },
];

/** Registers the stories of one victim, killed at each point of a migration. */
export function killedMigration(addStory: AddStory, victim: Victim): void {
  for (const { request, at, sentBy } of killPoints) {
    // A provider that is left alone goes on.
    const sender = victim === "cli" ? "first" : sentBy;
    addStory(
      `given a migration, when ${victim} is killed at request ${request}, ${at}, then the next up finishes it, and the finish was accepted once, from the ${sender} run`,
      { zoneA: { ...zoneWithPolicy, plan: "pro", waf: { finishMs: 300, firewallRules: 1 } } },
      async ({ sim, stack, zones: { zoneA } }) => {
        stack.declare({ waf: migration({ zoneId: zoneA }) });
        const point = { at, skip: request };
        if (victim === "provider") stack.killProviderAt(point);
        else if (victim === "cli") stack.killCliAt(point);
        else stack.killAllAt(point);
        const killed = await stack.run("up", "--yes", "--skip-preview");
        assert.notEqual(killed.code, 0, `the kill has not struck:\n${killed.output}`);
        if (victim === "cli") await stack.letOrphansFinish();
        // A CLI that has ended by itself has left no lock.
        if (victim !== "provider") stack.unlock();
        assert.equal(sim.zone(zoneA).waf.acceptedPending, sender === "first" ? 1 : 0);
        await stack.up();
        const { waf } = sim.zone(zoneA);
        assert.deepEqual([waf.acceptedPending, waf.refusedPending, waf.repeatedPending], [1, 0, 0]);
        assert.equal(waf.stage, "new");
        const { reached, finishedAt, incomplete } = stack.state()["waf-step"]?.outputs ?? {};
        assert.deepEqual([reached, typeof finishedAt, incomplete], ["finished", "string", undefined]);
      },
    );
  }
}
