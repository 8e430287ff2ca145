import { invalid } from "../wire/checks";
import type { ResultInfo } from "../wire/operation";
import type { Sighting, ZoneCookie } from "./zone";

export type Query = ReadonlyMap<string, string>;

/** Whether a query parameter with this value keeps an item. @throws RefusalError where the value is none */
export type Filter<T> = (value: string, name: string) => (item: T) => boolean;

/** A comma-separated value; empty members are refused. */
export function members(value: string, name: string): readonly string[] {
  const all = value.split(",");
  if (all.includes("")) throw invalid(`?${name}`, "has an empty member");
  return all;
}

/** Items with a text that matches one of the comma-separated patterns; `*` at the ends of a pattern matches anything. */
export function matching<T>(textsOf: (item: T) => readonly string[], isWanted = true): Filter<T> {
  return (value, name) => {
    const patterns = members(value, name).map((pattern) => readPattern(pattern, name));
    return (item) => textsOf(item).some((text) => patterns.some((fits) => fits.test(text))) === isWanted;
  };
}

/** Items of which something is as the value says. */
export function equal<T>(of: (item: T) => unknown, ...allowed: readonly string[]): Filter<T> {
  return (value, name) => {
    const wanted = allowed.length === 0 ? value : readOneOf(...allowed)(value, name);
    return (item) => String(of(item)) === wanted;
  };
}

export function readBoolean(value: string, name: string): boolean {
  return readOneOf("true", "false")(value, name) === "true";
}

export function readOneOf<T extends string>(...allowed: readonly T[]): (value: string, name: string) => T {
  return (value, name) => {
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) throw invalid(`?${name}`, `must be one of ${allowed.join(", ")}`);
    return found;
  };
}

function readPattern(pattern: string, name: string): RegExp {
  const [, open = "", core = "", end = ""] = /^(\*?)(.*?)(\*?)$/s.exec(pattern) ?? [];
  if (core.includes("*")) throw invalid(`?${name}`, "takes * only at the ends of a value");
  const text = core.replace(/[\\^$.|?+(){}[\]]/g, "\\$&");
  return new RegExp(`^${open && ".*"}${text}${end && ".*"}$`, "s");
}

/**
 * What was filtered and sorted for one page is kept for the next ones: 10,000 items take a tenth of a second, and
 * a reader requests a hundred pages. Keyed by the array, which `Zones.get` replaces before each change.
 */
export class Orders<T extends Sighting | ZoneCookie> {
  private readonly known = new WeakMap<readonly T[], Map<string, readonly T[]>>();

  of(items: readonly T[], query: Query, filter: (items: readonly T[]) => readonly T[]): readonly T[] {
    const wishes = [...query].filter(([name]) => name !== "page" && name !== "per_page");
    const key = JSON.stringify(wishes.sort(([a], [b]) => compare(a, b)));
    const known = this.known.get(items) ?? new Map<string, readonly T[]>();
    this.known.set(items, known);
    const ordered = known.get(key) ?? sorted(filter(items), query);
    known.set(key, ordered);
    return ordered;
  }
}

/** The order is not documented without `order_by`; here it is the restless one: most recently seen first. */
export function sorted<T extends Sighting | ZoneCookie>(items: readonly T[], query: Query): T[] {
  const read = <T>(name: string, otherwise: string, by: (value: string, name: string) => T): T =>
    by(query.get(name) ?? otherwise, name);
  const field = read("order_by", "last_seen_at", readOneOf("last_seen_at", "first_seen_at"));
  const sign = read("direction", "desc", readOneOf("desc", "asc")) === "asc" ? 1 : -1;
  const malicious = read("prioritize_malicious", "false", readBoolean);
  return [...items].sort((a, b) => {
    if (malicious && isMalicious(a) !== isMalicious(b)) return isMalicious(a) ? -1 : 1;
    return sign * compare(a[field], b[field]) || compare(a.id, b.id);
  });
}

function isMalicious(item: Sighting | ZoneCookie): boolean {
  if (!("url" in item)) return false;
  if (item.domain_reported_malicious || item.url_reported_malicious) return true;
  const score = "js_integrity_score" in item ? item.js_integrity_score : null;
  return typeof score === "number" && score < 50;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The requested page and its exact `result_info`; `all`: everything as one page; a page after the last one is empty. */
export function paged<T>(
  all: readonly T[],
  query: Query,
  defaultPerPage: number,
): { items: readonly T[]; info: ResultInfo } {
  const whole = query.get("page") === "all";
  const asked = readInteger(query, "per_page", 100, defaultPerPage);
  const perPage = whole ? all.length : asked;
  const page = whole ? 1 : readInteger(query, "page", Number.MAX_SAFE_INTEGER, 1);
  const items = all.slice((page - 1) * perPage, page * perPage);
  const total_pages = perPage === 0 ? 0 : Math.ceil(all.length / perPage);
  const info = { page, per_page: perPage, count: items.length, total_count: all.length, total_pages };
  return { items, info };
}

function readInteger(query: Query, name: string, most: number, otherwise: number): number {
  const text = query.get(name);
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= most) return value;
  throw invalid(`?${name}`, `must be a whole number from 1${most > 100 ? "" : ` to ${most}`}`);
}
