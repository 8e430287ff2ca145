import { ApiError, type ApiErrorFacts, quoted } from "./api-error";

/** The entry point of the managed WAF was written in a zone whose migration has not begun. */
export class EnrollmentRequiredError extends ApiError {
  readonly code = "PG_WAF_ENROLLMENT";

  constructor(facts: ApiErrorFacts, serviceMessage?: string) {
    super(facts, {
      what: `The zone still uses the previous WAF managed rules.${quoted(serviceMessage)}`,
      why: "Rules of the new managed WAF can only be written once the migration of the zone has begun.",
      fix: "Migrate the zone first (resource WafMigration), then declare a ManagedWafEntrypoint.",
    });
  }
}
