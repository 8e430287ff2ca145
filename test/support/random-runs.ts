import fc from "fast-check";

/** Seed of random tests: `SEED`, else a new one in each process. Tests that use it print it. */
export const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

/** Returns the number of random stories to play: from the variable, else more in `npm run test:long` than in `npm test`. */
export function howMany(variable: string, usually: number, inLong: number): number {
  return Number(process.env[variable] ?? (process.env["LONG_STORIES"] ? inLong : usually));
}

/**
 * Checks a property with the seed, and prints the seed. The number of checks is `RUNS`, else `usually`, which a property that
 * takes long can lower.
 */
export async function check(
  property: fc.IProperty<unknown> | fc.IAsyncProperty<unknown>,
  { usually = 100 } = {},
): Promise<void> {
  const numRuns = Number(process.env["RUNS"] ?? usually);
  console.log(`      SEED=${seed} RUNS=${numRuns}`);
  await fc.assert(property as fc.IAsyncProperty<unknown>, { seed, numRuns });
}
