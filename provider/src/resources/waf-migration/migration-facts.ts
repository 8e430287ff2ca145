import type { Rule } from "../../api/client-types";
import type { ZoneValues } from "../../functions/read-zone";
import { asRule, limitProblems, rulesToMove, runsOwasp } from "./configuration";
import { readingOf, standingOf } from "./decision";
import { compared } from "./prepare";
import { type Position, stateSchema } from "./state";

/** What a zone shows of its migration, with what the state of its resource says. */
interface MigrationFacts {
  /** Undefined: the state is none that this package has written. */
  readonly at: Position | undefined;
  /** Rules that the migration has written and that are not there, and those of a list that it has not written. */
  besides(rules: readonly Rule[]): { readonly missing: readonly Rule[]; readonly left: readonly Rule[] };
  /** Of the proposed configuration: why the service would refuse it, in words. */
  readonly overLimits: readonly string[];
  /** Null: there is no proposed configuration. */
  readonly rulesToMove: number | null;
  readonly runsOwasp: boolean | null;
}

/** `recorded`: the state of the resource, where there is one. */
export function migrationFacts(values: ZoneValues, now: number, recorded: unknown = {}): MigrationFacts {
  const record = stateSchema.safeParse(recorded).data;
  const sent = (record?.applied?.rules ?? []).map(asRule);
  const { wafConfiguration: proposed } = values;
  return {
    at: record && standingOf(readingOf(values), record, now).at,
    besides: (rules) => compared(sent, rules),
    overLimits: proposed ? limitProblems(proposed) : [],
    rulesToMove: proposed ? rulesToMove(proposed) : null,
    runsOwasp: proposed ? runsOwasp(proposed) : null,
  };
}
