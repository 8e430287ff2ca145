import type { ItemStatus, ListKinds, ListQuery } from "../api/client-types";
import { type CallOptions, call, clientFor, type ZoneArgs } from "./call";
import { checkArgs, type Rules, zoneRules } from "./check-args";

/** What all three lists take. Lists of texts: any of them; `*` at the ends stands for anything. */
export interface ListArgs extends ZoneArgs {
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
export interface UrlListArgs extends ListArgs {
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

export const listRules: Rules = {
  ...zoneRules,
  status: "texts",
  hosts: "texts",
  pageUrl: "texts",
  orderBy: ["first_seen_at", "last_seen_at"],
  direction: ["asc", "desc"],
  limit: "count",
  perPage: "perPage",
};

export const urlListRules: Rules = {
  ...listRules,
  urls: "texts",
  excludeUrls: "texts",
  prioritizeMalicious: "boolean",
  excludeCdnCgi: "boolean",
};

/** All items of a list. What filters goes to the service; what limits stays here. */
export function listItems<K extends keyof ListKinds>(
  kind: K,
  rules: Rules,
  args: ListArgs,
  opts?: CallOptions,
): Promise<readonly ListKinds[K][]> {
  const { query, options } = split(args, opts);
  return call(args, rules, opts, (client) => client.listAll(kind, args.zoneId, query, options));
}

/** One after the other. Nothing is checked or asked before the first item is. */
export async function* iterateItems<K extends keyof ListKinds>(
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
