import type { Connection } from "../api/client-types";
import { type CallOptions, call, outputOf, type ZoneArgs } from "./call";
import { type Rules, zoneRules } from "./check-args";
import { iterateItems, listItems, type UrlListArgs, urlListRules } from "./list-args";

/** Filters of the list; `zoneId` is all that is needed. */
export type GetConnectionsArgs = UrlListArgs;

export interface GetConnectionArgs extends ZoneArgs {
  /** The `id` of an item of the list. */
  readonly connectionId: string;
}

const single: Rules = { ...zoneRules, connectionId: "id" };

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
  return call(args, single, opts, (client) => client.getItem("connections", args.zoneId, args.connectionId));
}

/** As `getConnection`, with arguments that may be outputs. */
export const getConnectionOutput = outputOf(getConnection);
