import { isApiError } from "../../errors/api-error";
import type { Connection, ListKinds, ListQuery, Script } from "../client-types";
import type { PageGuardClient } from "../create-client";

/** Scripts and connections that a zone's pages load. */
export interface ItemsInUse {
  readonly scripts: readonly Script[];
  readonly connections: readonly Connection[];
  /** The service refused the filters, so duplicates and URLs of `/cdn-cgi/` are missing. */
  readonly isPartial: boolean;
}

/** Filters that include the items which the lists omit by default although browsers load them. */
const withHidden = {
  scripts: { excludeDuplicates: false, excludeCdnCgi: false },
  connections: { excludeCdnCgi: false },
} as const;

/** The note where `isPartial`. */
export const partialItems =
  "the service does not support exclude_duplicates and exclude_cdn_cgi, so scripts of the same content under another URL, and URLs with /cdn-cgi/, are missing";

/**
 * All scripts and connections in use, also those that the lists hide by default: a script of the same content under
 * another URL, and whatever is below `/cdn-cgi/`. A service that refuses these filters is asked again without them.
 * `status: "all"` adds those that were not seen for days but are still listed.
 */
export async function itemsInUse(
  client: Pick<PageGuardClient, "listAll">,
  zoneId: string,
  filters: ListQuery = {},
): Promise<ItemsInUse> {
  const query = { status: ["active", "infrequent"], ...filters };
  const [scripts, connections] = await Promise.all([
    withHiddenOnes(client, "scripts", zoneId, query),
    withHiddenOnes(client, "connections", zoneId, query),
  ]);
  return {
    scripts: scripts.items,
    connections: connections.items,
    isPartial: scripts.isPartial || connections.isPartial,
  };
}

/** The items of one list, as in `itemsInUse`. */
export async function withHiddenOnes<K extends keyof typeof withHidden>(
  client: Pick<PageGuardClient, "listAll">,
  kind: K,
  zoneId: string,
  query: ListQuery,
): Promise<{ items: readonly ListKinds[K][]; isPartial: boolean }> {
  try {
    const items = await client.listAll(kind, zoneId, { ...query, ...withHidden[kind] });
    return { items, isPartial: false };
  } catch (error) {
    if (!isApiError(error, "PG_REFUSED") || error.facts.httpStatus !== 400) throw error;
    return { items: await client.listAll(kind, zoneId, query), isPartial: true };
  }
}
