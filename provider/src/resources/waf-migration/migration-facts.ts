import type { Rule } from "../../api/client-types";
import type { ZoneValues } from "../../functions/read-zone";
import { asRule, limitProblems, rulesToMove, runsOwasp } from "./configuration";
import { compared } from "./prepare";
import { readingOf, standingOf } from "./reading";
import { stateSchema } from "./state";

/** What a zone shows of its migration, with what the state of its resource says. `recorded`: that state, where there is one. */
export function migrationFacts(values: ZoneValues, recorded: unknown = {}) {
  const record = stateSchema.safeParse(recorded).data;
  const sent = (record?.applied?.rules ?? []).map(asRule);
  const { wafConfiguration: proposed } = values;
  return {
    /** Undefined: the state is none that this package has written. */
    at: record && standingOf(readingOf(values), record).at,
    /** Rules that the migration has written and that are not there, and those of a list that it has not written. */
    besides: (rules: readonly Rule[]) => compared(sent, rules),
    /** Reasons, in words, why the service would refuse the proposed configuration. */
    overLimits: proposed ? limitProblems(proposed) : [],
    /** Null: there is no proposed configuration. */
    rulesToMove: proposed ? rulesToMove(proposed) : null,
    runsOwasp: proposed ? runsOwasp(proposed) : null,
  };
}
