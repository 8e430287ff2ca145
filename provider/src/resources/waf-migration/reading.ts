import type { Entrypoint, Rule, WafStatus } from "../../api/client-types";
import type { PageGuardClient } from "../../api/create-client";
import { readZone, valuesOf, type ZoneValues } from "../../functions/read-zone";
import { asRule, isSameConfiguration } from "./configuration";
import { decide, type Verdict } from "./decision-table";
import type { Inputs, Observation, State } from "./state";

/** Everything that the two APIs show of a zone's migration, read once: the managed entry point, and what is beside it. */
export interface Reading extends Entrypoint {
  readonly seen: Observation;
  readonly status: WafStatus | undefined;
}

/** A reading, and what the table makes of it with what the state records. */
export interface Standing extends Reading, Verdict {}

/**
 * Reads check, status and entry point. After the finish the first two may be gone: that is news, not a failure. Other
 * failures are thrown: nothing is decided on half of it.
 */
export async function readMigration(client: PageGuardClient, zoneId: string): Promise<Reading> {
  const read = await readZone(client, zoneId, ["compatibility", "wafStatus", "entrypoint"]);
  return readingOf(valuesOf(read, ({ part, why }) => part !== "entrypoint" && why === "gone"));
}

/** What check, status and entry point say; an absent check is one that is gone. */
export function readingOf({ compatibility, wafStatus: status, entrypoint }: ZoneValues): Reading {
  const list = entrypoint ?? { rules: [] };
  const seen = {
    compatible: compatibility?.compatible,
    migrationState: status?.migrationState ?? compatibility?.migrationState,
    oldEnabled: status?.oldEnabled,
    newEnabled: status?.newEnabled,
    checkGone: compatibility === undefined,
    ruleCount: list.rules.length,
    entrypointVersion: list.version,
  };
  return { ...list, status, seen };
}

/** What the table says of a reading. `declared`: the rules that the program would send, where they are known. */
export function standingOf(
  found: Reading,
  record: State,
  stage: Inputs["stage"] = "finished",
  declared?: readonly Rule[],
): Standing {
  const isAs = (rules: readonly Rule[] | undefined): boolean =>
    rules !== undefined && isSameConfiguration(rules, found.rules);
  const list = {
    isAsSent: isAs(record.applied?.rules.map(asRule)) || (stage === "finished" && isAs(declared)),
    isAdjusted: declared !== undefined && !isAs(declared),
    lastUpdated: found.lastUpdated,
  };
  return { ...found, ...decide(stage, record, found.seen, list) };
}
