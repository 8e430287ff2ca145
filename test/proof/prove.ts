import fc from "fast-check";
import type { Outcome } from "./world/play";
import type { Scenario } from "./world/story";

export interface Proof {
  readonly scenario: fc.Arbitrary<Scenario>;
  readonly play: (story: Scenario) => Promise<Outcome>;
  readonly runs: number;
  readonly seed: number;
  /** Whether a story that fails is reduced to the smallest one that still fails. */
  readonly isShrunk: boolean;
}

/** Time between two progress messages of a long run, in milliseconds. */
const tellAfterMs = 60_000;

/** Plays `runs` random scenarios. If one fails, throws with the smallest failing scenario and its trace. */
export async function prove({ scenario, play, runs, seed, isShrunk }: Proof): Promise<void> {
  const began = Date.now();
  const before = process.cpuUsage();
  let outcome: Outcome = { operations: 0, requests: 0 };
  let played = 0;
  let told = began;
  console.log(`      SEED=${seed} RUNS=${runs}`);
  await fc.assert(
    fc.asyncProperty(scenario, async (story) => {
      if (process.env["EACH"]) console.log(JSON.stringify(story));
      const { operations, requests } = await play(story);
      played += 1;
      if (Date.now() - told > tellAfterMs) {
        told = Date.now();
        console.log(`      ${played} of ${runs} passed`);
      }
      outcome = { operations: outcome.operations + operations, requests: outcome.requests + requests };
    }),
    { seed, numRuns: runs, endOnFailure: !isShrunk, ...untilTimeIsUp(process.env["MINUTES"]) },
  );
  const { user, system } = process.cpuUsage(before);
  console.log(
    `      ${played} runs, ${outcome.operations} operations, ${outcome.requests} requests in ${Math.round((Date.now() - began) / 1000)} s (${Math.round((user + system) / 1e6)} s of processor time)`,
  );
}

/** Returns a time limit in addition to the number of runs. Reaching the limit is not a failure. */
function untilTimeIsUp(minutes: string | undefined): { readonly interruptAfterTimeLimit?: number } {
  return minutes ? { interruptAfterTimeLimit: Number(minutes) * 60_000 } : {};
}
