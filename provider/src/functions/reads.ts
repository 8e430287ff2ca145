import { isMalicious as isItemMalicious } from "page-guard-csp";
import type {
  Connection,
  DetectedItem,
  Entrypoint,
  ItemStatus,
  ListKinds,
  ReadOptions,
  Script,
} from "../api/client-types";
import type { PageGuardClient } from "../api/create-client";
import {
  type CallOptions,
  call,
  checkArgs,
  createCallClient,
  liftToOutput,
  type Rules,
  type ZoneArgs,
  zoneRules,
} from "./call";

/**
 * Arguments of all three lists. If a filter has several values, one of them has to match. A `*` at the start or end of a value
 * matches anything.
 */
interface ListArgs extends ZoneArgs, Pick<ReadOptions, "limit" | "perPage"> {
  /** Default: active items only, as in the service. `all`: also infrequent and inactive ones. */
  readonly status?: "all" | ItemStatus | readonly ItemStatus[] | undefined;
  /** Host names that the items were seen on. */
  readonly hosts?: string | readonly string[] | undefined;
  /** URL of a page that the items were seen on. */
  readonly pageUrl?: string | readonly string[] | undefined;
  readonly orderBy?: "first_seen_at" | "last_seen_at" | undefined;
  readonly direction?: "asc" | "desc" | undefined;
}

