export type Settled<Item, Result> =
  | { readonly item: Item; readonly result: Result; readonly error?: undefined }
  | { readonly item: Item; readonly error: unknown; readonly result?: undefined };

/** Runs `work` on all items, at most `most` at a time, even if some fail. Returns the outcomes in the order of the items. */
export function settleInFlight<Item, Result>(
  most: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Settled<Item, Result>[]> {
  return runInFlight(most, items, async (item): Promise<Settled<Item, Result>> => {
    try {
      return { item, result: await work(item) };
    } catch (error) {
      return { item, error };
    }
  });
}

/** Runs `work` on the items, at most `most` at a time. Throws the first failure, and starts no more items after it. */
export async function runInFlight<Item, Result>(
  most: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...items.entries()].reverse();
  const worker = async (): Promise<void> => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [index, item] = next;
      try {
        results[index] = await work(item);
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return results;
}
