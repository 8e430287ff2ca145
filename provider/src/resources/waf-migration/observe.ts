import type {
  Compatibility,
  PageGuardClient,
  Rule,
  WafConfiguration,
  WafStatus,
} from "../../api/client-types";
import { ApiError } from "../../errors/api-error";
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
 * One look at check, status and entry point. After the finish the first two may answer 404 or 410: that is news, not
 * a failure. Other failures are thrown: nothing is decided on half a look.
 */
export async function look(client: PageGuardClient, zoneId: string): Promise<Look> {
  const [compatibility, status, entrypoint] = await Promise.all([
    unlessGone(client.getCompatibility(zoneId)),
    unlessGone(client.getWafStatus(zoneId)),
    client.getEntrypoint(zoneId),
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

/** Undefined for 404 and 410; not for a zone or route that the service does not know at all (7003). */
async function unlessGone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    const isGone =
      error instanceof ApiError &&
      (error.facts.httpStatus === 404 || error.facts.httpStatus === 410) &&
      error.facts.apiCode !== 7003;
    if (isGone) return undefined;
    throw error;
  }
}