/** Further arguments of the lists of scripts and connections. */
interface UrlListArgs extends ListArgs {
  readonly urls?: string | readonly string[] | undefined;
  readonly excludeUrls?: string | readonly string[] | undefined;
  /** Lists malicious items first. */
  readonly prioritizeMalicious?: boolean | undefined;
  /**
   * Leaves out URLs with `/cdn-cgi/`, although pages load them too. Defaults to true, as in the service. Pass false if a policy is built
   * from the list or checked against it.
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

/** Creates a read function that checks its arguments and calls `ask`. `rules`: arguments besides `zoneId` and `connection`. */
function makeRead<Args extends ZoneArgs, Result>(
  ask: (client: PageGuardClient, args: Args) => Promise<Result>,
  rules: Rules = {},
): (args: Args, opts?: CallOptions) => Promise<Result> {
  return (args, opts) => call(args, { ...zoneRules, ...rules }, opts, (client) => ask(client, args));
}

/**
 * Returns two functions: `all` returns a whole list, `iterate` yields its items one by one. The service applies the filters,
 * except for `limit`.
 */
function makeListRead<Args extends ListArgs, K extends keyof ListKinds>(kind: K, rules: Rules) {
  type Item = ListKinds[K];
  const split = (
    { zoneId: _, connection: __, limit, perPage, ...query }: ListArgs,
    { onWarning }: CallOptions = {},
  ) => [query, { limit, perPage, onWarning }] as const;
  const all = (args: Args, opts?: CallOptions): Promise<readonly Item[]> =>
    call(args, rules, opts, (client) => client.listAll(kind, args.zoneId, ...split(args, opts)));
  /** Does nothing until the first item is requested. Then checks the arguments and sends requests. */
  async function* iterate(args: Args, opts?: CallOptions): AsyncGenerator<Item, void, undefined> {
    checkArgs(args, rules);
    yield* createCallClient(args, opts).iterate(kind, args.zoneId, ...split(args, opts));
  }
  return { all, iterate };
}

/** Filters of the list. Only `zoneId` is required. */
export interface GetScriptsArgs extends UrlListArgs {
  /**
   * Lists scripts with the same content only once, whatever their URLs. Defaults to true, as in the service. Pass false if a policy is
   * built from the list or checked against it: browsers load each of the URLs.
   */
  readonly excludeDuplicates?: boolean | undefined;
}

const scripts = makeListRead<GetScriptsArgs, "scripts">("scripts", {
  ...urlListRules,
  excludeDuplicates: "boolean",
});

/**
 * Returns the scripts of a zone, from all result pages of the list. Reads the first page first, and the others in parallel
 * within the rate limit. A script that moves to another result page while the list is read is returned only once. If the list
 * keeps changing, `onWarning` says that the newest items may be missing. Fields that the plan does not include are absent. By
 * default the service leaves out inactive and infrequent scripts, duplicates, and URLs with `/cdn-cgi/`.
 *
 * @example
 * ```ts
 * const scripts = await getScripts({ zoneId, status: "all", hosts: ["shop.example.com"] });
 * const malicious = scripts.filter((script) => isMalicious(script));
 * ```
 *
 * @throws InputError (`PG_INPUT`) for an argument that cannot be used; ApiError if a request fails.
 */
export const getScripts = scripts.all;

/** Like `getScripts`, but accepts outputs as arguments. */
export const getScriptsOutput = liftToOutput(getScripts);

/**
 * Like `getScripts`, but yields one item at a time, so that a very large zone fits into memory. Sends no request before the first
 * item is requested.
 */
export const iterateScripts = scripts.iterate;

export interface GetScriptArgs extends ZoneArgs {
  /** The `id` of an item of the list. */
  readonly scriptId: string;
}

/**
 * One script, with its versions and the pages that it was seen on.
 *
 * @throws ItemGoneError (`PG_ITEM_GONE`) if the service does not know this id, or last saw the item too long ago.
 */
export const getScript = makeRead(
  (client, { zoneId, scriptId }: GetScriptArgs) => client.getItem("scripts", zoneId, scriptId),
  { scriptId: "id" },
);

/** Like `getScript`, but accepts outputs as arguments. */
export const getScriptOutput = liftToOutput(getScript);

/** Filters of the list. Only `zoneId` is required. */
export type GetConnectionsArgs = UrlListArgs;

const connections = makeListRead<GetConnectionsArgs, "connections">("connections", urlListRules);

/**
 * Returns the outbound connections of a zone. Paging and defaults are as in `getScripts`.
 *
 * @example
 * ```ts
 * const connections = await getConnections({ zoneId, excludeUrls: "*.shop.example.com*" });
 * export const hosts = [...new Set(connections.map(({ url }) => new URL(url).host))];
 * ```
 */
export const getConnections = connections.all;

/** Like `getConnections`, but accepts outputs as arguments. */
export const getConnectionsOutput = liftToOutput(getConnections);

/** Like `getConnections`, but yields one item at a time. See `iterateScripts`. */
export const iterateConnections = connections.iterate;

export interface GetConnectionArgs extends ZoneArgs {
  /** The `id` of an item of the list. */
  readonly connectionId: string;
}

/**
 * One outbound connection.
 *
 * @throws ItemGoneError (`PG_ITEM_GONE`) if the service does not know this id, or last saw the item too long ago.
 */
export const getConnection = makeRead(
  (client, { zoneId, connectionId }: GetConnectionArgs) =>
    client.getItem("connections", zoneId, connectionId),
  { connectionId: "id" },
);

/** Like `getConnection`, but accepts outputs as arguments. */
export const getConnectionOutput = liftToOutput(getConnection);

/** Filters of the list. Only `zoneId` is required. */
export interface GetCookiesArgs extends ListArgs {
  readonly name?: string | readonly string[] | undefined;
  readonly path?: string | undefined;
  readonly domain?: string | undefined;
  readonly secure?: boolean | undefined;
  readonly httpOnly?: boolean | undefined;
  readonly sameSite?: "lax" | "strict" | "none" | undefined;
  readonly type?: "first_party" | "unknown" | undefined;
}

const cookies = makeListRead<GetCookiesArgs, "cookies">("cookies", {
  ...listRules,
  name: "texts",
  path: "text",
  domain: "text",
  secure: "boolean",
  httpOnly: "boolean",
  sameSite: ["lax", "strict", "none"],
  type: ["first_party", "unknown"],
});

/**
 * Returns the cookies of a zone. Paging and defaults are as in `getScripts`.
 *
 * @example
 * ```ts
 * const unprotected = await getCookies({ zoneId, type: "first_party", httpOnly: false });
 * ```
 */
export const getCookies = cookies.all;

/** Like `getCookies`, but accepts outputs as arguments. */
export const getCookiesOutput = liftToOutput(getCookies);

/** Like `getCookies`, but yields one item at a time. See `iterateScripts`. */
export const iterateCookies = cookies.iterate;

export interface GetCookieArgs extends ZoneArgs {
  /** The `id` of an item of the list. */
  readonly cookieId: string;
}

/**
 * One cookie.
 *
 * @throws ItemGoneError (`PG_ITEM_GONE`) if the service does not know this id, or last saw the item too long ago.
 */
export const getCookie = makeRead(
  (client, { zoneId, cookieId }: GetCookieArgs) => client.getItem("cookies", zoneId, cookieId),
  { cookieId: "id" },
);

/** Like `getCookie`, but accepts outputs as arguments. */
export const getCookieOutput = liftToOutput(getCookie);

/**
 * The settings of Page Guard in a zone: whether it is on, and how it reports.
 *
 * @example
 * ```ts
 * const { enabled, updatedAt } = await getSettings({ zoneId });
 * ```
 */
export const getSettings = makeRead((client, { zoneId }: ZoneArgs) => client.getSettings(zoneId));

/** Like `getSettings`, but accepts outputs as arguments. */
export const getSettingsOutput = liftToOutput(getSettings);

export interface GetPolicyArgs extends ZoneArgs {
  /** The id of the policy: the output `policyId` of a `CspPolicy`. */
  readonly policyId: string;
}

/**
 * All CSP policies of a zone, no matter who created them.
 *
 * @example
 * ```ts
 * const policies = await getPolicies({ zoneId });
 * export const blocking = policies.filter(({ action, enabled }) => enabled && action === "allow").length;
 * ```
 */
export const getPolicies = makeRead((client, { zoneId }: ZoneArgs) => client.listPolicies(zoneId));

/** Like `getPolicies`, but accepts outputs as arguments. */
export const getPoliciesOutput = liftToOutput(getPolicies);

/** One CSP policy. Rejects with NotFoundError (`PG_NOT_FOUND`) if no policy has this id. */
export const getPolicy = makeRead(
  (client, { zoneId, policyId }: GetPolicyArgs) => client.getPolicy(zoneId, policyId),
  { policyId: "id" },
);

/** Like `getPolicy`, but accepts outputs as arguments. */
export const getPolicyOutput = liftToOutput(getPolicy);

/**
 * Whether a zone can be migrated to the new WAF Managed Rules.
 *
 * @example
 * ```ts
 * const { compatible } = await getWafCompatibility({ zoneId });
 * const { rules } = await getWafConfiguration({ zoneId });
 * export const plan = compatible ? rules.map(({ description }) => description) : [];
 * ```
 */
export const getWafCompatibility = makeRead((client, { zoneId }: ZoneArgs) =>
  client.getCompatibility(zoneId),
);

/** Like `getWafCompatibility`, but accepts outputs as arguments. */
export const getWafCompatibilityOutput = liftToOutput(getWafCompatibility);

/** The configuration for the new WAF that is equivalent to the zone's current configuration of the previous WAF. */
export const getWafConfiguration = makeRead((client, { zoneId }: ZoneArgs) =>
  client.getWafConfiguration(zoneId),
);

/** Like `getWafConfiguration`, but accepts outputs as arguments. */
export const getWafConfigurationOutput = liftToOutput(getWafConfiguration);

/**
 * Reads which WAF is active: the previous one, the new one, or both. The service does not document the fields of its response:
 * `record` contains the response, and the other fields interpret it.
 */
export const getWafStatus = makeRead((client, { zoneId }: ZoneArgs) => client.getWafStatus(zoneId));

/** Like `getWafStatus`, but accepts outputs as arguments. */
export const getWafStatusOutput = liftToOutput(getWafStatus);

/**
 * The rules of a zone's managed WAF. If the managed WAF was never configured, the list is empty and `rulesetId` is absent.
 *
 * @example
 * ```ts
 * const { rules } = await getEntrypoint({ zoneId });
 * export const managed = rules.filter(({ action }) => action === "execute").length;
 * ```
 */
export const getEntrypoint = makeRead(
  async (client, { zoneId }: ZoneArgs): Promise<Entrypoint> =>
    (await client.getEntrypoint(zoneId)) ?? { rules: [] },
);

/** Like `getEntrypoint`, but accepts outputs as arguments. */
export const getEntrypointOutput = liftToOutput(getEntrypoint);

export interface MaliciousOptions {
  /**
   * A script whose `jsIntegrityScore` is below this number counts as malicious. Default: 50, as in the Page Guard API document
   * (newer public documents say 10).
   */
  readonly threshold?: number | undefined;
}

/**
 * Whether a script or connection is malicious: its domain or URL was reported, or its integrity score is below the threshold.
 * `undefined` means unknown, not "no": nothing was reported, and there is no score. Connections never have a score, and some
 * plans include none.
 *
 * @example
 * ```ts
 * const scripts = await getScripts({ zoneId, status: "all" });
 * export const found = scripts.filter((script) => isMalicious(script)).map(({ url }) => url);
 * ```
 */
export function isMalicious(
  item: Script | Connection,
  { threshold }: MaliciousOptions = {},
): boolean | undefined {
  return isItemMalicious(item, threshold);
}

/** Returns the categories of the domain and of the URL in one sorted list without duplicates, as the dashboard does. */
export function maliciousCategories(item: DetectedItem): readonly string[] {
  const categories = [...(item.maliciousDomainCategories ?? []), ...(item.maliciousUrlCategories ?? [])];
  return [...new Set(categories)].sort();
}
