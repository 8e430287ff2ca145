import type { Rule } from "../../api/client-types";
import type { ZoneValues } from "../../functions/read-zone";
import { asRule, limitProblems, rulesToMove, runsOwasp } from "./configuration";
import { compareLists } from "./prepare";
import { makeReading, makeStanding } from "./reading";
import { stateSchema } from "./state";

/**
 * Returns facts about a zone's migration. `values`: the parts of the zone that were read. `recorded`: the state of the
 * migration's resource, if any.
 */
export function migrationFacts(values: ZoneValues, recorded: unknown = {}) {
  const record = stateSchema.safeParse(recorded).data;
  const sent = (record?.applied?.rules ?? []).map(asRule);
  const { wafConfiguration: proposed } = values;
  return {
    /** Position of the zone. Undefined if this package did not write the state. */
    at: record && makeStanding(makeReading(values), record).at,
    /** Compares a list with the migration: `missing` are the migration's rules not in the list, `left` the list's other rules. */
    besides: (rules: readonly Rule[]) => compareLists(sent, rules),
    /** Messages about the limits of the service that the proposed configuration exceeds. */
    overLimits: proposed ? limitProblems(proposed) : [],
    /** Number of firewall rules to migrate. Null if the service proposes no configuration. */
    rulesToMove: proposed ? rulesToMove(proposed) : null,
    runsOwasp: proposed ? runsOwasp(proposed) : null,
  };
}
