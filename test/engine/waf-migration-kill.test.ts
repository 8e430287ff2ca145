import assert from "node:assert/strict";
import { migration } from "../real-engine/declaration";
import { somebodysZone, useStories, zoneA } from "../real-engine/story";

interface Kill {
  /** The provider alone; the CLI alone, its provider goes on; or everything, as when the machine is switched off. */
  readonly who: "provider" | "cli" | "all";
  /** At this request of the update, counted from 0. */
  readonly request: number;
  /** It has arrived, or it was carried out and the answer is not yet on its way. */
  readonly at: "arrival" | "processed";
}

/** An update straight to the finish: five requests of `check`, eight before the finishing one, that one, the waiting. */
const requestsOfAnUpdate = 17;
const finishingRequest = 13;

const kills: readonly Kill[] = [
  { who: "provider", request: finishingRequest, at: "arrival" },
  { who: "provider", request: finishingRequest, at: "processed" },
  { who: "provider", request: finishingRequest + 2, at: "processed" },
  { who: "cli", request: 4, at: "processed" },
  { who: "cli", request: finishingRequest - 3, at: "arrival" },
  { who: "cli", request: finishingRequest, at: "arrival" },
  { who: "cli", request: finishingRequest, at: "processed" },
  { who: "cli", request: finishingRequest + 1, at: "processed" },
  ...Array.from({ length: requestsOfAnUpdate }, (_, request): Kill[] => {
    const who = request % 3 === 0 ? "provider" : "all";
    const isNear = request >= finishingRequest - 1 && request <= finishingRequest + 1;
    const at = isNear
      ? (["arrival", "processed"] as const)
      : ([request % 2 === 0 ? "arrival" : "processed"] as const);
    return at.map((moment) => ({ who, request, at: moment }));
  }).flat(),
];

describe("On the engine: a migration whose processes are killed at any request is accepted once", function () {
  const begin = useStories(this);
  this.timeout(900_000);

  it(`${kills.length} times: killed, cancelled, run again, finished`, async () => {
    const left = [...kills];
    const told: string[] = [];
    const worker = async (): Promise<void> => {
      for (let kill = left.shift(); kill !== undefined; kill = left.shift()) told.push(await survive(kill));
    };
    await Promise.all([worker(), worker()]);
    console.log(`      ${told.length} kill points; when it was run again: ${tally(told)}`);
    assert.ok(
      told.includes("sent by the second run") && told.includes("found under way or done by the second run"),
    );
  });

  /** Gives what the second run found. */
  async function survive({ who, request, at }: Kill): Promise<string> {
    const name = `${who} killed at request ${request}, ${at}`;
    const { sim, stack } = await begin({
      [zoneA]: { ...somebodysZone, plan: "pro", waf: { finishMs: 300, firewallRules: 1 } },
    });
    stack.declare({ waf: migration({ zoneId: zoneA }) });
    const point = { at, skip: request };
    if (who === "provider") stack.killProviderAt(point);
    else if (who === "cli") stack.killCliAt(point);
    else stack.killAllAt(point);
    const killed = await stack.run("up", "--yes", "--skip-preview");
    assert.notEqual(killed.code, 0, `${name}: the kill has not struck:\n${killed.output}`);
    if (who === "cli") await stack.letOrphansFinish();
    await stack.run("cancel", "--yes");
    const before = sim.zone(zoneA).waf.acceptedPending;
    const again = await stack.run("up", "--yes", "--skip-preview");
    assert.equal(again.code, 0, `${name}: run again, it failed:\n${again.output}`);
    const { waf } = sim.zone(zoneA);
    assert.deepEqual([waf.acceptedPending, waf.refusedPending, waf.repeatedPending], [1, 0, 0], name);
    assert.equal(waf.stage, "new", name);
    const { reached, finishedAt, incomplete } = stack.state()["waf-step"]?.outputs ?? {};
    assert.deepEqual([reached, typeof finishedAt, incomplete], ["finished", "string", undefined], name);
    return before === 1 ? "found under way or done by the second run" : "sent by the second run";
  }
});

function tally(told: readonly string[]): string {
  return [...new Set(told)].map((what) => `${told.filter((one) => one === what).length} ${what}`).join(", ");
}
