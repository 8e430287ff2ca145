import type { CodeOf } from "./finding-code";
import { type ErrorFacts, type Explanation, PageGuardError } from "./page-guard-error";

/** Finding codes of the migration. */
export type MigrationFinding = Extract<CodeOf<"error">, `migration-${string}`>;

/** What happened, and where and why when there is more to say of it than the zone. */
type MigrationExplanation = Explanation &
  Pick<ErrorFacts, "operation" | "property"> & { readonly cause?: unknown };

/** The migration was not started, not finished, or may not be undone. The explanation says which and what to do. */
export class MigrationError extends PageGuardError {
  readonly code = "PG_MIGRATION";

  /** `finding`: the stable name that it has as a finding of a preview. */
  constructor(
    readonly finding: MigrationFinding,
    zoneId: string | undefined,
    { operation = "migrate the WAF", property, cause, ...explanation }: MigrationExplanation,
  ) {
    super({ operation, zoneId, ...(property !== undefined && { property }) }, explanation, cause);
  }
}
