import { PageGuardError } from "./page-guard-error";

/** The migration was not started, not finished, or may not be undone. `explanation` says which and what to do. */
export class MigrationError extends PageGuardError {
  readonly code = "PG_MIGRATION";
}
