import { invalid } from "../wire/checks";
import { type Answer, type ApiRequest, found, ok, page } from "../wire/operation";
import {
  equal,
  type Filter,
  filtered,
  matching,
  members,
  Orders,
  paged,
  type Query,
  readBoolean,
  readOneOf,
} from "./list-query";
import type { Plan, Sighting, Zone, ZoneConnection, ZoneCookie, ZoneScript } from "./zone";

const defaultPerPage = 15;
const statuses = ["active", "infrequent", "inactive"];

type Filters<T> = Readonly<Record<string, Filter<T>>>;

/** The filters of each list, by the query parameter; any other parameter is refused. */
const common: Filters<Sighting | ZoneCookie> = {
  status: {
    otherwise: "active",
    keeps(value, name) {
      const wanted = members(value, name);
      const unknown = wanted.find((status) => !statuses.includes(status));
      if (unknown !== undefined)
        throw invalid("?status", `"${unknown}" is not one of ${statuses.join(", ")}`);
      return ({ status }) => wanted.includes(status);
    },
  },
  hosts: matching(({ host }) => [host]),
  page_url: matching((item) => [item.first_page_url, ...item.page_urls]),
};
const sightingFilters: Filters<Sighting> = {
  ...common,
  urls: matching(({ url }) => [url]),
  exclude_urls: matching(({ url }) => [url], false),
  exclude_cdn_cgi: {
    otherwise: "true",
    keeps(value, name) {
      const isExcluding = readBoolean(value, name);
      return (item) => !(isExcluding && item.url_contains_cdn_cgi_path);
    },
  },
};
const cookieFilters: Filters<ZoneCookie> = {
  ...common,
  name: matching(({ name }) => [name]),
  path: equal((cookie) => cookie.path_attribute),
  domain: equal((cookie) => cookie.domain_attribute),
  secure: equal((cookie) => cookie.secure_attribute, readBoolean),
  http_only: equal((cookie) => cookie.http_only_attribute, readBoolean),
  same_site: equal((cookie) => cookie.same_site_attribute, readOneOf("lax", "strict", "none")),
  type: equal(({ type }) => type, readOneOf("first_party", "unknown")),
};

const ofAll = ["page", "per_page", "order_by", "direction"];

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
  return {
    parameters: [...Object.keys(filters), ...ofAll, ...others],
    list({ zone, query }: ApiRequest): Answer {
      const all = orders.of(itemsOf(zone), query, (items) => among(filtered(items, query, filters), query));
      const { items, info } = paged(all, query, defaultPerPage);
      return page(
        items.map((item) => toWire(item, zone.plan, false)),
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
    const key = script.hash === null ? script.id : `${script.hash} ${hostOf(script.url)} ${script.host}`;
    const other = newest.get(key);
    if (other === undefined || other.last_seen_at < script.last_seen_at) newest.set(key, script);
  }
  return [...newest.values()];
}

function hostOf(url: string): string {
  return url.split("/", 3)[2] ?? url;
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
const reported = ["domain_reported_malicious", "url_reported_malicious"];
const scores = [
  ...["js_integrity_score", "obfuscation_score", "dataflow_score", "cryptomining_score", "magecart_score"],
  "malware_score",
];

function shownScript(script: ZoneScript, plan: Plan, isWhole: boolean): object {
  const ofBusiness = [
    ...[...reported, "hash", "fetched_at"],
    ...(script.domain_reported_malicious ? ["malicious_domain_categories"] : []),
    ...(script.url_reported_malicious ? ["malicious_url_categories"] : []),
  ];
  return only(script, [
    ...always,
    ...(plan === "pro" ? [] : ofBusiness),
    ...(plan === "enterprise" ? [...scores, ...(isWhole ? ["versions"] : [])] : []),
    ...(isWhole ? ["page_urls"] : []),
  ]);
}

function shownConnection(connection: ZoneConnection, plan: Plan): object {
  const ofBusiness = [
    ...[...reported, "malicious_url_categories"],
    ...(connection.domain_reported_malicious ? ["malicious_domain_categories"] : []),
  ];
  return only(connection, [...always, ...(plan === "pro" ? [] : ofBusiness)]);
}

/** The list of statuses is a filter of cookies, but `status` is not one of their documented fields. */
function shownCookie({ status: _status, ...cookie }: ZoneCookie): object {
  return cookie;
}

function only(item: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}
