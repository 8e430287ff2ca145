import {
  type Identified,
  type ListOptions,
  mostRereads,
  pageSize,
  pagesInOrder,
  type ReadPage,
} from "./page";

const pagesAhead = 8;

/**
 * One item after the other. Reads a few pages ahead and keeps only the ids of items that it has yielded, so that a very
 * large zone fits into memory. When the list changed while it was read, it is read again and yields what was missed.
 */
export async function* iterateItems<T extends Identified>(
  read: ReadPage<T>,
  options: ListOptions = {},
): AsyncGenerator<T, void, undefined> {
  const { limit = Number.POSITIVE_INFINITY, onWarning } = options;
  if (limit <= 0) return;
  /** Every id that was yielded, with the last pass that saw it. */
  const seen = new Map<string, number>();

  for (let pass = 0; pass <= mostRereads; pass += 1) {
    let listed = 0;
    let missed = 0;
    let doubled = false;
    let total: number | undefined;
    let steady = true;
    for await (const page of pagesInOrder(read, pageSize(options), limit, pagesAhead)) {
      if (listed === 0) total = page.info?.totalCount;
      else if (page.info?.totalCount !== total) steady = false;
      for (const item of page.items) {
        listed += 1;
        const before = seen.get(item.id);
        if (before === pass) doubled = true;
        seen.set(item.id, pass);
        if (before !== undefined) continue;
        missed += 1;
        yield item;
        if (seen.size >= limit) return;
      }
    }
    if (steady && !doubled && (total === undefined || listed === total)) return;
    // Another pass brought nothing new: the list is stable, its count is wrong.
    if (pass > 0 && missed === 0) return;
  }
  onWarning?.("The list kept changing while it was read: the newest items may be missing.");
}
