import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import type { Transport } from "../../../provider/src/api/http/transport";
import { type Simulator, startSimulator } from "../../../simulator/src";
import { howMany, seed } from "../../support/random-runs";
import { directWire } from "../small-engine/direct-wire";
import { EventClock } from "./support/event-clock";
import { type Outcome, play } from "./support/play";
import { scenario } from "./support/scenario";

const runs = howMany("RUNS", 250, 1000);

/** So many of them are told over sockets as well. */
const overSockets = Math.min(Math.ceil(runs / 20), 40);

describe("The migration is accepted at most once", function () {
  this.timeout(0);
  let sim: Simulator;
  const clock = new EventClock();

  before(async () => {
    sim = await startSimulator({ now: clock.now, token: randomBytes(20).toString("hex") });
  });
  after(() => sim.stop());

  it(`over ${runs} random runs of pipelines, faults, kills and lost state, and the declared stage is reached`, async () => {
    console.log(`      SEED=${seed} RUNS=${runs}`);
    const began = Date.now();
    const outcomes: Outcome[] = [];
    const wire = directWire(sim, { isPatient: true });
    await fc.assert(
      fc.asyncProperty(scenario, async (story) => {
        outcomes.push(await play(sim, clock, story, wire));
      }),
      {
        seed,
        numRuns: runs,
        verbose: fc.VerbosityLevel.None,
        endOnFailure: process.env["SHRINK"] === undefined,
      },
    );
    const count = (filter: (outcome: Outcome) => boolean): number => outcomes.filter(filter).length;
    const total = (of: (outcome: Outcome) => number): number =>
      outcomes.reduce((sum, outcome) => sum + of(outcome), 0);
    console.log(
      `      ${outcomes.length} runs in ${Math.round((Date.now() - began) / 1000)} s: ${total(({ ups }) => ups)} ups, ` +
        `${total(({ requests }) => requests)} requests, ${total(({ sent }) => sent)} finishing updates sent, ` +
        `${count(({ isAlone }) => !isAlone)} runs with two processes at once; ` +
        `${count(({ end }) => end === "reached")} reached the stage, ${count(({ end }) => end === "unclear")} ended with the documented "unclear"`,
    );
    // The names and the status that the documents and their readers know are always understood.
    assert.equal(
      count(({ end, isReadable }) => end === "unclear" && isReadable),
      0,
    );
  });

  it(`and the first ${overSockets} of them come to the same over sockets, request by request`, async () => {
    assert.deepEqual(await told(), await told((other) => directWire(other, { isPatient: true })));
  });
});

/** What became of each story, and what its service was asked and answered. */
async function told(wireTo?: (sim: Simulator) => Transport): Promise<unknown[]> {
  const clock = new EventClock();
  const sim = await startSimulator({ now: clock.now, token: "story" });
  const wire = wireTo?.(sim);
  const stories: unknown[] = [];
  const tell = fc.asyncProperty(scenario, async (story) => {
    const outcome = await play(sim, clock, story, wire);
    const requests = sim.journal.map(({ requestId: _, inFlight: __, seq: ___, ...entry }) => entry);
    stories.push({ outcome, requests });
  });
  await fc.assert(tell, { seed, numRuns: overSockets, endOnFailure: true });
  await sim.stop();
  return stories;
}
