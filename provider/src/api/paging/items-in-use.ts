import { isApiError } from "../../errors/api-error";
import type { Connection, ListKinds, ListQuery, Script } from "../client-types";
import type { PageGuardClient } from "../create-client";

export interface ItemsInUse {
  readonly scripts: readonly Script[];
  readonly connections: readonly Connection[];
  /** Whether duplicates and URLs with `/cdn-cgi/` are missing, because the service refused the filters. */
  readonly isPartial: boolean;
}

/** Filters that add the hidden items: the lists omit these items by default, although browsers load them. */
const withHidden = {
  scripts: { excludeDuplicates: false, excludeCdnCgi: false },
  connections: { excludeCdnCgi: false },
} as const;

export const partialItems =
  "the service always leaves out URLs with /cdn-cgi/, and scripts whose content it lists under another URL, because its API does not support exclude_cdn_cgi and exclude_duplicates";

/**
 * Returns all scripts and connections in use, including items that the lists hide by default: scripts with the same content under
 * another URL, and URLs with `/cdn-cgi/`. With `status: "all"`, also returns listed items that no visitor has loaded for days.
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

/** Returns the items of one list, including hidden items unless the service refuses the filters that add them. */
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
