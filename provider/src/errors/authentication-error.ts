import { ApiError, type ApiErrorFacts, quoted } from "./api-error";

/** The service does not accept the token, or the token may not do this (401, 403, code 10000). */
export class AuthenticationError extends ApiError {
  readonly code = "PG_AUTHENTICATION";

  /** `tokenSource` says where the token came from; it is never the token. */
  constructor(facts: ApiErrorFacts, tokenSource: string, serviceMessage?: string) {
    super(facts, {
      what: `The service refused the API token.${quoted(serviceMessage)}`,
      why: `The token (from ${tokenSource}) is wrong, expired, issued for another zone, or lacks a permission.`,
      fix:
        "It needs the permission Page Shield Read for reading and Page Shield Write for changes, on this zone; " +
        "the WAF needs Zone WAF Read and Zone WAF Write. A token created seconds ago may need a moment: run again.",
    });
  }
}
