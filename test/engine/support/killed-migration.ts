import assert from "node:assert/strict";
import { migration } from "../../real-engine/declaration";
import { somebodysZone, useStories, zoneA } from "../../real-engine/story";

/** The provider alone; the CLI alone, its provider goes on; or everything, as when the machine is switched off. */
export type Victim = "provider" | "cli" | "all";

interface KillPoint {
  /** At this request of the update, counted from 0. */
  readonly request: number;
  /** It has arrived, or it was carried out and the answer is not yet on its way. */
  readonly at: "arrival" | "processed";
}

/** An update straight to the finish: five requests of `check`, eight before the finishing one, that one, the waiting. */
const finishingRequest = 13;

/** One of each kind; at any other request the random runs of test/migration kill, many times over. */
const killPoints: readonly KillPoint[] = [
  { request: 4, at: "processed" },
  { request: finishingRequest - 1, at: "arrival" },
  { request: finishingRequest, at: "arrival" },
  { request: finishingRequest, at: "processed" },
  { request: finishingRequest + 2, at: "processed" },
];

/** Registers the story of one victim, killed at each point of a migration. */
export function killedMigration(suite: Mocha.Suite, victim: Victim): void {
  const begin = useStories(suite);

  it(`${killPoints.length} times: ${victim} killed, cancelled, run again, finished`, async () => {
    const told: string[] = [];
    for (const point of killPoints) told.push(await survive(point));
    assert.deepEqual(new Set(told), new Set(["sent by the second run", "found by the second run"]));
  });

  /** Gives what the second run had to do. */
  async function survive({ request, at }: KillPoint): Promise<string> {
    const name = `${victim} killed at request ${request}, ${at}`;
    const { sim, stack } = await begin({
      [zoneA]: { ...somebodysZone, plan: "pro", waf: { finishMs: 300, firewallRules: 1 } },
    });
    stack.declare({ waf: migration({ zoneId: zoneA }) });
    const point = { at, skip: request };
    if (victim === "provider") stack.killProviderAt(point);
    else if (victim === "cli") stack.killCliAt(point);
    else stack.killAllAt(point);
    const killed = await stack.run("up", "--yes", "--skip-preview");
    assert.notEqual(killed.code, 0, `${name}: the kill has not struck:\n${killed.output}`);
    if (victim === "cli") await stack.letOrphansFinish();
    // A CLI that has ended by itself has left no lock.
    if (victim !== "provider") await stack.run("cancel", "--yes");
    const before = sim.zone(zoneA).waf.acceptedPending;
    const again = await stack.run("up", "--yes", "--skip-preview");
    assert.equal(again.code, 0, `${name}: run again, it failed:\n${again.output}`);
    const { waf } = sim.zone(zoneA);
    assert.deepEqual([waf.acceptedPending, waf.refusedPending, waf.repeatedPending], [1, 0, 0], name);
    assert.equal(waf.stage, "new", name);
    const { reached, finishedAt, incomplete } = stack.state()["waf-step"]?.outputs ?? {};
    assert.deepEqual([reached, typeof finishedAt, incomplete], ["finished", "string", undefined], name);
    return before === 1 ? "found by the second run" : "sent by the second run";
  }
}
