import { invalid } from "../wire/checks";
import { type Answer, type ApiRequest, found, ok } from "../wire/operation";
import { equal, type Filter, matching, members, Orders, paged, type Query, readBoolean } from "./list-query";
import type { Plan, Sighting, Zone, ZoneConnection, ZoneCookie, ZoneScript } from "./zone";

const defaultPerPage = 15;
const statuses = ["active", "infrequent", "inactive"];

type Filters<T> = Readonly<Record<string, Filter<T>>>;

/** The filters of each list, by the query parameter; any other parameter is refused. */
const common: Filters<Sighting | ZoneCookie> = {
  status(value, name) {
    const wanted = members(value, name);
    const unknown = wanted.find((status) => !statuses.includes(status));
    if (unknown !== undefined) throw invalid("?status", `"${unknown}" is not one of ${statuses.join(", ")}`);
    return ({ status }) => wanted.includes(status);
  },
  hosts: matching(({ host }) => [host]),
  page_url: matching((item) => [item.first_page_url, ...item.page_urls]),
};
const sightingFilters: Filters<Sighting> = {
  ...common,
  urls: matching(({ url }) => [url]),
  exclude_urls: matching(({ url }) => [url], false),
  exclude_cdn_cgi(value, name) {
    const isExcluding = readBoolean(value, name);
    return (item) => !(isExcluding && item.url_contains_cdn_cgi_path);
  },
};
const cookieFilters: Filters<ZoneCookie> = {
  ...common,
  name: matching(({ name }) => [name]),
  path: equal((cookie) => cookie.path_attribute),
  domain: equal((cookie) => cookie.domain_attribute),
  secure: equal((cookie) => cookie.secure_attribute, "true", "false"),
  http_only: equal((cookie) => cookie.http_only_attribute, "true", "false"),
  same_site: equal((cookie) => cookie.same_site_attribute, "lax", "strict", "none"),
  type: equal(({ type }) => type, "first_party", "unknown"),
};
/** Values of filters that are not given; without one it keeps all. */
const defaults: Readonly<Record<string, string>> = { status: "active", exclude_cdn_cgi: "true" };

interface Listing<T> {
  readonly itemsOf: (zone: Zone) => readonly T[];
  readonly filters: Filters<T>;
  /** Parameters besides filters and those of all lists. */
  readonly others?: readonly string[];
  readonly among?: (items: readonly T[], query: Query) => readonly T[];
  /** `isWhole`: the answer to a request for one item. */
  readonly toWire: (item: T, plan: Plan, isWhole: boolean) => unknown;
}

/** GET zones/{zone_id}/page_guard/KIND and GET zones/{zone_id}/page_guard/KIND/{item_id} */
function listing<T extends Sighting | ZoneCookie>(kind: Listing<T>) {
  const { itemsOf, filters, others = [], among = (items) => items, toWire } = kind;
  const orders = new Orders<T>();
  const filtered = (items: readonly T[], query: Query): readonly T[] => {
    const tests = Object.entries(filters).flatMap(([name, filter]) => {
      const value = query.get(name) ?? defaults[name];
      return value === undefined ? [] : [filter(value, name)];
    });
    return among(
      items.filter((item) => tests.every((isKept) => isKept(item))),
      query,
    );
  };
  return {
    parameters: [...Object.keys(filters), "page", "per_page", "order_by", "direction", ...others],
    list({ zone, query }: ApiRequest): Answer {
      const all = orders.of(itemsOf(zone), query, (items) => filtered(items, query));
      const { items, info } = paged(all, query, defaultPerPage);
      return ok(
        items.map((item) => toWire(item, zone.plan, false)),
        false,
        info,
      );
    },
    get({ zone, params }: ApiRequest): Answer {
      return ok(toWire(found(itemsOf(zone), params["item_id"], "resource"), zone.plan, true));
    },
  };
}

export const scripts = listing<ZoneScript>({
  itemsOf: (zone) => zone.scripts,
  filters: sightingFilters,
  others: ["prioritize_malicious", "exclude_duplicates"],
  among: (items, query) =>
    readBoolean(query.get("exclude_duplicates") ?? "true", "exclude_duplicates")
      ? withoutDuplicates(items)
      : items,
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

/** Same contents from the same host of the URL on the same host: only the most recent one is listed. */
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

/**
 * Which fields a plan shows. The document says only that some depend on it; the simulator's rule:
 * pro: where and when it was seen; business: also what is reported malicious, `hash` and `fetched_at`;
 * enterprise: also the scores and `versions`. A field that is not shown is absent, not null.
 */
const always = [
  ...["id", "url", "added_at", "first_seen_at", "last_seen_at", "host", "first_page_url", "status"],
  "url_contains_cdn_cgi_path",
];
const scores = ["js_integrity", "obfuscation", "dataflow", "cryptomining", "magecart", "malware"];

function reported(item: Sighting, plan: Plan, isScript: boolean): readonly string[] {
  if (plan === "pro") return [];
  return [
    ...["domain_reported_malicious", "url_reported_malicious", ...(isScript ? ["hash", "fetched_at"] : [])],
    ...(item.domain_reported_malicious ? ["malicious_domain_categories"] : []),
    ...(!isScript || item.url_reported_malicious ? ["malicious_url_categories"] : []),
  ];
}

function shownScript(script: ZoneScript, plan: Plan, isWhole: boolean): object {
  const ofPlan =
    plan === "enterprise" ? [...scores.map((name) => `${name}_score`), ...(isWhole ? ["versions"] : [])] : [];
  return only(script, [
    ...always,
    ...reported(script, plan, true),
    ...ofPlan,
    ...(isWhole ? ["page_urls"] : []),
  ]);
}

function shownConnection(connection: ZoneConnection, plan: Plan): object {
  return only(connection, [...always, ...reported(connection, plan, false)]);
}

/** The list of statuses is a filter of cookies, but `status` is not one of their documented fields. */
function shownCookie({ status: _status, ...cookie }: ZoneCookie): object {
  return cookie;
}

function only(item: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}
