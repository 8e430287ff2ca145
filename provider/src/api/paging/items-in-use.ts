import { RequestRefusedError } from "../../errors/request-refused-error";
import type { Connection, ListKinds, ListQuery, PageGuardClient, Script } from "../client-types";

/** Scripts and connections that a zone's pages load. */
export interface ItemsInUse {
  readonly scripts: readonly Script[];
  readonly connections: readonly Connection[];
  /** The service did not take the filters, so duplicates and URLs of `/cdn-cgi/` are missing. */
  readonly isPartial: boolean;
}

const statuses = { status: ["active", "infrequent"] };

/** By default the lists leave out what browsers load all the same. */
const withHidden = {
  scripts: { excludeDuplicates: false, excludeCdnCgi: false },
  connections: { excludeCdnCgi: false },
} as const;

/** What to tell where `isPartial`. */
export const partialItems =
  "the service does not take exclude_duplicates and exclude_cdn_cgi, so scripts of the same content under another URL, and URLs with /cdn-cgi/, were not seen";

/**
 * All scripts and connections in use, also those that the lists hide by default: a script of the same content under
 * another URL, and whatever is below `/cdn-cgi/`. A service that refuses these filters is asked once without.
 */
export function itemsInUse(
  client: Pick<PageGuardClient, "listAll">,
  zoneId: string,
  filters: ListQuery = {},
): Promise<ItemsInUse> {
  return nothingHidden(client, zoneId, { ...filters, ...statuses });
}

/** As `itemsInUse`, and those that were not seen for days but are still listed. */
export function itemsListed(client: Pick<PageGuardClient, "listAll">, zoneId: string): Promise<ItemsInUse> {
  return nothingHidden(client, zoneId, { status: "all" });
}

async function nothingHidden(
  client: Pick<PageGuardClient, "listAll">,
  zoneId: string,
  query: ListQuery,
): Promise<ItemsInUse> {
  const list = async <K extends keyof typeof withHidden>(
    kind: K,
  ): Promise<{ items: readonly ListKinds[K][]; isPartial: boolean }> => {
    try {
      const items = await client.listAll(kind, zoneId, { ...query, ...withHidden[kind] });
      return { items, isPartial: false };
    } catch (error) {
      if (!(error instanceof RequestRefusedError) || error.facts.httpStatus !== 400) throw error;
      return { items: await client.listAll(kind, zoneId, query), isPartial: true };
    }
  };
  const [scripts, connections] = await Promise.all([list("scripts"), list("connections")]);
  return {
    scripts: scripts.items,
    connections: connections.items,
    isPartial: scripts.isPartial || connections.isPartial,
  };
}
