import type { Entrypoint, ListQuery, Service } from "../api/client-types";
import type { ReadClient } from "../api/create-client";
import { ApiError, isApiError, isNoSuchRoute, NotFoundError } from "../errors/api-error";
import { itemsInUse } from "./items-in-use";

/** Functions that read the parts of a zone. A function for a list reads all items, with one request for each result page. */
const readers = {
  settings: (client: ReadClient, zoneId: string) => client.getSettings(zoneId),
  policies: (client: ReadClient, zoneId: string) => client.listPolicies(zoneId),
  /** Returns an empty list if the managed WAF was never configured, or if the zone uses only the previous WAF. */
  entrypoint: fetchEntrypoint,
  compatibility: (client: ReadClient, zoneId: string) => client.getCompatibility(zoneId),
  wafStatus: (client: ReadClient, zoneId: string) => client.getWafStatus(zoneId),
  wafConfiguration: (client: ReadClient, zoneId: string) => client.getWafConfiguration(zoneId),
  uriOverrides: (client: ReadClient, zoneId: string) => client.listUriOverrides(zoneId),
  inUse: itemsInUse,
  /** Returns the items in use, and other items that are still listed. */
  listed: (client: ReadClient, zoneId: string) => itemsInUse(client, zoneId, { status: "all" }),
  cookies: (client: ReadClient, zoneId: string) => client.listAll("cookies", zoneId, { status: "all" }),
};

type ZoneParts = { readonly [P in keyof typeof readers]: Awaited<ReturnType<(typeof readers)[P]>> };
export type ZonePart = keyof ZoneParts;
export type ZoneValues = Partial<ZoneParts> & {
  /** The service that the parts were read from. */
  readonly service?: Service | undefined;
};
type Readers = {
  readonly [P in ZonePart]: (client: ReadClient, zoneId: string, items: ListQuery) => Promise<ZoneParts[P]>;
};

interface Unread {
  readonly part: ZonePart;
  /**
   * `gone`: the zone or this part no longer exists; `refused`: the service does not allow the read, or the connection has the
   * wrong service name; `failed`: other reasons.
   */
  readonly why: "gone" | "refused" | "failed";
  readonly error: unknown;
}

interface ZoneRead {
  readonly values: ZoneValues;
  readonly unread: readonly Unread[];
}

/** Parts that the migration API provides. The vendor will end this API together with the previous WAF. */
export const migrationParts: readonly ZonePart[] = ["compatibility", "wafStatus", "wafConfiguration"];

/** Reads parts of a zone in parallel. Never rejects: `unread` lists the parts that failed. `items`: filters for items in use. */
export async function readZone(
  client: ReadClient,
  zoneId: string,
  parts: readonly ZonePart[],
  items: ListQuery = {},
): Promise<ZoneRead> {
  const { service } = client;
  const values: { -readonly [P in ZonePart]?: ZoneParts[P] } & ZoneValues = { service };
  const readerOf: Readers = readers;
  const errors = new Map<ZonePart, unknown>();
  const read = async <P extends ZonePart>(part: P): Promise<void> => {
    try {
      values[part] = await readerOf[part](client, zoneId, items);
    } catch (error) {
      errors.set(part, error);
    }
  };
  await Promise.all(parts.map(read));
  const unread = parts
    .filter((part) => errors.has(part))
    .map((part) => ({ part, why: classifyFailure(part, values, errors), error: errors.get(part) }));
  return { values, unread };
}

/** Returns the values that were read. Throws the error of an unread part unless `mayLack` returns true for that part. */
export function requireValues(
  { values, unread }: ZoneRead,
  mayLack: (unread: Unread) => boolean = () => false,
): ZoneValues {
  const lacking = unread.filter((one) => !mayLack(one));
  const worst = lacking.find(({ why }) => why === "failed") ?? lacking[0];
  if (worst) throw worst.error;
  return values;
}

function classifyFailure(
  part: ZonePart,
  { entrypoint }: ZoneValues,
  errors: ReadonlyMap<ZonePart, unknown>,
): Unread["why"] {
  const error = errors.get(part);
  if (!(error instanceof ApiError) || error.code === "PG_UNEXPECTED_ANSWER") return "failed";
  if (isNoSuchRoute(error)) {
    // If the zone's entry point was read, the zone exists. Then a missing route of the migration API means that this API has
    // ended. A missing route of settings, policies or items means that the connection has the wrong service name, because only
    // their paths contain the name of the service.
    const isEnd = entrypoint ? migrationParts.includes(part) : isNoSuchRoute(errors.get("entrypoint"));
    return isEnd ? "gone" : "refused";
  }
  if (error instanceof NotFoundError) return "gone";
  const { httpStatus = 0 } = error.facts;
  return httpStatus >= 400 && httpStatus < 500 && ![401, 408, 429].includes(httpStatus)
    ? "refused"
    : "failed";
}

async function fetchEntrypoint(client: ReadClient, zoneId: string): Promise<Entrypoint> {
  try {
    return (await client.getEntrypoint(zoneId)) ?? { rules: [] };
  } catch (error) {
    if (isApiError(error, "PG_WAF_ENROLLMENT")) return { rules: [] };
    throw error;
  }
}

/** Returns the result of `work`; undefined if it fails because the zone is gone, or because of an error that `isGone` accepts. */
export async function unlessGone<T>(
  client: ReadClient,
  zoneId: string,
  work: () => Promise<T>,
  isGone: (error: unknown) => boolean = () => false,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isGone(error) || (await isZoneGone(error, client, zoneId))) return undefined;
    throw error;
  }
}

/**
 * Whether the `error` about a missing route means that the zone itself is gone. The same error occurs if the connection names the
 * wrong service, for example in a nightly refresh without `PAGE_GUARD_SERVICE`. If this function then returned true, a refresh
 * would forget the zone's objects, and a destroy would leave them in the zone. So it reads the entry point, because its path does
 * not contain the name of the service. If this read does not show the cause, for example because the token may not read entry
 * points, returns false.
 */
async function isZoneGone(error: unknown, client: ReadClient, zoneId: string): Promise<boolean> {
  if (!isNoSuchRoute(error)) return false;
  try {
    await client.getEntrypoint(zoneId);
    return false;
  } catch (second) {
    return isNoSuchRoute(second);
  }
}
