import { ApiError, type ApiErrorFacts, quoted } from "./api-error";

/** The zone has as many policies or rules as its plan allows (400 "exceeded the maximum number of rules"). */
export class QuotaExceededError extends ApiError {
  readonly code = "PG_QUOTA";

  constructor(facts: ApiErrorFacts, serviceMessage?: string) {
    super(facts, {
      what: `The zone is full.${quoted(serviceMessage)}`,
      why: "The plan limits the number of policies or rules of a zone; unmanaged ones count as well.",
      fix: 'Remove policies that are no longer needed, merge several into one, or have the limit raised. A resource with a new name and no alias counts twice until the update succeeds: give it aliases: [{ name: "its old name" }].',
    });
  }
}
