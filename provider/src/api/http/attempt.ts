import {
  type ApiError,
  type ApiErrorFacts,
  isRouteCode,
  NotFoundError,
  type Outcome,
  refusedRequest,
  unansweredRequest,
  unexpectedAnswer,
} from "../../errors/api-error";
import type { ErrorFacts } from "../../errors/page-guard-error";
import type { ResolvedConnection } from "../client-types";
import type { Clock } from "../clock";
import { type RateHeaders, rateHeaders } from "../rate-limit/rate-headers";
import { type Refusal, type ResultInfo, readAnswer } from "../wire/envelope";
import type { HttpAnswer, Transport, TransportFailure } from "./transport";
import { redact, removeToken } from "./without-token";

export interface ApiRequest {
  /** The operation in words for messages, such as `update the settings`. */
  readonly operation: string;
  readonly zoneId: string;
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Path below the base URL, already encoded, with the query. */
  readonly path: string;
  readonly body?: unknown;
  /**
   * Whether and when the sender may repeat the request. No other layer repeats it.
   * - `freely`: carrying it out twice has the same effect as carrying it out once.
   * - `refused-429`: only after a complete 429 response, which proves that nothing was done. For a POST that creates an object.
   * - `never`: not even after a 429. For a request that cannot be undone, or whose caller must first read the zone again.
   */
  readonly repeat: "freely" | "refused-429" | "never";
  /** Whether the request skips the wait for the rate limit. See `Wish`. */
  readonly isUrgent?: boolean;
  /**
   * Called right before each attempt. If it rejects, the request fails with that error, and nothing is sent. `isLate`: whether the
   * request waited so long for the rate limit that earlier readings may be out of date.
   */
  readonly beforeSend?: ((isLate: boolean) => Promise<void>) | undefined;
}

/** Facts for messages. With these facts, the service's support can find the response in the service's logs. */
type Trace = Pick<ErrorFacts, "httpStatus" | "apiCode" | "requestId">;

interface Succeeded {
  readonly kind: "succeeded";
  readonly result: unknown;
  readonly info: ResultInfo | undefined;
  readonly trace: Trace;
  readonly rate: RateHeaders;
}

interface FailedRequest {
  readonly facts: ApiErrorFacts;
  readonly attempts: number;
  readonly attemptMs: number;
  readonly patienceMs: number;
  readonly retryAfterMs?: number | undefined;
}

export interface Failed {
  readonly kind: "failed";
  /** Whether another attempt could succeed. */
  readonly mayPass: boolean;
  /** Outcome of this attempt, without regard to earlier attempts. */
  readonly outcome: Outcome;
  readonly trace: Trace;
  /** Undefined if no response arrived. */
  readonly rate?: RateHeaders;
  readonly toError: (given: FailedRequest) => ApiError;
}

