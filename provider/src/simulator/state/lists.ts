import { type Answer, codes, ok, page, Refusal } from "../wire/envelope";
import { invalid } from "../wire/fields";
import { readPaging, slice } from "../wire/paging";
import type { ApiRequest } from "../wire/request";
import { matchesAny, oneOf, readBoolean, readList } from "./list-filters";
import { Orders } from "./list-order";
import { shownConnection, shownCookie, shownScript } from "./shown-items";
import type { Plan, Sighting, Zone, ZoneConnection, ZoneCookie, ZoneScript } from "./zone";

type Query = ReadonlyMap<string, string>;

const defaultPerPage = 15;
const statuses = ["active", "infrequent", "inactive"];

/** Query parameters that each list takes; any other one is refused. */
const common = ["hosts", "page_url", "status", "page", "per_page", "order_by", "direction"];
const urlFilters = ["urls", "exclude_urls", "prioritize_malicious", "exclude_cdn_cgi"];
export const scriptParameters = [...common, ...urlFilters, "exclude_duplicates"];
export const connectionParameters = [...common, ...urlFilters];
export const cookieParameters = [
  ...common,
  ...["name", "path", "domain", "secure", "http_only", "same_site", "type"],
];

interface Listing<T> {
  readonly itemsOf: (zone: Zone) => readonly T[];
  readonly filter: (query: Query) => (items: readonly T[]) => readonly T[];
  /** `isWhole`: the answer to a request for one item. */
  readonly shown: (item: T, plan: Plan, isWhole: boolean) => unknown;
}

/** GET zones/{zone_id}/page_guard/KIND and GET zones/{zone_id}/page_guard/KIND/{item_id} */
function listing<T extends Sighting | ZoneCookie>({ itemsOf, filter, shown }: Listing<T>) {
  const orders = new Orders<T>();
  return {
    list({ zone, query }: ApiRequest): Answer {
      const all = orders.of(itemsOf(zone), query, filter(query));
      const { items, info } = slice(all, readPaging(query, defaultPerPage));
      return page(
        items.map((item) => shown(item, zone.plan, false)),
        info,
      );
    },
    get({ zone, params }: ApiRequest): Answer {
      return ok(shown(byId(itemsOf(zone), params["item_id"]), zone.plan, true));
    },
  };
}

export const scripts = listing<ZoneScript>({
  itemsOf: (zone) => zone.scripts,
  filter: (query) => {
    const isFound = both(sightingFilter(query), commonFilter(query));
    const isUnique = readBoolean(query, "exclude_duplicates", true);
    return (all) => {
      const found = all.filter(isFound);
      return isUnique ? withoutDuplicates(found) : found;
    };
  },
  shown: shownScript,
});

export const connections = listing<ZoneConnection>({
  itemsOf: (zone) => zone.connections,
  filter: (query) => {
    const isFound = both(sightingFilter(query), commonFilter(query));
    return (all) => all.filter(isFound);
  },
  shown: shownConnection,
});

export const cookies = listing<ZoneCookie>({
  itemsOf: (zone) => zone.cookies,
  filter: (query) => {
    const isFound = both(cookieFilter(query), commonFilter(query));
    return (all) => all.filter(isFound);
  },
  shown: shownCookie,
});

function byId<T extends { id: string }>(items: readonly T[], id: string | undefined): T {
  const found = items.find((item) => item.id === id);
  if (found === undefined) throw new Refusal(404, codes.notFound, "resource not found");
  return found;
}

function commonFilter(query: Query): (item: Sighting | ZoneCookie) => boolean {
  const wanted = readList(query, "status") ?? ["active"];
  const unknown = wanted.find((status) => !statuses.includes(status));
  if (unknown !== undefined) throw invalid("?status", `"${unknown}" is not one of ${statuses.join(", ")}`);
  const hosts = matchesAny(query, "hosts");
  const pages = matchesAny(query, "page_url");
  return (item) =>
    wanted.includes(item.status) &&
    (hosts === undefined || hosts(item.host)) &&
    (pages === undefined || [item.first_page_url, ...item.page_urls].some(pages));
}

function sightingFilter(query: Query): (item: Sighting) => boolean {
  const urls = matchesAny(query, "urls");
  const excluded = matchesAny(query, "exclude_urls");
  const withoutCdn = readBoolean(query, "exclude_cdn_cgi", true);
  return (item) =>
    (urls === undefined || urls(item.url)) &&
    (excluded === undefined || !excluded(item.url)) &&
    !(withoutCdn && item.url_contains_cdn_cgi_path);
}

function cookieFilter(query: Query): (item: ZoneCookie) => boolean {
  const names = matchesAny(query, "name");
  const secure = query.has("secure") ? readBoolean(query, "secure", false) : undefined;
  const httpOnly = query.has("http_only") ? readBoolean(query, "http_only", false) : undefined;
  const sameSite = query.has("same_site") ? oneOf(query, "same_site", ["lax", "strict", "none"]) : undefined;
  const type = query.has("type") ? oneOf(query, "type", ["first_party", "unknown"]) : undefined;
  return (item) =>
    (names === undefined || names(item.name)) &&
    (!query.has("path") || item.path_attribute === query.get("path")) &&
    (!query.has("domain") || item.domain_attribute === query.get("domain")) &&
    (secure === undefined || item.secure_attribute === secure) &&
    (httpOnly === undefined || item.http_only_attribute === httpOnly) &&
    (sameSite === undefined || item.same_site_attribute === sameSite) &&
    (type === undefined || item.type === type);
}

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

function both<A>(left: (item: A) => boolean, right: (item: A) => boolean): (item: A) => boolean {
  return (item) => left(item) && right(item);
}
