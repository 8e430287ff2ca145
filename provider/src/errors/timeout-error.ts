import { ApiError, type ApiErrorFacts, effect } from "./api-error";

/** No whole answer came within the time for one attempt, or the time for all of them was over. */
export class TimeoutError extends ApiError {
  readonly code = "PG_TIMEOUT";

  constructor(facts: ApiErrorFacts, attempts: number, timeoutMs: number) {
    const tries = attempts === 1 ? "" : ` (${attempts} attempts)`;
    super(facts, {
      what: `No whole answer came within ${timeoutMs} ms${tries}.${effect(facts)}`,
      why: "The service is slow, or a firewall or proxy drops the traffic.",
      fix: "Run again; if the service is just slow, raise PAGE_GUARD_TIMEOUT_MS.",
    });
  }
}
