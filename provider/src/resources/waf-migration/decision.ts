import type { Entrypoint, Rule, WafStatus } from "../../api/client-types";
import type { PageGuardClient } from "../../api/create-client";
import { readZone, valuesOf, type ZoneValues } from "../../functions/read-zone";
import { asRule, isSameConfiguration } from "./configuration";
import { endOf, knownOutcome, position } from "./position";
import type { Attempt, Inputs, Observation, Position, State } from "./state";

/** Everything that the two APIs show of a zone's migration, read once: the managed entry point, and what is beside it. */
export interface Reading extends Entrypoint {
  readonly seen: Observation;
  readonly status: WafStatus | undefined;
}

/** A reading, and the position that it means with what the state holds. */
export interface Standing extends Reading {
  readonly at: Position;
  /** A finish that was cut off before it was recorded, if the list may be its work. */
  readonly lost?: Attempt | undefined;
}

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

/** The only place that decides at which position a zone is. `sent`: the rules that a finish of this stack has sent, or would. */
export function standingOf(
  found: Reading,
  record: State,
  sent: readonly Rule[] | undefined = record.applied?.rules.map(asRule),
): Standing {
  const { seen } = found;
  const isListAsSent = sent !== undefined && isSameConfiguration(sent, found.rules);
  const at = position(seen, record);
  const before = record.observed;
  const isOtherVersion =
    before?.entrypointVersion !== undefined &&
    seen.entrypointVersion !== undefined &&
    before.entrypointVersion !== seen.entrypointVersion;
  const showsNoFinish = at === "validation" || at === "unclear";
  const mayBeLost = record.reached === "validation" && record.attempt === undefined && isListAsSent;
  if (!before || !isOtherVersion || !showsNoFinish || !mayBeLost) return { ...found, at };
  // Validation may be what the service still calls a finish that was cut off before it was recorded. A person may say what
  // became of it as long as nothing shows that.
  const savedAt = Date.parse(found.lastUpdated ?? "");
  if (Number.isNaN(savedAt)) return { ...found, at: "unclear" };
  const sentAt = new Date(savedAt).toISOString();
  const lost: Attempt = { mode: "pending", sentAt, outcome: "unknown", before, from: "validation" };
  const known = knownOutcome({ ...record, attempt: lost });
  const meant = { accepted: endOf(seen), notAccepted: "validation" } as const;
  return { ...found, lost, at: known ? meant[known] : "unclear" };
}

/** What has to happen to bring a zone from where it is to the declared stage. */
export type Decision = "validate" | "finish" | "wait" | "adopt";

const decisions: Readonly<Record<Position, { readonly [Stage in Inputs["stage"]]?: Decision }>> = {
  old: { validation: "validate", finished: "finish" },
  validation: { validation: "adopt", finished: "finish" },
  finishing: { finished: "wait" },
  finished: { finished: "adopt" },
  unclear: {},
};

/** Undefined: refused, and the position says why. `isAdjusted`: what is declared is not what the zone has in validation. */
export function decide(at: Position, stage: Inputs["stage"], isAdjusted: boolean): Decision | undefined {
  const decision = decisions[at][stage];
  return at === "validation" && decision === "adopt" && isAdjusted ? "validate" : decision;
}
