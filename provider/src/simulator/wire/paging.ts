import { invalid } from "./checks";
import type { ResultInfo } from "./envelope";

/** `all`: everything as one page. */
export interface Paging {
  readonly page: number | "all";
  readonly perPage: number;
}

export function readPaging(query: ReadonlyMap<string, string>, defaultPerPage: number): Paging {
  const page = query.get("page");
  return {
    page: page === "all" ? "all" : readInteger("page", page, 1, Number.MAX_SAFE_INTEGER, 1),
    perPage: readInteger("per_page", query.get("per_page"), 1, 100, defaultPerPage),
  };
}

/** The requested page and its exact `result_info`; a page after the last one is empty. */
export function slice<T>(all: readonly T[], paging: Paging): { items: readonly T[]; info: ResultInfo } {
  const whole = paging.page === "all";
  const perPage = paging.page === "all" ? Math.max(all.length, 1) : paging.perPage;
  const number = paging.page === "all" ? 1 : paging.page;
  const items = all.slice((number - 1) * perPage, number * perPage);
  const info = {
    page: number,
    per_page: whole ? all.length : perPage,
    count: items.length,
    total_count: all.length,
    total_pages: Math.ceil(all.length / perPage),
  };
  return { items, info };
}

function readInteger(
  name: string,
  text: string | undefined,
  least: number,
  most: number,
  otherwise: number,
): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw invalid(`?${name}`, `must be a whole number from ${least}${most > 100 ? "" : ` to ${most}`}`);
  }
  return value;
}
