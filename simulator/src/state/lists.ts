import { invalid, oneOf } from "../wire/checks";
import { type Answer, type ApiRequest, findOrRefuse, ok, type ResultInfo } from "../wire/operation";
import type { Plan, Sighting, Zone, ZoneConnection, ZoneCookie, ZoneScript } from "./zone";

export type Query = ReadonlyMap<string, string>;

/**
 * Reads the value of the query parameter `at`. Returns a function that says whether to keep an item.
 * @throws RefusalError if the value is not valid
 */
type Filter<T> = (value: string, at: string) => (item: T) => boolean;

/** Splits a comma-separated value. @throws RefusalError if a member is empty */
function members(value: string, at: string): readonly string[] {
  const all = value.split(",");
  if (all.includes("")) throw invalid(at, "has an empty member");
  return all;
}

/** Returns a filter for items with (or without) a string that matches a pattern. `*` at either end of a pattern is a wildcard. */
function matching<T>(textsOf: (item: T) => readonly string[], isWanted = true): Filter<T> {
  return (value, at) => {
    const patterns = members(value, at).map((pattern) => readPattern(pattern, at));
    return (item) => textsOf(item).some((text) => patterns.some((fits) => fits.test(text))) === isWanted;
  };
}

function readPattern(pattern: string, at: string): RegExp {
  const [, open = "", core = "", end = ""] = /^(\*?)(.*?)(\*?)$/s.exec(pattern) ?? [];
  if (core.includes("*")) throw invalid(at, "takes * only at the ends of a value");
  const text = core.replace(/[\\^$.|?+(){}[\]]/g, "\\$&");
  return new RegExp(`^${open && ".*"}${text}${end && ".*"}$`, "s");
}

/** Returns a filter for items in which the field that `of` reads has the given value. */
function equal<T>(of: (item: T) => unknown, allowed?: readonly string[]): Filter<T> {
  return (value, at) => {
    const wanted = allowed ? oneOf(allowed)(value, at) : value;
    return (item) => String(of(item)) === wanted;
  };
}

const readBoolean = (value: string, at: string): boolean => oneOf(["true", "false"])(value, at) === "true";

/**
 * Cache of filtered and sorted items for the later pages of a list. Sorting 10,000 items takes a tenth of a second, and a client
 * requests a hundred pages of them. The key is the array, which `Zones.get` replaces before each change.
 */
const orders = new WeakMap<readonly unknown[], Map<string, readonly unknown[]>>();

function cachedOrder<T>(items: readonly T[], query: Query, order: () => readonly T[]): readonly T[] {
  const wishes = [...query].filter(([name]) => name !== "page" && name !== "per_page");
  const key = JSON.stringify(wishes.sort(([a], [b]) => compare(a, b)));
  const known = (orders.get(items) ?? new Map()) as Map<string, readonly T[]>;
  orders.set(items, known);
  const ordered = known.get(key) ?? order();
  known.set(key, ordered);
  return ordered;
}

/**
 * Sorts items. The API documentation does not say how they are sorted without `order_by`. In the simulator, the items that were
 * seen most recently come first, so the order often changes.
 */
