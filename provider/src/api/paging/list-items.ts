import {
  type Identified,
  type ListOptions,
  mostRereads,
  type Page,
  pageSize,
  pagesInOrder,
  type ReadPage,
  sizeOf,
} from "./page";

const pagesInFlight = 10;

/** One reading of a whole list, and whether it can be trusted. */
interface Snapshot<T> {
  readonly items: ReadonlyMap<string, T>;
  /** Every page has the same total, no id came twice, and the count adds up. */
  readonly steady: boolean;
}

/**
 * All items: the first page says how many there are, the rest is read in parallel. Pages are numbered by position, so an
 * item that is added or removed in between shifts all later ones; such a reading is discarded and repeated. When the list
 * keeps changing, the union of the readings is returned, with a warning.
 */
export async function listAllItems<T extends Identified>(
  read: ReadPage<T>,
  options: ListOptions = {},
): Promise<readonly T[]> {
  const { limit = Number.POSITIVE_INFINITY, onWarning } = options;
  if (limit <= 0) return [];
  const union = new Map<string, T>();
  let previous: Snapshot<T> | undefined;
  for (let readings = 0; readings <= mostRereads; readings += 1) {
    const snapshot = await readOnce(read, pageSize(options), limit);
    if (snapshot.steady) return first(snapshot.items, limit);
    // The same items twice in a row: the list is stable, its count is wrong.
    if (previous !== undefined && sameIds(previous.items, snapshot.items))
      return first(snapshot.items, limit);
    previous = snapshot;
    // The newest reading is first; what only older ones had follows, rather than being lost.
    const older = [...union].filter(([id]) => !snapshot.items.has(id));
    union.clear();
    for (const [id, item] of [...snapshot.items, ...older]) union.set(id, item);
  }
  onWarning?.(
    `The list kept changing while it was read (${mostRereads + 1} times). The result holds everything that was seen; ` +
      "an item that was removed in between may still be in it.",
  );
  return first(union, limit);
}

async function readOnce<T extends Identified>(
  read: ReadPage<T>,
  perPage: number,
  limit: number,
): Promise<Snapshot<T>> {
  const items = new Map<string, T>();
  let listed = 0;
  let steady = true;
  let start: Page<T> | undefined;
  let expected: number | undefined;
  for await (const page of pagesInOrder(read, perPage, limit, pagesInFlight)) {
    start ??= page;
    const total = start.info?.totalCount;
    if (page.info?.totalCount !== total) steady = false;
    const size = sizeOf(start, perPage);
    expected = total === undefined ? undefined : Math.min(total, Math.ceil(limit / size) * size);
    listed += page.items.length;
    for (const item of page.items) items.set(item.id, item);
  }
  if (items.size !== listed || items.size !== (expected ?? listed)) steady = false;
  return { items, steady };
}

function first<T>(items: ReadonlyMap<string, T>, limit: number): readonly T[] {
  const list = [...items.values()];
  return list.length > limit ? list.slice(0, limit) : list;
}

function sameIds(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  return a.size === b.size && [...a.keys()].every((id) => b.has(id));
}
