import {
  type ApiErrorFacts,
  AuthenticationError,
  EnrollmentRequiredError,
  isRouteCode,
  NotEntitledError,
  NotFoundError,
  QuotaExceededError,
  RateLimitedError,
  RequestRefusedError,
  ServiceError,
  UnexpectedAnswerError,
} from "../../errors/api-error";
import { NetworkError, TimeoutError } from "../../errors/network-error";
import type { PageGuardError } from "../../errors/page-guard-error";
import type { Reading } from "../wire/envelope";
import { authenticationCode, isThrottled } from "./retry";
import type { TransportFailure } from "./transport";
import { redact } from "./without-token";

/** What is known about the failed request. */
export interface FailedRequest {
  readonly facts: ApiErrorFacts;
  readonly token: string;
  readonly tokenSource: string;
  readonly host: string;
  readonly attempts: number;
  readonly attemptMs: number;
  readonly patienceMs: number;
  readonly retryAfterSeconds?: number | undefined;
}

type Refusal = Extract<Reading, { kind: "refusal" }>;

/** The error of a request that got a refusal. The first meaning that fits decides. */
export function refusalToError(refusal: Refusal, given: FailedRequest): PageGuardError {
  const { status, apiCode, enveloped } = refusal;
  const { facts, token, tokenSource, attempts, patienceMs, retryAfterSeconds } = given;
  const message = refusal.message === undefined ? undefined : redact(refusal.message, token);
  if (isThrottled(status, apiCode)) {
    return new RateLimitedError(facts, { retryAfterSeconds, patienceSeconds: patienceMs / 1000 }, message);
  }
  if (status >= 500 || status === 408) return new ServiceError(facts, attempts, message);
  // A gateway's own "not found" must never be mistaken for a deleted object.
  if (!enveloped && (status === 404 || status === 410)) {
    return new UnexpectedAnswerError(facts, '"not found" that is not the service\'s own answer');
  }
  if (message !== undefined) {
    if (/not entitled|\b\d+ out of 0\b/i.test(message)) return new NotEntitledError(facts, message);
    if (/exceeded the maximum number of rules/i.test(message)) return new QuotaExceededError(facts, message);
    if (/waf enrollment is required/i.test(message)) return new EnrollmentRequiredError(facts, message);
  }
  if (status === 401 || status === 403 || apiCode === authenticationCode) {
    return new AuthenticationError(facts, tokenSource, message);
  }
  if (status === 404 || status === 410 || isRouteCode(apiCode)) return new NotFoundError(facts, message);
  return new RequestRefusedError(facts, message, refusal.pointer && redact(refusal.pointer, token));
}

export function transportToError(failure: TransportFailure, given: FailedRequest): PageGuardError {
  const { facts, host, attempts, attemptMs } = given;
  switch (failure.reason) {
    case "TRUNCATED":
      return new UnexpectedAnswerError(facts, "the connection broke off in the middle of it");
    case "TOO_LARGE":
      return new UnexpectedAnswerError(facts, "it is larger than any answer of this API");
    case "TIMEOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
      return new TimeoutError(facts, attempts, attemptMs);
    default:
      return new NetworkError(facts, { reason: failure.reason, host, attempts, viaProxy: failure.viaProxy });
  }
}

/** Whether the same failure is certain to come again. */
export function isCertain(reason: string): boolean {
  return /CERT|^ERR_SSL|^ERR_TLS|^EPROTO$|UNABLE_TO|^PROXY_4|^TOO_LARGE$|^ERR_INVALID|^UND_ERR_INVALID_ARG$/.test(
    reason,
  );
}
