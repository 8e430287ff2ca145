import { ApiError, type ApiErrorFacts, effect } from "./api-error";

/** The caller's AbortSignal fired. */
export class RequestAbortedError extends ApiError {
  readonly code = "PG_ABORTED";

  constructor(facts: ApiErrorFacts) {
    super(facts, {
      what: `The request was cancelled.${effect(facts)}`,
      why: "The calling program cancelled it.",
      fix: "Run again if that was not intended.",
    });
  }
}
