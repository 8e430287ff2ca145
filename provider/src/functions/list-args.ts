import type { ItemStatus, ListQuery } from "../api/client-types";
import type { CallOptions, ZoneArgs } from "./call";
import type { Rules } from "./check-args";
import { zoneRules } from "./check-args";

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

/** The arguments as the client takes them: what filters apart from what limits. */
export function splitListArgs(
  { zoneId, connection: _connection, limit, ...query }: ListArgs,
  { onWarning }: CallOptions = {},
): { zoneId: string; query: ListQuery; options: { limit?: number; onWarning?: (message: string) => void } } {
  return {
    zoneId,
    query,
    options: { ...(limit !== undefined && { limit }), ...(onWarning !== undefined && { onWarning }) },
  };
}
