import { ApiError } from "./api-error";

/** A change was accepted, and the read that was to tell what became of it failed. */
export class ReadBackError extends ApiError {
  readonly code = "PG_READ_BACK";

  constructor(cause: ApiError) {
    const { what, why, fix } = cause.explanation;
    super(
      { what: `The service accepted the change, but reading it back failed: ${what}`, why, fix },
      // Whoever made the change has to know that it may be in force.
      { ...cause.facts, outcome: "unknown" },
    );
    this.cause = cause;
  }
}
