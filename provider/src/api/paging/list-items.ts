import { pagesToTheEnd } from "./iterate-items";
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

const PAGES_IN_FLIGHT = 10;

/** One reading of a whole list, and whether it can be trusted. */
interface Snapshot<T> {
  readonly items: ReadonlyMap<string, T>;
  /** No page saw another total than the first, no id came twice, and the count adds up. */
  readonly steady: boolean;
}

/**
 * All items: the first page tells how many there are, the rest is read in parallel. Pages are numbered by position,
 * so an item that comes or goes while they are read shifts all later ones; such a reading is thrown away and
 * repeated. When the list does not come to rest, the union of the readings is returned, with a warning.
 */
export async function listAllItems<T extends Identified>(
  read: ReadPage<T>,
  options: ListOptions = {},
): Promise<readonly T[]> {
  const { limit = Number.POSITIVE_INFINITY, onWarning } = options;
  if (limit <= 0) return [];
  const union = new Map<string, T>();
  let previous: Snapshot<T> | undefined;
  for (let readings = 0; readings <= MOST_REREADS; readings += 1) {
    const snapshot = await readOnce(read, pageSize(options), limit);
    if (snapshot.steady) return first(snapshot.items, limit);
    // The same items twice in a row: nothing moves, the service just counts otherwise than it lists.
    if (previous !== undefined && sameIds(previous.items, snapshot.items))
      return first(snapshot.items, limit);
    previous = snapshot;
    // The newest reading comes first; what only older ones had follows, rather than being lost.
    const older = [...union].filter(([id]) => !snapshot.items.has(id));
    union.clear();
    for (const [id, item] of [...snapshot.items, ...older]) union.set(id, item);
  }
  onWarning?.(
    `The list kept changing while it was read (${MOST_REREADS + 1} times). It holds everything that was seen; ` +
      "an item that was removed meanwhile may still be in it.",
  );
  return first(union, limit);
}

async function readOnce<T extends Identified>(
  read: ReadPage<T>,
  perPage: number,
  limit: number,
): Promise<Snapshot<T>> {
  const start = await read(1, perPage);
  const total = start.info?.totalCount;
  const pages = new Map([[1, start]]);
  const last = lastPage(start, perPage, limit);
  if (last === undefined) {
    for await (const page of pagesToTheEnd(read, perPage, start)) {
      pages.set(pages.size + 1, page);
      if (pages.size * sizeOf(start, perPage) >= limit) break;
    }
  } else await readInParallel(read, perPage, last, pages);

  const items = new Map<string, T>();
  let listed = 0;
  let steady = true;
  for (const [, page] of [...pages].sort(([a], [b]) => a - b)) {
    listed += page.items.length;
    if (page.info?.totalCount !== total) steady = false;
    for (const item of page.items) items.set(item.id, item);
  }
  if (items.size !== listed) steady = false;
  const expected =
    total === undefined ? undefined : Math.min(total, (last ?? pages.size) * sizeOf(start, perPage));
  if (expected !== undefined && items.size !== expected) steady = false;
  return { items, steady };
}

async function readInParallel<T extends Identified>(
  read: ReadPage<T>,
  perPage: number,
  last: number,
  pages: Map<number, Page<T>>,
): Promise<void> {
  const seen = new Set([...pages.values()].flatMap(({ items }) => items.map(({ id }) => id)));
  let next = 2;
  const worker = async () => {
    while (next <= last) {
      const number = next;
      next += 1;
      try {
        boundPages(number);
        const page = await read(number, perPage);
        pages.set(number, page);
        // A service may claim more than it has, or answer with one page for ever.
        if (!bringsNew(page, seen)) next = last + 1;
      } catch (error) {
        // One failure ends the whole reading: the other workers ask for nothing more.
        next = last + 1;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(PAGES_IN_FLIGHT, last - 1) }, worker));
}

function first<T>(items: ReadonlyMap<string, T>, limit: number): readonly T[] {
  const list = [...items.values()];
  return list.length > limit ? list.slice(0, limit) : list;
}

function sameIds(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  return a.size === b.size && [...a.keys()].every((id) => b.has(id));
}
