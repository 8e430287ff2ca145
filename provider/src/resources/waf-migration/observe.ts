import type {
  Compatibility,
  PageGuardClient,
  Rule,
  WafConfiguration,
  WafStatus,
} from "../../api/client-types";
import { readZone, valuesOf, type ZoneValues } from "../../zone/read-zone";
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
  const read = await readZone(client, zoneId, ["compatibility", "wafStatus", "entrypoint"]);
  const values = valuesOf(read, ({ part, why }) => part !== "entrypoint" && why === "gone");
  const { compatibility, wafStatus: status, entrypoint } = values;
  return {
    compatibility,
    status,
    name: entrypoint?.name,
    rules: entrypoint?.rules ?? [],
    lastChanged: entrypoint?.lastUpdated,
    seen: observationOf(values),
  };
}

/** What check, status and entry point say; an absent check is one that is gone. */
export function observationOf({ compatibility, wafStatus: status, entrypoint }: ZoneValues): Observation {
  return {
    compatible: compatibility?.compatible,
    migrationState: status?.migrationState ?? compatibility?.migrationState,
    oldEnabled: status?.oldEnabled,
    newEnabled: status?.newEnabled,
    checkGone: compatibility === undefined,
    ruleCount: entrypoint?.rules.length ?? 0,
    entrypointVersion: entrypoint?.version,
  };
}

export async function proposedConfiguration(
  client: PageGuardClient,
  zoneId: string,
): Promise<WafConfiguration | undefined> {
  const read = await readZone(client, zoneId, ["wafConfiguration"]);
  return valuesOf(read, ({ why }) => why === "gone").wafConfiguration;
}
