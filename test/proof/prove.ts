import fc from "fast-check";
import type { Outcome } from "./world/play";
import type { Scenario } from "./world/story";

export interface Proof {
  readonly scenario: fc.Arbitrary<Scenario>;
  readonly play: (story: Scenario) => Promise<Outcome>;
  readonly runs: number;
  readonly seed: number;
  /** What falls is made as small as it can be. */
  readonly isShrunk: boolean;
}

/** So often a long run tells how far it is, in milliseconds. */
const tellAfterMs = 60_000;

/** Plays so many random scenarios. Fails with the smallest one that it finds to be wrong, and its trace. */
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
        console.log(`      ${played} of ${runs} stand`);
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

/** A limit besides the number of runs: what was played until then is told. */
function untilTimeIsUp(minutes: string | undefined): { readonly interruptAfterTimeLimit?: number } {
  return minutes ? { interruptAfterTimeLimit: Number(minutes) * 60_000 } : {};
}
