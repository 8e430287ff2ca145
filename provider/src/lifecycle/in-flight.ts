/** What became of one piece of work. */
export type Settled<Item, Result> =
  | { readonly item: Item; readonly result: Result; readonly error?: undefined }
  | { readonly item: Item; readonly error: unknown; readonly result?: undefined };

/** Works on all items, so many at a time; one that fails does not stop the others. In the order of the items. */
export async function inFlight<Item, Result>(
  most: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Settled<Item, Result>[]> {
  const settled: Settled<Item, Result>[] = [];
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      try {
        settled[index] = { item, result: await work(item) };
      } catch (error) {
        settled[index] = { item, error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return settled;
}
