import type { Connection, ListKinds, ListQuery, Script } from "../api/client-types";
import type { PageGuardClient } from "../api/create-client";
import { isApiError } from "../errors/api-error";
import { cleanList } from "../text/shown";

export interface ItemsInUse {
  readonly scripts: readonly Script[];
  readonly connections: readonly Connection[];
  /** Clause about missing items, such as `the service always leaves out …`. Undefined if nothing is missing. */
  readonly hidden?: string | undefined;
}

type UsedKind = keyof typeof withHidden;

/** Filters that add the hidden items: the lists omit these items by default, although browsers load them. */
const withHidden = {
  scripts: { excludeDuplicates: false, excludeCdnCgi: false },
  connections: { excludeCdnCgi: false },
} as const;

const usedStatuses = ["active", "infrequent"];

const partialItems =
  "the service always leaves out URLs with /cdn-cgi/, and scripts whose content it lists under another URL, because its API does not support exclude_cdn_cgi and exclude_duplicates";

/**
 * Returns all scripts and connections in use, including items that the lists hide by default: scripts whose content is already
 * listed under another URL, and URLs with `/cdn-cgi/`. With `status: "all"`, also returns listed items that no visitor has loaded for days.
 */
export async function itemsInUse(
  client: Pick<PageGuardClient, "listAll">,
  zoneId: string,
  filters: ListQuery = {},
): Promise<ItemsInUse> {
  const query = { status: usedStatuses, ...filters };
  const [scripts, connections] = await Promise.all([
    withHiddenOnes(client, "scripts", zoneId, query),
    withHiddenOnes(client, "connections", zoneId, query),
  ]);
  return {
    scripts: scripts.items,
    connections: connections.items,
    hidden: scripts.hidden ?? connections.hidden,
  };
}

/**
 * Returns the items that were seen on pages of a host, which may be a pattern such as `*.example.com`. Includes items that were first seen on another
 * host, which the filter `hosts` may leave out. Undefined if the service refuses the filter `pageUrl`.
 */
export async function itemsSeenOn<K extends UsedKind>(
  client: Pick<PageGuardClient, "listAll">,
  kind: K,
  zoneId: string,
  host: string,
  status: readonly string[] | string = usedStatuses,
): Promise<readonly ListKinds[K][] | undefined> {
  const pageUrl = [`${host}/*`, `${host}:*`].flatMap(listPageForms);
  try {
    return (await withHiddenOnes(client, kind, zoneId, { status, pageUrl })).items;
  } catch (error) {
    if (isRefusedFilter(error)) return undefined;
    throw error;
  }
}

/**
 * Returns the forms in which the service may list a page: with or without a scheme, and with a query. The page may end with `*`.
 * If it begins with `*`, no form has a scheme, because the `*` already matches every scheme.
 */
export function listPageForms(page: string): readonly string[] {
  const bare = page.replace(/^https?:\/\//, "");
  const all = bare.endsWith("*") ? [bare] : [bare, `${bare}?*`];
  const schemes = bare.startsWith("*") ? [""] : ["", "https://", "http://"];
  return all.flatMap((one) => schemes.map((scheme) => `${scheme}${one}`));
}

/** The items of one kind on one host. `*` stands for hosts that the expression does not name; their items cannot be read. */
export interface HostList {
  readonly kind: "script" | "connection";
  readonly host: string;
}

/**
 * Calls `ask` for the host of each list, and merges the items that were seen there into `inUse`. Each of these items gets
 * `https://<host>/` as another page. `hidden` then names the hosts whose items are not known. `ask`: see `itemsSeenOn`.
 */
export async function addSeenOn(
  inUse: ItemsInUse,
  lists: readonly HostList[],
  ask: (kind: UsedKind, host: string) => Promise<readonly Connection[] | undefined>,
): Promise<ItemsInUse> {
  const unique = new Map(lists.map((list) => [`${list.kind} ${list.host}`, list]));
  const read = [...unique.values()].map(async ({ kind, host }) => {
    return { kind, host, found: host === "*" ? undefined : await ask(`${kind}s`, host) };
  });
  const unasked = new Set<string>();
  let { scripts, connections } = inUse;
  for (const { kind, host, found } of await Promise.all(read))
    if (!found) unasked.add(host === "*" ? "hosts that the expression does not name" : host);
    else if (kind === "script") scripts = addPage(scripts, host, found);
    else connections = addPage(connections, host, found);
  const hosts = cleanList([...unasked], { max: 300 });
  const untold = `scripts and connections in use on ${hosts} that were first seen on another host may be missing`;
  return { scripts, connections, hidden: inUse.hidden ?? (unasked.size > 0 ? untold : undefined) };
}

/** Calls `addSeenOn` with a function that reads the items from a zone. */
export function readSeenOn(
  client: Pick<PageGuardClient, "listAll">,
  zoneId: string,
  inUse: ItemsInUse,
  lists: readonly HostList[],
  status?: string,
): Promise<ItemsInUse> {
  return addSeenOn(inUse, lists, (kind, host) => itemsSeenOn(client, kind, zoneId, host, status));
}

function addPage<T extends Connection>(items: readonly T[], host: string, seen: readonly T[]): readonly T[] {
  const all = new Map(items.map((item) => [item.id, item]));
  for (const item of seen) {
    const known = all.get(item.id) ?? item;
    all.set(item.id, { ...known, pageUrls: [...(known.pageUrls ?? []), `https://${host}/`] });
  }
  return [...all.values()];
}

function isRefusedFilter(error: unknown): boolean {
  return isApiError(error, "PG_REFUSED") && error.facts.httpStatus === 400;
}

/** Returns the items of one list, including hidden items unless the service refuses the filters that add them. */
export async function withHiddenOnes<K extends keyof typeof withHidden>(
  client: Pick<PageGuardClient, "listAll">,
  kind: K,
  zoneId: string,
  query: ListQuery,
): Promise<{ items: readonly ListKinds[K][]; hidden?: string }> {
  try {
    const items = await client.listAll(kind, zoneId, { ...query, ...withHidden[kind] });
    return { items };
  } catch (error) {
    if (!isRefusedFilter(error)) throw error;
    return { items: await client.listAll(kind, zoneId, query), hidden: partialItems };
  }
}