export function sortItems<T extends Sighting | ZoneCookie>(items: readonly T[], query: Query): T[] {
  const order = query.get("order_by") ?? "last_seen_at";
  const field = oneOf(["last_seen_at", "first_seen_at"])(order, "?order_by");
  const sign = oneOf(["desc", "asc"])(query.get("direction") ?? "desc", "?direction") === "asc" ? 1 : -1;
  const malicious = readBoolean(query.get("prioritize_malicious") ?? "false", "?prioritize_malicious");
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

/** Returns the requested page with its exact `result_info`. `page=all` returns everything. A page after the last is empty. */
export function paginate<T>(
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
  const range = most > 100 ? "from 1" : `from 1 to ${most}`;
  throw invalid(`?${name}`, `must be a whole number ${range}`);
}

const statuses = ["active", "infrequent", "inactive"];

type Filters<T> = Readonly<Record<string, Filter<T>>>;

const common: Filters<Sighting | ZoneCookie> = {
  status(value, at) {
    const wanted = members(value, at).map((status) => oneOf(statuses)(status, at));
    return ({ status }) => wanted.includes(status);
  },
  hosts: matching(({ host }) => [host]),
  page_url: matching((item) => [item.first_page_url, ...item.page_urls]),
};
const sightingFilters: Filters<Sighting> = {
  ...common,
  urls: matching(({ url }) => [url]),
  exclude_urls: matching(({ url }) => [url], false),
  exclude_cdn_cgi(value, at) {
    const isExcluding = readBoolean(value, at);
    return (item) => !(isExcluding && item.url_contains_cdn_cgi_path);
  },
};
const cookieFilters: Filters<ZoneCookie> = {
  ...common,
  name: matching(({ name }) => [name]),
  path: equal((cookie) => cookie.path_attribute),
  domain: equal((cookie) => cookie.domain_attribute),
  secure: equal((cookie) => cookie.secure_attribute, ["true", "false"]),
  http_only: equal((cookie) => cookie.http_only_attribute, ["true", "false"]),
  same_site: equal((cookie) => cookie.same_site_attribute, ["lax", "strict", "none"]),
  type: equal(({ type }) => type, ["first_party", "unknown"]),
};
/** Default values of filters. A filter without a value keeps all items. */
const defaults: Readonly<Record<string, string>> = { status: "active", exclude_cdn_cgi: "true" };

interface Listing<T> {
  readonly itemsOf: (zone: Zone) => readonly T[];
  readonly filters: Filters<T>;
  /** Query parameters that only this list has, besides its filters. */
  readonly others?: readonly string[];
  readonly among?: (items: readonly T[], query: Query) => readonly T[];
  /** Converts an item to the form of the API. `isWhole`: whether the request is for this item alone. */
  readonly toWire: (item: T, plan: Plan, isWhole: boolean) => unknown;
}

/** Creates the operations GET zones/{zone_id}/page_guard/KIND and GET zones/{zone_id}/page_guard/KIND/{item_id}. */
function listing<T extends Sighting | ZoneCookie>(kind: Listing<T>) {
  const { itemsOf, filters, others = [], among = (items) => items, toWire } = kind;
  const filtered = (items: readonly T[], query: Query): readonly T[] => {
    const tests = Object.entries(filters).flatMap(([name, filter]) => {
      const value = query.get(name) ?? defaults[name];
      return value === undefined ? [] : [filter(value, `?${name}`)];
    });
    const kept = items.filter((item) => tests.every((isKept) => isKept(item)));
    return among(kept, query);
  };
  return {
    parameters: [...Object.keys(filters), "page", "per_page", "order_by", "direction", ...others],
    list({ zone, query }: ApiRequest): Answer {
      const all = cachedOrder(itemsOf(zone), query, () => sortItems(filtered(itemsOf(zone), query), query));
      const { items, info } = paginate(all, query, 15);
      const shown = items.map((item) => toWire(item, zone.plan, false));
      return ok(shown, false, info);
    },
    get({ zone, params }: ApiRequest): Answer {
      return ok(toWire(findOrRefuse(itemsOf(zone), params["item_id"], "resource"), zone.plan, true));
    },
  };
}

export const scripts = listing<ZoneScript>({
  itemsOf: (zone) => zone.scripts,
  filters: sightingFilters,
  others: ["prioritize_malicious", "exclude_duplicates"],
  among(items, query) {
    const isExcluding = readBoolean(query.get("exclude_duplicates") ?? "true", "?exclude_duplicates");
    return isExcluding ? withoutDuplicates(items) : items;
  },
  toWire: shownScript,
});

export const connections = listing<ZoneConnection>({
  itemsOf: (zone) => zone.connections,
  filters: sightingFilters,
  others: ["prioritize_malicious"],
  toWire: shownConnection,
});

export const cookies = listing<ZoneCookie>({
  itemsOf: (zone) => zone.cookies,
  filters: cookieFilters,
  toWire: shownCookie,
});

/** Returns only the newest of all scripts with the same contents, the same host in the URL and the same page host. */
function withoutDuplicates(scripts: readonly ZoneScript[]): ZoneScript[] {
  const newest = new Map<string, ZoneScript>();
  for (const script of scripts) {
    const { hash, url, host, id } = script;
    const key = hash === null ? id : `${hash} ${url.split("/", 3)[2] ?? url} ${host}`;
    const other = newest.get(key);
    if (other === undefined || other.last_seen_at < script.last_seen_at) newest.set(key, script);
  }
  return [...newest.values()];
}

const kinds = ["js_integrity", "obfuscation", "dataflow", "cryptomining", "magecart", "malware"];
const scores = kinds.map((kind) => `${kind}_score`);

/**
 * Returns the names of an item's fields that a plan does not show. The API documentation says only that some fields depend on the
 * plan. In the simulator, pro shows where and when an item was seen; business also whether it is reported as malicious, `hash`
 * and `fetched_at`; enterprise also the scores and `versions`. A field that is not shown is absent, not null.
 */
function hidden(item: Sighting, plan: Plan, isScript: boolean): readonly string[] {
  const isPro = plan === "pro";
  return [
    ...(plan === "enterprise" ? [] : [...scores, "versions"]),
    ...(isPro ? ["domain_reported_malicious", "url_reported_malicious", "hash", "fetched_at"] : []),
    ...(isPro || !item.domain_reported_malicious ? ["malicious_domain_categories"] : []),
    ...(isPro || (isScript && !item.url_reported_malicious) ? ["malicious_url_categories"] : []),
  ];
}

function shownScript(script: ZoneScript, plan: Plan, isWhole: boolean): object {
  const ofItem = isWhole ? [] : ["versions", "page_urls"];
  return without(script, [...hidden(script, plan, true), ...ofItem]);
}

function shownConnection(connection: ZoneConnection, plan: Plan): object {
  return without(connection, [...hidden(connection, plan, false), "page_urls"]);
}

/** Returns a cookie without `status`: cookies can be filtered by it, but it is not one of their documented fields. */
function shownCookie({ status: _status, ...cookie }: ZoneCookie): object {
  return cookie;
}

function without(item: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));
}
