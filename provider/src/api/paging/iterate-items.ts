import {
  boundPages,
  bringsNew,
  type Identified,
  type ListOptions,
  lastPage,
  MOST_REREADS,
  type Page,
  pageSize,
  type ReadPage,
  sizeOf,
} from "./page";

const PAGES_AHEAD = 8;

/**
 * One item after the other. Reads a few pages ahead and keeps nothing of an item that was handed out but its id, so
 * that a very large zone fits. When the list changed while it was read, it is gone through again and what had been
 * missed is handed out then.
 */
export async function* iterateItems<T extends Identified>(
  read: ReadPage<T>,
  options: ListOptions = {},
): AsyncGenerator<T, void, undefined> {
  const { limit = Number.POSITIVE_INFINITY, onWarning } = options;
  if (limit <= 0) return;
  /** Every id that was handed out, with the last pass that saw it. */
  const seen = new Map<string, number>();

  for (let pass = 0; pass <= MOST_REREADS; pass += 1) {
    let listed = 0;
    let missed = 0;
    let doubled = false;
    let total: number | undefined;
    let steady = true;
    for await (const page of pagesInOrder(read, pageSize(options), limit)) {
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
    // A further pass brought nothing new: nothing moves, the service just counts otherwise than it lists.
    if (pass > 0 && missed === 0) return;
  }
  onWarning?.("The list kept changing while it was read: items that came last may be missing.");
}

/** The pages of a list, a bounded number of them under way. */
async function* pagesInOrder<T extends Identified>(
  read: ReadPage<T>,
  perPage: number,
  limit: number,
): AsyncGenerator<Page<T>, void, undefined> {
  const start = await read(1, perPage);
  yield start;
  const last = lastPage(start, perPage, limit);
  if (last === undefined) {
    yield* pagesToTheEnd(read, perPage, start);
    return;
  }
  const ahead: Promise<Page<T>>[] = [];
  const seen = new Set(start.items.map(({ id }) => id));
  let next = 2;
  while (next <= last || ahead.length > 0) {
    while (next <= last && ahead.length < PAGES_AHEAD) {
      boundPages(next);
      const page = read(next, perPage);
      // The consumer may stop before this page's turn: its failure is then nobody's.
      page.catch(() => undefined);
      ahead.push(page);
      next += 1;
    }
    const page = await ahead.shift();
    if (page === undefined) return;
    yield page;
    // A service may claim more than it has, or answer with one page for ever.
    if (!bringsNew(page, seen)) return;
  }
}

/** Without a count: page after page, until one has fewer than the service gives at a time, or brings nothing new. */
export async function* pagesToTheEnd<T extends Identified>(
  read: ReadPage<T>,
  perPage: number,
  start: Page<T>,
): AsyncGenerator<Page<T>, void, undefined> {
  const size = sizeOf(start, perPage);
  const seen = new Set(start.items.map(({ id }) => id));
  for (let number = 2; ; number += 1) {
    boundPages(number);
    const page = await read(number, perPage);
    // A service that ignores the number answers with the first page for ever.
    if (!bringsNew(page, seen)) return;
    yield page;
    if (page.items.length < size) return;
  }
}
