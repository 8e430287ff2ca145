import { TooManyPagesError } from "../../errors/page-guard-error";
import type { ReadOptions } from "../client-types";
import type { ResultInfo } from "../wire/envelope";

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly info: ResultInfo | undefined;
}

/** Reads page `page` (from 1) of `perPage` items. */
export type ReadPage<T> = (page: number, perPage: number) => Promise<Page<T>>;

export interface ListOptions extends ReadOptions {
  /** Items per page, 1 to 100 (the default, and the service's own maximum). */
  readonly perPage?: number;
}

export interface Identified {
  readonly id: string;
}

const largestPage = 100;
/** A million items. */
const mostPages = 10_000;

/** @throws TooManyPagesError where a list does not end. */
export function boundPages(page: number): void {
  if (page > mostPages) throw new TooManyPagesError(mostPages);
}
/** How often a list that changes under way is read again. */
export const mostRereads = 3;

/** Items to ask for in each page. */
export function pageSize({ limit, perPage = largestPage }: ListOptions): number {
  return Math.max(1, Math.min(largestPage, perPage, limit ?? largestPage));
}

/** Items per page as the service does it: it may give fewer than requested. */
export function sizeOf<T>({ items, info }: Page<T>, perPage: number): number {
  if (info?.perPage !== undefined && info.perPage > 0) return Math.min(info.perPage, perPage);
  const hasAll = info?.totalCount !== undefined && info.totalCount <= items.length;
  return hasAll || items.length === 0 ? perPage : Math.min(items.length, perPage);
}

/** Number of the last page to read, judged from the first; undefined when the service does not say. */
export function lastPage<T>(start: Page<T>, perPage: number, limit: number): number | undefined {
  const { items, info } = start;
  const size = sizeOf(start, perPage);
  const enough = Math.ceil(limit / size);
  if (info?.totalCount !== undefined) return Math.min(enough, Math.max(1, Math.ceil(info.totalCount / size)));
  if (info?.totalPages !== undefined) return Math.min(enough, Math.max(1, info.totalPages));
  return items.length < size || items.length >= limit ? 1 : undefined;
}

/** Whether an answer to a request without pages is the whole list, as far as the service says. */
export function isWhole(items: readonly unknown[], info: ResultInfo | undefined): boolean {
  return (info?.totalPages ?? 1) <= 1 && (info?.totalCount ?? 0) <= items.length;
}

/** Whether a page holds an id that no page before it had; its ids count as seen from now on. */
export function bringsNew<T extends Identified>({ items }: Page<T>, seen: Set<string>): boolean {
  const before = seen.size;
  for (const { id } of items) seen.add(id);
  return seen.size > before;
}

/** The pages of a list, up to `inFlight` of them under way; where the service does not count them, one after the other. */
export async function* pagesInOrder<T extends Identified>(
  read: ReadPage<T>,
  perPage: number,
  limit: number,
  inFlight: number,
): AsyncGenerator<Page<T>, void, undefined> {
  const start = await read(1, perPage);
  yield start;
  const counted = lastPage(start, perPage, limit);
  const size = sizeOf(start, perPage);
  const last = counted ?? Math.ceil(limit / size);
  const atOnce = counted === undefined ? 1 : inFlight;
  const ahead: Promise<Page<T>>[] = [];
  const seen = new Set(start.items.map(({ id }) => id));
  let next = 2;
  while (next <= last || ahead.length > 0) {
    while (next <= last && ahead.length < atOnce) {
      boundPages(next);
      const page = read(next, perPage);
      // The consumer may stop before this page: then nobody handles its failure.
      page.catch(() => undefined);
      ahead.push(page);
      next += 1;
    }
    const page = await ahead.shift();
    if (page === undefined) return;
    // A service may claim more than it has, ignore the number, or repeat one page forever.
    const isNew = bringsNew(page, seen);
    if (isNew || counted !== undefined) yield page;
    if (!isNew || (counted === undefined && page.items.length < size)) return;
  }
}
