import fc from "fast-check";

const seed = process.env["SEED"] ? Number(process.env["SEED"]) : Math.floor(Math.random() * 2 ** 31);
const runs = Number(process.env["RUNS"] ?? 100);

/** Checks a property with the seed of `SEED`, or a random one that is printed; `RUNS` says how often. */
export async function check(property: fc.IProperty<unknown> | fc.IAsyncProperty<unknown>): Promise<void> {
  console.log(`      SEED=${seed} RUNS=${runs}`);
  await fc.assert(property as fc.IAsyncProperty<unknown>, { seed, numRuns: runs });
}
