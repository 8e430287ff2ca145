import { ApiError } from "./api-error";

/** A change was accepted, and the read of its result failed. */
export class ReadBackError extends ApiError {
  readonly code = "PG_READ_BACK";

  constructor(cause: ApiError) {
    const { what, why, fix } = cause.explanation;
    super(
      { ...cause.facts, outcome: "unknown" },
      // The caller has to know that the change may be in force.
      { what: `The service accepted the change, but reading it back failed: ${what}`, why, fix },
    );
    this.cause = cause;
  }
}
