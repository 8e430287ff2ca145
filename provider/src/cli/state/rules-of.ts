import type { Rule } from "../../api/client-types";
import { fromRecord } from "../../resources/managed-waf-entrypoint/recorded-rule";
import { stateSchema } from "../../resources/managed-waf-entrypoint/state";
import { matchRules } from "../../waf-rules/rule-match";
import type { RecordedResource } from "./recorded";
import { isClosed, opened } from "./secrets";

/** Rules as the state has recorded them, each with the live one that it is. */
export interface MatchedRules {
  readonly declared: readonly { readonly rule: Rule; readonly live: Rule | undefined }[];
  /** Live ones that are none of them. */
  readonly others: readonly Rule[];
  /** They are secret and could not be opened. */
  readonly areHidden: boolean;
}

/** @see MatchedRules */
export function rulesOf(entrypoint: RecordedResource | undefined, live: readonly Rule[]): MatchedRules {
  if (!entrypoint) return { declared: [], others: live, areHidden: false };
  if (isClosed(entrypoint.outputs["rules"])) return { declared: [], others: [], areHidden: true };
  const { rules = [] } = stateSchema
    .pick({ rules: true })
    .parse(opened({ rules: entrypoint.outputs["rules"] }));
  const recorded = rules.filter(({ foreign }) => foreign !== true).map(fromRecord);
  const ids = new Set(recorded.map(({ id }) => id));
  const known = live.filter(({ id }) => ids.has(id));
  const { live: found, dropped, foreign } = matchRules(recorded, known, live);
  return {
    declared: recorded.map((rule, index) => ({ rule, live: found[index] })),
    others: [...dropped, ...foreign],
    areHidden: false,
  };
}
