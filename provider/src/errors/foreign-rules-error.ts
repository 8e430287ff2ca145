import { listed } from "../text/listed";
import { PageGuardError } from "./page-guard-error";

/** Writing the declared list would delete unmanaged rules. */
export class ForeignRulesError extends PageGuardError {
  readonly code = "PG_FOREIGN_RULES";

  /** `rules`: as a person recognises them, safe to show. */
  constructor(zoneId: string, rules: readonly string[]) {
    const count = rules.length === 1 ? "1 rule" : `${rules.length} rules`;
    super(
      { operation: "write the rules", zoneId, property: "rules" },
      {
        what: `the managed WAF entry point of the zone has ${count} that no resource of this stack declares: ${listed(rules)}.`,
        why: "They were created in the dashboard or with another tool, and writing the declared list would delete them.",
        fix: `Declare them too, or decide what happens to them: foreignRules "keep" leaves them before yours, "overwrite" deletes them.`,
      },
    );
  }
}
