import { PageGuardError } from "../../errors/page-guard-error";
import type { ReadOptions } from "../client-types";
import type { ResultInfo } from "../wire/envelope";

interface Page<T> {
  readonly items: readonly T[];
  readonly info: ResultInfo | undefined;
}

/** Reads a page of `perPage` items. The first page is number 1. */
export type ReadPage<T> = (page: number, perPage: number) => Promise<Page<T>>;

interface Identified {
  readonly id: string;
}

const largestPage = 100;
/** Maximum number of pages: enough for a million items. */
const mostPages = 10_000;
const mostRereads = 3;
const pagesInFlight = 10;

/**
 * Collects the items that `iterateItems` yields. If the last pass over the list saw no change, drops items that only earlier passes
 * found, because they have been removed.
 */
export async function listAllItems<T extends Identified>(
  read: ReadPage<T>,
  options: ReadOptions = {},
): Promise<readonly T[]> {
  const items: T[] = [];
  let isStillListed = (_id: string) => true;
  const noteEnd = (isListed: (id: string) => boolean) => {
    isStillListed = isListed;
  };
  for await (const item of iterateItems(read, options, noteEnd)) items.push(item);
  return items.filter(({ id }) => isStillListed(id));
}

/**
 * Yields the items of a list one by one. Once the first response has said how many pages the list has, reads a few pages ahead.
 * Keeps only the ids of yielded items, so that a very large zone fits into memory. Pages are numbered by position, so an item
 * that is added or removed in the meantime shifts all later items. In that case the generator reads the list again and yields the
 * items that it missed. After a pass without changes, `atEnd` receives a function that says whether an id is listed.
 */
export async function* iterateItems<T extends Identified>(
  read: ReadPage<T>,
  options: ReadOptions = {},
  atEnd?: (isListed: (id: string) => boolean) => void,
): AsyncGenerator<T, void, undefined> {
  const { limit = Number.POSITIVE_INFINITY, perPage = largestPage, onWarning } = options;
  if (limit <= 0) return;
  const size = Math.max(1, Math.min(largestPage, perPage, limit));
  /** The id of every yielded item, with the last pass that saw it. */
  const seen = new Map<string, number>();

  for (let pass = 0; pass <= mostRereads; pass += 1) {
    let listed = 0;
    let missed = 0;
    let doubled = false;
    let total: number | undefined;
    let steady = true;
    for await (const page of pagesInOrder(read, size, limit)) {
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
    if (steady && !doubled && (total === undefined || listed === total)) {
      atEnd?.((id) => seen.get(id) === pass);
      return;
    }
    // This pass found no new item: the service's count is wrong, or the list only lost items or changed its order. Reading again
    // would not help. Removed items stay in the result, without a warning.
    if (pass > 0 && missed === 0) return;
  }
  onWarning?.(
    `The list kept changing while it was read (${mostRereads + 1} times): the newest items may be missing, ` +
      "and removed items may still be in it.",
  );
}

/** Whether a response to a request without a page number contains the whole list, according to the service's own counts. */
export function isWhole(items: readonly unknown[], info: ResultInfo | undefined): boolean {
  return (info?.totalPages ?? 1) <= 1 && (info?.totalCount ?? 0) <= items.length;
}

/** Yields the pages of a list in order. Requests several at a time if the service says how many there are, else one by one. */
async function* pagesInOrder<T extends Identified>(
  read: ReadPage<T>,
  perPage: number,
  limit: number,
): AsyncGenerator<Page<T>, void, undefined> {
  const start = await read(1, perPage);
  yield start;
  const size = derivePageSize(start, perPage);
  const counted = countPages(start, size, limit);
  const last = counted ?? Math.ceil(limit / size);
  const atOnce = counted === undefined ? 1 : pagesInFlight;
  const ahead: Promise<Page<T>>[] = [];
  const seen = new Set(start.items.map(({ id }) => id));
  let next = 2;
  while (next <= last || ahead.length > 0) {
    while (next <= last && ahead.length < atOnce) {
      if (next > mostPages) throw endless();
      const page = read(next, perPage);
      // If the consumer stops before this page, no other code handles a failure of this request.
      page.catch(() => undefined);
      ahead.push(page);
      next += 1;
    }
    const page = await ahead.shift();
    if (page === undefined) return;
    // A service can claim more items than it has, ignore the page number, or repeat one page forever. A page without new ids
    // therefore ends the list.
    const before = seen.size;
    for (const { id } of page.items) seen.add(id);
    const isNew = seen.size > before;
    if (isNew || counted !== undefined) yield page;
    if (!isNew || (counted === undefined && page.items.length < size)) return;
  }
}

/** Returns the number of items per page that the service uses. It may be smaller than the requested or the stated number. */
function derivePageSize<T>({ items, info }: Page<T>, perPage: number): number {
  const stated = Math.max(0, info?.perPage ?? 0);
  const totalCount = info?.totalCount;
  // If more pages follow, this page is full, so the number of its items is the number per page.
  const hasMore = totalCount === undefined ? stated === 0 : totalCount > items.length;
  return Math.min(perPage, hasMore && items.length > 0 ? items.length : stated || perPage);
}

/** Returns the number of pages according to the first page; undefined if the service does not say. */
function countPages<T>({ items, info }: Page<T>, size: number, limit: number): number | undefined {
  const pages = info?.totalCount === undefined ? info?.totalPages : Math.ceil(info.totalCount / size);
  if (pages !== undefined) return Math.min(Math.ceil(limit / size), Math.max(1, pages));
  return items.length < size || items.length >= limit ? 1 : undefined;
}

function endless(): PageGuardError {
  const what = `The list did not end after ${mostPages} pages, which is more than any zone is expected to have.`;
  const why = "The service claims more items than there are, or a proxy answers instead of it.";
  const fix =
    "Check the base URL and the proxy variables. If the list is really this long, give the read a limit.";
  return new PageGuardError("PG_ENDLESS_LIST", {}, { what, why, fix });
}
