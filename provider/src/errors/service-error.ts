import { ApiError, type ApiErrorFacts, effect, quoted } from "./api-error";

/** The service failed (5xx), also after the retries that were safe. */
export class ServiceError extends ApiError {
  readonly code = "PG_SERVICE";

  constructor(facts: ApiErrorFacts, attempts: number, serviceMessage?: string) {
    const tries = attempts === 1 ? "" : ` ${attempts} times`;
    super(facts, {
      what: `The service failed${tries}.${quoted(serviceMessage)}${effect(facts)}`,
      why: "It has a fault or is overloaded; the request itself is probably valid.",
      fix: "Run again later; its support can find the request by its id.",
    });
  }
}
