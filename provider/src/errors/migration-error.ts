import type { CodeOf } from "./finding-code";
import { type ErrorFacts, type Explanation, PageGuardError } from "./page-guard-error";

/** Finding codes of the migration. */
export type MigrationFinding = Extract<CodeOf<"error">, `migration-${string}`>;

/** The migration was not started, not finished, or may not be undone. `explanation` says which and what to do. */
export class MigrationError extends PageGuardError {
  readonly code = "PG_MIGRATION";

  /** `finding`: the stable name that it has as a finding of a preview. */
  constructor(
    readonly finding: MigrationFinding,
    explanation: Explanation,
    facts: ErrorFacts,
    cause?: unknown,
  ) {
    super(explanation, { operation: "migrate the WAF", ...facts }, cause);
  }
}
