import fc from "fast-check";
import { seed } from "../../support/random-runs";

/** Time for which each parser is tested. `FUZZ_MS=60000 npm test -- test/proof/fuzz` tests for a minute. */
const budgetMs = Number(process.env["FUZZ_MS"] ?? 300);

/** Feeds a parser for a limited time, and prints the seed. Add inputs that failed to `corpus.ts`. */
export function feed<T>(inputs: fc.Arbitrary<T>, parser: (input: T) => void): void {
  fc.assert<[T]>(fc.property(inputs, parser), bounds<T>());
}

/** Feeds an asynchronous parser for a limited time, and prints the seed. */
export async function feedLater<T>(
  inputs: fc.Arbitrary<T>,
  parser: (input: T) => Promise<void>,
): Promise<void> {
  let last: Promise<void> | undefined;
  const property = fc.asyncProperty(inputs, (input) => {
    last = parser(input);
    return last;
  });
  // On a busy machine, the first run may exceed the time limit, because it loads modules. So it runs before the limit starts.
  await fc.assert<[T]>(property, { seed, numRuns: 1 });
  try {
    await fc.assert<[T]>(property, bounds<T>());
  } catch (error) {
    await last?.catch(() => undefined);
    throw error;
  }
  // The run that the time limit interrupts continues. Wait for it, so that it does not disturb the next test.
  await last;
}

function bounds<T>(): fc.Parameters<[T]> {
  console.log(`      SEED=${seed} FUZZ_MS=${budgetMs}`);
  return {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: budgetMs,
    markInterruptAsFailure: false,
  };
}

/** Texts that an attacker, a broken proxy or an old tool could send: bytes read as UTF-8, any code units, odd pieces. */
export function anyText(pieces: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("utf8")),
    fc.string({ unit: "binary", maxLength: 300 }),
    fc
      .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "binary", maxLength: 6 })), {
        maxLength: 60,
      })
      .map((parts) => parts.join("")),
  );
}

/** Valid values in which something at any depth is replaced, repeated or wrapped. */
export function damaged(samples: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc
    .tuple(
      fc.constantFrom(...samples),
      fc.array(fc.tuple(fc.nat(), damage()), { minLength: 1, maxLength: 3 }),
    )
    .map(([sample, strikes]) =>
      strikes.reduce<unknown>((value, [place, change]) => strike(value, place, change), sample),
    );
}

type Damage = (value: unknown) => unknown;

function damage(): fc.Arbitrary<Damage> {
  return fc.oneof(
    fc.jsonValue({ maxDepth: 3 }).map(
      (other): Damage =>
        () =>
          other,
    ),
    fc.constantFrom<Damage>(
      () => null,
      (value) => [value],
      (value) => [value, value],
      (value) => JSON.stringify(value) ?? "",
      (value) => ({ value }),
      () => -1,
      () => 1e308,
      () => "",
      () => "\u0000",
      () => "x".repeat(5_000),
      () => JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "toString": null}'),
    ),
  );
}

/** Changes one place of a value: the one with the number `place`, if all places are counted. */
function strike(value: unknown, place: number, change: Damage): unknown {
  let left = place % Math.max(1, count(value));
  const visit = (at: unknown): unknown => {
    if (left === 0) {
      left -= 1;
      return change(at);
    }
    left -= 1;
    if (Array.isArray(at)) return at.map(visit);
    if (typeof at !== "object" || at === null) return at;
    return Object.fromEntries(Object.entries(at).map(([key, entry]) => [key, visit(entry)]));
  };
  return visit(value);
}

function count(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, entry) => sum + count(entry), 0);
}
