import type { Entrypoint, Rule, WafStatus } from "../../api/client-types";
import type { Operations } from "../../api/create-client";
import { readZone, requireValues, type ZoneValues } from "../../functions/read-zone";
import { asRule, isSameConfiguration } from "./configuration";
import { type Decision, decide } from "./decision-table";
import type { Inputs, Observation, State } from "./state";

/** One reading of a zone's migration: the managed entry point, the compatibility check and the status. */
export interface Reading extends Entrypoint {
  readonly seen: Observation;
  readonly status: WafStatus | undefined;
}

/** A reading with the decision that follows from it and from the state. */
export interface Standing extends Reading, Decision {}

/**
 * Reads the compatibility check, the status and the entry point. The check and the status may be gone, as they are after a
 * finish. Throws all other failures, because a partial reading must not decide anything.
 */
export async function readMigration(client: Operations, zoneId: string): Promise<Reading> {
  const read = await readZone(client, zoneId, ["compatibility", "wafStatus", "entrypoint"]);
  return makeReading(requireValues(read, ({ part, why }) => part !== "entrypoint" && why === "gone"));
}

/** Builds a reading from values of the zone. An absent compatibility check is treated as gone. */
export function makeReading({ compatibility, wafStatus: status, entrypoint }: ZoneValues): Reading {
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

export async function observe(client: Operations, zoneId: string, record: State): Promise<Standing> {
  return makeStanding(await readMigration(client, zoneId), record);
}

/** Adds the decision to a reading. `declared`: the rules that the program would send, if they are known. */
export function makeStanding(
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
