import type { PageGuardClient } from "../api/client-types";
import { isNoSuchRoute } from "../errors/api-error";

/**
 * Whether a route that does not exist, as `error` says, means that the zone itself is gone. It comes as well of a connection
 * with the service's other name: a nightly refresh without `PAGE_GUARD_SERVICE` would forget what the zone has, and a destroy
 * leave it as it is. The path of the entry point has no such name in it, so its answer tells which of the two it is. One that
 * tells neither, as where the token may not see it, counts as a zone that is there.
 */
export async function isZoneGone(error: unknown, client: PageGuardClient, zoneId: string): Promise<boolean> {
  if (!isNoSuchRoute(error)) return false;
  try {
    await client.getEntrypoint(zoneId);
    return false;
  } catch (second) {
    return isNoSuchRoute(second);
  }
}
