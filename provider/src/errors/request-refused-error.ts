import { ApiError, type ApiErrorFacts, effect, quoted } from "./api-error";

/** The service refused, for a reason that has no class of its own. */
export class RequestRefusedError extends ApiError {
  readonly code = "PG_REFUSED";

  /** `pointer` is where in the body the service sees the fault, when it says so. */
  constructor(facts: ApiErrorFacts, serviceMessage?: string, pointer?: string) {
    super(facts, {
      what: `The service refused the request${pointer ? `, because of ${pointer}` : ""}.${quoted(serviceMessage)}${effect(facts)}`,
      why: "It does not accept a value that was sent, or the zone is in a state that does not allow it.",
      fix: "Correct what the service reports, then run again.",
    });
  }
}