export interface AttemptOptions {
  readonly connection: ResolvedConnection;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Cancels all requests and waits. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request once, within `timeoutMs`. Never rejects. */
export async function attempt(
  request: ApiRequest,
  timeoutMs: number,
  { connection, transport, clock, signal }: AttemptOptions,
): Promise<Succeeded | Failed> {
  const timeout = new AbortController();
  const cancel = clock.schedule(timeoutMs, () => timeout.abort());
  const either = AbortSignal.any([timeout.signal, ...(signal ? [signal] : [])]);
  try {
    const { answer, failure } = await transport(toHttp(request, connection), either);
    if (failure === undefined) return interpretAnswer(answer, request.method, connection, clock.epochNow());
    const isTimeout = timeout.signal.aborted && failure.reason === "ABORTED";
    return interpretFailure(isTimeout ? { ...failure, reason: "TIMEOUT" } : failure, connection);
  } finally {
    cancel();
  }
}

function toHttp({ method, path, body }: ApiRequest, { baseUrl, token }: ResolvedConnection) {
  return {
    method,
    url: `${baseUrl}/${path}`,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json",
      // Without this header the service could compress its response.
      "accept-encoding": "identity",
      "user-agent": "pulumi-page-guard",
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

/** Codes of failures that will happen again, such as a bad certificate or address. */
const permanent =
  /CERT|^ERR_SSL|^ERR_TLS|^EPROTO$|UNABLE_TO|^PROXY_4|^TOO_LARGE$|^ERR_INVALID|^UND_ERR_INVALID_ARG$/;

function interpretFailure(failure: TransportFailure, { baseUrl }: ResolvedConnection): Failed {
  return {
    kind: "failed",
    mayPass: !permanent.test(failure.reason),
    outcome: failure.sent ? "unknown" : "unsent",
    trace: {},
    toError: (given) => unansweredRequest(given.facts, { ...given, ...failure, host: new URL(baseUrl).host }),
  };
}

function interpretAnswer(
  given: HttpAnswer,
  method: string,
  { token, tokenSource = "the connection" }: ResolvedConnection,
  now: number,
): Succeeded | Failed {
  const answer = removeToken(given, token);
  const { status, headers } = answer;
  const reading = readAnswer(answer, method);
  const id = headers["cf-ray"] ?? headers["x-request-id"];
  const requestId = id === undefined ? undefined : redact(id, token);
  const trace = {
    httpStatus: status,
    apiCode: reading.kind === "refusal" ? reading.apiCode : undefined,
    requestId,
  };
  const rate = rateHeaders(headers, now);
  if (reading.kind === "ok") {
    return { kind: "succeeded", result: reading.result, info: reading.info, trace, rate };
  }
  if (reading.kind === "unreadable") {
    return {
      kind: "failed",
      trace,
      rate,
      outcome: "unknown",
      // Cut-off JSON means a broken connection. Any other unreadable response would be the same in the next attempt.
      mayPass: reading.cut,
      toError: ({ facts }) => unexpectedAnswer(facts, reading.problem, reading.field),
    };
  }
  const isRefusal = isThrottled(reading);
  const isFault = isServiceFault(status);
  return {
    kind: "failed",
    trace,
    rate: { ...rate, isRefusal },
    // The statuses 501 and 505 mean that the request will never work.
    mayPass: isRefusal || (isFault && status !== 501 && status !== 505),
    // Even after the service has carried out the request, a 5xx response can arrive, for example from a gateway in between.
    outcome: isFault ? "unknown" : "refused",
    toError: (failed) => refusalToError(reading, failed, token, tokenSource),
  };
}

function isServiceFault(status: number): boolean {
  return status >= 500 || status === 408;
}

/** The service's code for an unknown token. A token that was just created is also unknown for some seconds. */
export const authenticationCode = 10000;
/** Codes of the service that mean "too many requests", even with a status other than 429. */
const throttled: readonly (number | undefined)[] = [10100, 971];

function isThrottled({ status, apiCode }: Refusal): boolean {
  return status === 429 || (status >= 400 && status < 500 && throttled.includes(apiCode));
}

/** Creates the error for a refusal. The first case that applies decides. */
function refusalToError(
  refusal: Refusal,
  given: FailedRequest,
  token: string,
  tokenSource: string,
): ApiError {
  const { status, apiCode } = refusal;
  const { facts } = given;
  const message = refusal.message && redact(refusal.message, token);
  const pointer = refusal.pointer && redact(refusal.pointer, token);
  const isGone = status === 404 || status === 410;
  const code = toErrorCode(refusal);
  // A gateway's response proves nothing about the request or the token, and its "not found" never proves a deletion.
  if (!refusal.enveloped && (code === "PG_REFUSED" || code === "PG_AUTHENTICATION"))
    return unexpectedAnswer(facts, `it has HTTP status ${status} and does not come from the service itself`);
  if (code === "PG_REFUSED" && (isGone || isRouteCode(apiCode))) return new NotFoundError(facts, message);
  return refusedRequest(code, facts, { ...given, message, pointer, tokenSource });
}

function toErrorCode(refusal: Refusal): Parameters<typeof refusedRequest>[0] {
  const { status, apiCode, message = "" } = refusal;
  if (isThrottled(refusal)) return "PG_RATE_LIMITED";
  if (isServiceFault(status)) return "PG_SERVICE";
  if (/not entitled|\b\d+ out of 0\b/i.test(message)) return "PG_NOT_ENTITLED";
  if (/exceeded the maximum number of rules/i.test(message)) return "PG_QUOTA";
  if (/waf enrollment is required/i.test(message)) return "PG_WAF_ENROLLMENT";
  const isForbidden = status === 401 || status === 403 || apiCode === authenticationCode;
  return isForbidden ? "PG_AUTHENTICATION" : "PG_REFUSED";
}

/** Whether the request may be sent again after a failed attempt. The first rule that applies decides. */
export function isRetryable(
  { method, repeat }: ApiRequest,
  { trace, mayPass }: Failed,
  tokenMayBeFresh: boolean,
): boolean {
  if (repeat === "never") return false;
  if (trace.httpStatus === 429) return true;
  // Only a 429 proves that a POST was not carried out. Even a POST that seems unsent may have been passed on by a proxy or the
  // kernel. The caller can read the zone to find out whether the POST took effect.
  if (repeat !== "freely" || method === "POST") return false;
  // For a few seconds, some machines of the service do not know a new token yet. Only reads are sent again: if the service
  // refuses a change, the user should see that.
  if (trace.apiCode === authenticationCode) return method === "GET" && tokenMayBeFresh;
  return mayPass;
}
