import { ApiError, type ApiErrorFacts, effect, quoted } from "./api-error";

/** The service failed by itself (5xx), also after the retries that were safe. */
export class ServiceError extends ApiError {
  readonly code = "PG_SERVICE";

  constructor(facts: ApiErrorFacts, attempts: number, serviceMessage?: string) {
    const tries = attempts === 1 ? "" : ` ${attempts} times`;
    super(
      {
        what: `The service failed${tries}.${quoted(serviceMessage)}${effect(facts)}`,
        why: "It has a fault or is overloaded; the request itself is probably in order.",
        fix: "Run again later; with the request id its support can look it up.",
      },
      facts,
    );
  }
}
