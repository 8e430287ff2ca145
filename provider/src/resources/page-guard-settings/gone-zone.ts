import type { PageGuardClient } from "../../api/client-types";
import { isNoRoute } from "../../errors/no-route";
import { NotFoundError } from "../../errors/not-found-error";

/**
 * Whether `error`, an answer about the settings of a zone, says that the zone itself is gone. A route that does not exist
 * says so too, and comes as well of a connection with the service's other name: a nightly refresh without
 * `PAGE_GUARD_SERVICE` would forget the settings, and a destroy leave them as they are. The path of the entry point has no such
 * name in it, so its answer tells which of the two it is. One that tells neither, as where the token may not see it, counts as
 * a zone that is there.
 */
export async function isOfGoneZone(
  error: unknown,
  client: PageGuardClient,
  zoneId: string,
): Promise<boolean> {
  if (!(error instanceof NotFoundError)) return false;
  return !isNoRoute(error.facts.apiCode) || !(await isKnown(client, zoneId));
}

async function isKnown(client: PageGuardClient, zoneId: string): Promise<boolean> {
  try {
    await client.getEntrypoint(zoneId);
    return true;
  } catch (error) {
    return !(error instanceof NotFoundError);
  }
}
