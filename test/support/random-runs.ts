import fc from "fast-check";

/** The seed of random tests: `SEED`, else a new one in each process. Who uses it prints it. */
export const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

/** How many random stories to play: what the variable says, else more in `npm run test:long` than in `npm test`. */
export function howMany(variable: string, usually: number, inLong: number): number {
  return Number(process.env[variable] ?? (process.env["LONG_STORIES"] ? inLong : usually));
}

/**
 * Checks a property with the seed, which is printed; `RUNS` says how often. `usually`: how often without it, for a
 * property that takes long.
 */
export async function check(
  property: fc.IProperty<unknown> | fc.IAsyncProperty<unknown>,
  { usually = 100 } = {},
): Promise<void> {
  const numRuns = Number(process.env["RUNS"] ?? usually);
  console.log(`      SEED=${seed} RUNS=${numRuns}`);
  await fc.assert(property as fc.IAsyncProperty<unknown>, { seed, numRuns });
}
