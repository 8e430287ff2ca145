import { PageGuardError } from "../../errors/page-guard-error";
import type { ReadOptions } from "../client-types";
import type { ResultInfo } from "../wire/envelope";

/** One page of a list. */
interface Page<T> {
  readonly items: readonly T[];
  readonly info: ResultInfo | undefined;
}

/** Reads page `page` (from 1) of `perPage` items. */
export type ReadPage<T> = (page: number, perPage: number) => Promise<Page<T>>;

interface ListOptions extends ReadOptions {
  /** Items per page, 1 to 100 (the default, and the service's own maximum). */
  readonly perPage?: number;
}

interface Identified {
  readonly id: string;
}

const largestPage = 100;
/** A million items. */
const mostPages = 10_000;
/** Maximum number of times that a list is read again because it changed while it was read. */
const mostRereads = 3;
const pagesInFlight = 10;

/** All items, as `iterateItems` finds them, without those that were removed while the list was read. */
export async function listAllItems<T extends Identified>(
  read: ReadPage<T>,
  options: ListOptions = {},
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
 * One item after the other. The first page says how many there are, and the next ones are read ahead, a few at a time;
 * only the ids of items that it has yielded are kept, so that a very large zone fits into memory. Pages are numbered by
 * position, so an item that is added or removed in between shifts all later ones: such a list is read again, and what was
 * missed follows. `atEnd` hears which ids a whole and steady reading has shown.
 */
export async function* iterateItems<T extends Identified>(
  read: ReadPage<T>,
  options: ListOptions = {},
  atEnd?: (isListed: (id: string) => boolean) => void,
): AsyncGenerator<T, void, undefined> {
  const { limit = Number.POSITIVE_INFINITY, perPage = largestPage, onWarning } = options;
  if (limit <= 0) return;
  const size = Math.max(1, Math.min(largestPage, perPage, limit));
  /** Every id that was yielded, with the last pass that saw it. */
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
    // Another pass brought nothing new: the list is stable, its count is wrong.
    if (pass > 0 && missed === 0) return;
  }
  onWarning?.(
    `The list kept changing while it was read (${mostRereads + 1} times): the newest items may be missing, and one that ` +
      "was removed in between may still be in it.",
  );
}

/** Whether an answer to a request without pages is the whole list, as far as the service says. */
export function isWhole(items: readonly unknown[], info: ResultInfo | undefined): boolean {
  return (info?.totalPages ?? 1) <= 1 && (info?.totalCount ?? 0) <= items.length;
}

/** The pages of a list, some of them under way at once; where the service does not count them, one after the other. */
async function* pagesInOrder<T extends Identified>(
  read: ReadPage<T>,
  perPage: number,
  limit: number,
): AsyncGenerator<Page<T>, void, undefined> {
  const start = await read(1, perPage);
  yield start;
  const size = sizeOf(start, perPage);
  const counted = pagesOf(start, size, limit);
  const last = counted ?? Math.ceil(limit / size);
  const atOnce = counted === undefined ? 1 : pagesInFlight;
  const ahead: Promise<Page<T>>[] = [];
  const seen = new Set(start.items.map(({ id }) => id));
  let next = 2;
  while (next <= last || ahead.length > 0) {
    while (next <= last && ahead.length < atOnce) {
      if (next > mostPages) throw endless();
      const page = read(next, perPage);
      // The consumer may stop before this page: then nobody handles its failure.
      page.catch(() => undefined);
      ahead.push(page);
      next += 1;
    }
    const page = await ahead.shift();
    if (page === undefined) return;
    // A service may claim more than it has, ignore the number, or repeat one page forever.
    const before = seen.size;
    for (const { id } of page.items) seen.add(id);
    const isNew = seen.size > before;
    if (isNew || counted !== undefined) yield page;
    if (!isNew || (counted === undefined && page.items.length < size)) return;
  }
}

/** Items per page as the service does it: it may give fewer than requested. */
function sizeOf<T>({ items, info }: Page<T>, perPage: number): number {
  if (info?.perPage !== undefined && info.perPage > 0) return Math.min(info.perPage, perPage);
  const hasAll = info?.totalCount !== undefined && info.totalCount <= items.length;
  return hasAll || items.length === 0 ? perPage : Math.min(items.length, perPage);
}

/** Number of pages according to the first page; undefined if the service doesn't tell. */
function pagesOf<T>({ items, info }: Page<T>, size: number, limit: number): number | undefined {
  const pages = info?.totalCount === undefined ? info?.totalPages : Math.ceil(info.totalCount / size);
  if (pages !== undefined) return Math.min(Math.ceil(limit / size), Math.max(1, pages));
  return items.length < size || items.length >= limit ? 1 : undefined;
}

function endless(): PageGuardError {
  const what = `The list did not end after ${mostPages} pages, which is more than a zone can have.`;
  const why = "The service claims more items than there are, or a proxy answers in its place.";
  const fix =
    "Check the base URL and the proxy variables. Give the read a limit if the list is really this long.";
  return new PageGuardError("PG_ENDLESS_LIST", {}, { what, why, fix });
}
