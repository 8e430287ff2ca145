import { ApiError, type ApiErrorFacts, effect } from "./api-error";

/** The caller's AbortSignal fired. */
export class RequestAbortedError extends ApiError {
  readonly code = "PG_ABORTED";

  constructor(facts: ApiErrorFacts) {
    super(
      {
        what: `The request was given up.${effect(facts)}`,
        why: "The program that asked for it cancelled it.",
        fix: "Run again if that was not intended.",
      },
      facts,
    );
  }
}
