import type { Rule } from "../../api/client-types";
import type { ZoneValues } from "../../functions/read-zone";
import { asRule, limitProblems, rulesToMove, runsOwasp } from "./configuration";
import { compared } from "./prepare";
import { readingOf, standingOf } from "./reading";
import { stateSchema } from "./state";

/** Returns facts about a zone's migration, from what was read and from the state of its resource (`recorded`), if it has one. */
export function migrationFacts(values: ZoneValues, recorded: unknown = {}) {
  const record = stateSchema.safeParse(recorded).data;
  const sent = (record?.applied?.rules ?? []).map(asRule);
  const { wafConfiguration: proposed } = values;
  return {
    /** Position of the zone. Undefined: this package did not write the state. */
    at: record && standingOf(readingOf(values), record).at,
    /** Returns rules of the migration that a list lacks (`missing`), and rules that it did not write (`left`). */
    besides: (rules: readonly Rule[]) => compared(sent, rules),
    /** Messages about limits for which the service would refuse the proposed configuration. */
    overLimits: proposed ? limitProblems(proposed) : [],
    /** Number of firewall rules to migrate. Null: the service proposes no configuration. */
    rulesToMove: proposed ? rulesToMove(proposed) : null,
    runsOwasp: proposed ? runsOwasp(proposed) : null,
  };
}
