import type { Entrypoint, PageGuardClient, WafStatus } from "../../api/client-types";
import { MigrationError } from "../../errors/zone-error";
import { readZone, valuesOf, type ZoneValues } from "../../functions/read-zone";
import type { Run } from "../../lifecycle/run";
import { lostAttempt, position } from "./decision";
import { asRule, isSameConfiguration } from "./rules";
import type { Attempt, Inputs, Observation, Position, State } from "./state";

/** Everything that the two APIs show of a zone's migration, read once: the managed entry point, and what is beside it. */
export interface Reading extends Entrypoint {
  readonly seen: Observation;
  readonly status: WafStatus | undefined;
}

/**
 * Reads check, status and entry point. After the finish the first two may be gone: that is news, not a failure. Other
 * failures are thrown: nothing is decided on half of it.
 */
export async function readMigration(client: PageGuardClient, zoneId: string): Promise<Reading> {
  const read = await readZone(client, zoneId, ["compatibility", "wafStatus", "entrypoint"]);
  return readingOf(valuesOf(read, ({ part, why }) => part !== "entrypoint" && why === "gone"));
}

export function readingOf(values: ZoneValues): Reading {
  const { entrypoint = { rules: [] }, wafStatus: status } = values;
  return { ...entrypoint, status, seen: observationOf(values) };
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

/** A reading, and the position that it means with what the state holds. */
export interface Standing extends Reading {
  readonly at: Position;
  /** A finish that was cut off before it was recorded, if the list may be its work. */
  readonly lost?: Attempt | undefined;
}

/** What an update of a migration works with, from its beginning to its end. */
export interface MigrationWork {
  readonly run: Run;
  readonly client: PageGuardClient;
  readonly inputs: Inputs;
  readonly urn: string;
}

/** Reads a zone, and decides at which position it is. */
export async function standing(
  run: Run,
  client: PageGuardClient,
  zoneId: string,
  record: State,
): Promise<Standing> {
  return standingOf(await readMigration(client, zoneId), record, run.now());
}

/** The only place that decides at which position a zone is. Everyone else gets the answer. */
export function standingOf(found: Reading, record: State, now: number): Standing {
  const sent = record.applied?.rules.map(asRule);
  const around = {
    now,
    isListAsSent: sent !== undefined && isSameConfiguration(sent, found.rules),
    listUpdatedAt: found.lastUpdated,
  };
  const lost = lostAttempt(found.seen, record, around);
  return { ...found, at: position(found.seen, record, around), ...(lost && { lost }) };
}

/**
 * The state of the one finishing request is what keeps it from being sent twice, so nothing is begun where the engine is
 * set to write no state before its very end.
 */
export function beginWork(run: Run, inputs: Inputs, urn: string): MigrationWork {
  if (run.skipsCheckpoints) {
    throw new MigrationError("migration-without-checkpoints", inputs.zoneId, {
      what: "PULUMI_SKIP_CHECKPOINTS is set, so the engine records nothing before the whole run has ended.",
      why: "A run that is cut off would forget what was sent, and that record is what keeps the finish from being sent twice.",
      fix: "Nothing was sent. Unset it for the stack that holds a WafMigration. You may set it again after the migration.",
    });
  }
  return { run, client: run.client(inputs.connection), inputs, urn };
}
