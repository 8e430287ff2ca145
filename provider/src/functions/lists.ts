import type { Connection, Cookie, ItemStatus, ListKinds, ListQuery, Script } from "../api/client-types";
import {
  type CallOptions,
  call,
  checkArgs,
  clientFor,
  outputOf,
  type Rules,
  type ZoneArgs,
  zoneRules,
} from "./call";

/** What all three lists take. Lists of texts: any of them; `*` at the ends stands for anything. */
interface ListArgs extends ZoneArgs {
  /** Default: active items only, as the service does. `all`: also infrequent and inactive ones. */
  readonly status?: "all" | ItemStatus | readonly ItemStatus[] | undefined;
  /** Host names that the items were seen on. */
  readonly hosts?: string | readonly string[] | undefined;
  /** URL of a page that the items were seen on. */
  readonly pageUrl?: string | readonly string[] | undefined;
  readonly orderBy?: "first_seen_at" | "last_seen_at" | undefined;
  readonly direction?: "asc" | "desc" | undefined;
  /** Stops after so many items and asks for no page more than that needs. Default: all of them. */
  readonly limit?: number | undefined;
  /** Items a request, 1 to 100 (default). */
  readonly perPage?: number | undefined;
}

/** What scripts and connections take besides. */
interface UrlListArgs extends ListArgs {
  readonly urls?: string | readonly string[] | undefined;
  readonly excludeUrls?: string | readonly string[] | undefined;
  /** Malicious items first. */
  readonly prioritizeMalicious?: boolean | undefined;
  /**
   * Leave out URLs with `/cdn-cgi/`, which pages load all the same. The service's default: true. Give false for what a
   * policy is made of or judged by.
   */
  readonly excludeCdnCgi?: boolean | undefined;
}

const listRules: Rules = {
  ...zoneRules,
  status: "texts",
  hosts: "texts",
  pageUrl: "texts",
  orderBy: ["first_seen_at", "last_seen_at"],
  direction: ["asc", "desc"],
  limit: "count",
  perPage: "perPage",
};

const urlListRules: Rules = {
  ...listRules,
  urls: "texts",
  excludeUrls: "texts",
  prioritizeMalicious: "boolean",
  excludeCdnCgi: "boolean",
};

/** All items of a list. What filters goes to the service; what limits stays here. */
function listItems<K extends keyof ListKinds>(
  kind: K,
  rules: Rules,
  args: ListArgs,
  opts?: CallOptions,
): Promise<readonly ListKinds[K][]> {
  const { query, options } = split(args, opts);
  return call(args, rules, opts, (client) => client.listAll(kind, args.zoneId, query, options));
}

/** One after the other. Nothing is checked or asked before the first item is. */
async function* iterateItems<K extends keyof ListKinds>(
  kind: K,
  rules: Rules,
  args: ListArgs,
  opts?: CallOptions,
): AsyncGenerator<ListKinds[K], void, undefined> {
  checkArgs(args, rules);
  const { query, options } = split(args, opts);
  yield* clientFor(args, opts).iterate(kind, args.zoneId, query, options);
}

function split(
  { zoneId: _, connection: __, limit, ...query }: ListArgs,
  { onWarning }: CallOptions = {},
): { query: ListQuery; options: { limit?: number; onWarning?: (message: string) => void } } {
  return { query, options: { ...(limit !== undefined && { limit }), ...(onWarning && { onWarning }) } };
}

/** Filters of the list; `zoneId` is all that is needed. */
export interface GetScriptsArgs extends UrlListArgs {
  /**
   * One entry for scripts of the same content, whatever their URLs. The service's default: true. Give false for what a
   * policy is made of or judged by: browsers load each of the URLs.
   */
  readonly excludeDuplicates?: boolean | undefined;
}

export interface GetScriptArgs extends ZoneArgs {
  /** The `id` of an item of the list. */
  readonly scriptId: string;
}

const scriptsRules: Rules = { ...urlListRules, excludeDuplicates: "boolean" };
const scriptRules: Rules = { ...zoneRules, scriptId: "id" };

/**
 * The scripts of a zone: all pages, the first one first and then the rest in parallel within the rate limit. An item that
 * moves while they are read is neither lost nor doubled. Fields that the plan does not have are absent. As the service
 * does, it leaves out inactive and infrequent ones, copies, and URLs with `/cdn-cgi/` unless they are asked for.
 *
 * @example
 * ```ts
 * const scripts = await getScripts({ zoneId, status: "all", hosts: ["shop.example.com"] });
 * const malicious = scripts.filter((script) => isMalicious(script));
 * ```
 *
 * @throws InputError (`PG_INPUT`) for an argument that cannot be used; ApiError otherwise.
 */
export function getScripts(args: GetScriptsArgs, opts?: CallOptions): Promise<readonly Script[]> {
  return listItems("scripts", scriptsRules, args, opts);
}

/** As `getScripts`, with arguments that may be outputs. */
export const getScriptsOutput = outputOf(getScripts);

