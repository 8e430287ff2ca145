import { type ErrorFacts, type Explanation, PageGuardError } from "./page-guard-error";

/** The migration was not started, not finished, or may not be undone. `explanation` says which and what to do. */
export class MigrationError extends PageGuardError {
  readonly code = "PG_MIGRATION";

  constructor(explanation: Explanation, facts: ErrorFacts, cause?: unknown) {
    super(explanation, facts, cause);
  }
}
