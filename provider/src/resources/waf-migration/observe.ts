import type {
  Compatibility,
  PageGuardClient,
  Rule,
  WafConfiguration,
  WafStatus,
} from "../../api/client-types";
import { ApiError } from "../../errors/api-error";
import { isNoRoute } from "../../errors/no-route";
import type { Observation } from "./decision";

/** Everything that the two APIs show of a zone's migration, from one look. */
export interface Look {
  readonly seen: Observation;
  readonly status: WafStatus | undefined;
  readonly compatibility: Compatibility | undefined;
  /** Name and rules of the managed entry point. */
  readonly name: string | undefined;
  readonly rules: readonly Rule[];
  /** When the entry point was last changed, as the service tells it (ISO 8601). */
  readonly lastChanged: string | undefined;
}

/**
 * One look at check, status and entry point. After the finish the first two may be gone: that is news, not a failure.
 * Other failures are thrown: nothing is decided on half a look.
 */
export async function look(client: PageGuardClient, zoneId: string): Promise<Look> {
  const listed = client.getEntrypoint(zoneId);
  const [compatibility, status, entrypoint] = await Promise.all([
    unlessGone(client.getCompatibility(zoneId), listed),
    unlessGone(client.getWafStatus(zoneId), listed),
    listed,
  ]);
  const rules = entrypoint?.rules ?? [];
  return {
    compatibility,
    status,
    name: entrypoint?.name,
    rules,
    lastChanged: entrypoint?.lastUpdated,
    seen: {
      compatible: compatibility?.compatible,
      migrationState: status?.migrationState ?? compatibility?.migrationState,
      oldEnabled: status?.oldEnabled,
      newEnabled: status?.newEnabled,
      checkGone: compatibility === undefined,
      ruleCount: rules.length,
      entrypointVersion: entrypoint?.version,
    },
  };
}

export function proposedConfiguration(
  client: PageGuardClient,
  zoneId: string,
): Promise<WafConfiguration | undefined> {
  return unlessGone(client.getWafConfiguration(zoneId));
}

/**
 * Undefined for 404 and 410. Not for a route that the service does not know: the zone's id may be malformed,
 * unless the service answers to something else of this zone. Then it is the route that is no more.
 */
async function unlessGone<T>(answer: Promise<T>, other?: Promise<unknown>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { httpStatus, apiCode } = error.facts;
    if (isNoRoute(apiCode) && other) {
      await other;
      return undefined;
    }
    if ((httpStatus === 404 || httpStatus === 410) && !isNoRoute(apiCode)) return undefined;
    throw error;
  }
}