/** As `getScripts`, one item after the other: for zones too large for one list. Nothing is asked before the first item is. */
export function iterateScripts(
  args: GetScriptsArgs,
  opts?: CallOptions,
): AsyncGenerator<Script, void, undefined> {
  return iterateItems("scripts", scriptsRules, args, opts);
}

/**
 * One script with the pages that it was seen on and its versions.
 *
 * @throws ItemGoneError (`PG_ITEM_GONE`) when it is unknown or was not seen for too long.
 */
export function getScript(args: GetScriptArgs, opts?: CallOptions): Promise<Script> {
  return call(args, scriptRules, opts, (client) => client.getItem("scripts", args.zoneId, args.scriptId));
}

/** As `getScript`, with arguments that may be outputs. */
export const getScriptOutput = outputOf(getScript);

/** Filters of the list; `zoneId` is all that is needed. */
export type GetConnectionsArgs = UrlListArgs;

export interface GetConnectionArgs extends ZoneArgs {
  /** The `id` of an item of the list. */
  readonly connectionId: string;
}

const connectionRules: Rules = { ...zoneRules, connectionId: "id" };

/**
 * The outbound connections of a zone: all pages, the first one first and then the rest in parallel within the rate limit. An item that
 * moves while they are read is neither lost nor doubled. Fields that the plan does not have are absent.
 *
 * @example
 * ```ts
 * const connections = await getConnections({ zoneId, excludeUrls: "*.shop.example.com*" });
 * export const hosts = [...new Set(connections.map(({ url }) => new URL(url).host))];
 * ```
 *
 * @throws InputError (`PG_INPUT`) for an argument that cannot be used; ApiError otherwise.
 */
export function getConnections(args: GetConnectionsArgs, opts?: CallOptions): Promise<readonly Connection[]> {
  return listItems("connections", urlListRules, args, opts);
}

/** As `getConnections`, with arguments that may be outputs. */
export const getConnectionsOutput = outputOf(getConnections);

/** As `getConnections`, one item after the other: for zones too large for one list. Nothing is asked before the first item is. */
export function iterateConnections(
  args: GetConnectionsArgs,
  opts?: CallOptions,
): AsyncGenerator<Connection, void, undefined> {
  return iterateItems("connections", urlListRules, args, opts);
}

/**
 * One outbound connection.
 *
 * @throws ItemGoneError (`PG_ITEM_GONE`) when it is unknown or was not seen for too long.
 */
export function getConnection(args: GetConnectionArgs, opts?: CallOptions): Promise<Connection> {
  return call(args, connectionRules, opts, (client) =>
    client.getItem("connections", args.zoneId, args.connectionId),
  );
}

/** As `getConnection`, with arguments that may be outputs. */
export const getConnectionOutput = outputOf(getConnection);

/** Filters of the list; `zoneId` is all that is needed. */
export interface GetCookiesArgs extends ListArgs {
  readonly name?: string | readonly string[] | undefined;
  readonly path?: string | undefined;
  readonly domain?: string | undefined;
  readonly secure?: boolean | undefined;
  readonly httpOnly?: boolean | undefined;
  readonly sameSite?: "lax" | "strict" | "none" | undefined;
  readonly type?: "first_party" | "unknown" | undefined;
}

export interface GetCookieArgs extends ZoneArgs {
  /** The `id` of an item of the list. */
  readonly cookieId: string;
}

const cookiesRules: Rules = {
  ...listRules,
  name: "texts",
  path: "text",
  domain: "text",
  secure: "boolean",
  httpOnly: "boolean",
  sameSite: ["lax", "strict", "none"],
  type: ["first_party", "unknown"],
};
const cookieRules: Rules = { ...zoneRules, cookieId: "id" };

/**
 * The cookies of a zone: all pages, the first one first and then the rest in parallel within the rate limit. An item that
 * moves while they are read is neither lost nor doubled. Fields that the plan does not have are absent.
 *
 * @example
 * ```ts
 * const unprotected = await getCookies({ zoneId, type: "first_party", httpOnly: false });
 * ```
 *
 * @throws InputError (`PG_INPUT`) for an argument that cannot be used; ApiError otherwise.
 */
export function getCookies(args: GetCookiesArgs, opts?: CallOptions): Promise<readonly Cookie[]> {
  return listItems("cookies", cookiesRules, args, opts);
}

/** As `getCookies`, with arguments that may be outputs. */
export const getCookiesOutput = outputOf(getCookies);

/** As `getCookies`, one item after the other: for zones too large for one list. Nothing is asked before the first item is. */
export function iterateCookies(
  args: GetCookiesArgs,
  opts?: CallOptions,
): AsyncGenerator<Cookie, void, undefined> {
  return iterateItems("cookies", cookiesRules, args, opts);
}

/**
 * One cookie.
 *
 * @throws ItemGoneError (`PG_ITEM_GONE`) when it is unknown or was not seen for too long.
 */
export function getCookie(args: GetCookieArgs, opts?: CallOptions): Promise<Cookie> {
  return call(args, cookieRules, opts, (client) => client.getItem("cookies", args.zoneId, args.cookieId));
}

/** As `getCookie`, with arguments that may be outputs. */
export const getCookieOutput = outputOf(getCookie);
