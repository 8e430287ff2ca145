import { listed } from "../text/listed";
import { PageGuardError } from "./page-guard-error";

/** Rules of somebody else would be lost by writing the declared list. */
export class ForeignRulesError extends PageGuardError {
  readonly code = "PG_FOREIGN_RULES";

  /** `rules`: fit to be shown, so that a person finds them again. */
  constructor(zoneId: string, rules: readonly string[]) {
    const count = rules.length === 1 ? "1 rule" : `${rules.length} rules`;
    super(
      {
        what: `the managed WAF entry point of the zone holds ${count} that this stack neither declares nor made: ${listed(rules)}.`,
        why: "Somebody made them in the dashboard or with another tool, and writing the declared list would delete them.",
        fix: `Declare them too, or say what shall become of them: foreignRules "keep" leaves them before yours, "overwrite" deletes them.`,
      },
      { zoneId, property: "rules" },
    );
  }
}
