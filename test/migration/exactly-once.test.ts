import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { type Simulator, startSimulator } from "../../provider/src/simulator";
import { EventClock } from "./support/event-clock";
import { type Outcome, play } from "./support/play";
import { scenario } from "./support/scenario";

const seed = process.env["SEED"] ? Number(process.env["SEED"]) : Math.floor(Math.random() * 2 ** 31);
const runs = Number(process.env["RUNS"] ?? 2000);

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
    await fc.assert(
      fc.asyncProperty(scenario, async (story) => {
        outcomes.push(await play(sim, clock, story));
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
});
