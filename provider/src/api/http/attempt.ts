import { type Outcome, UnexpectedAnswerError } from "../../errors/api-error";
import type { ErrorFacts, PageGuardError } from "../../errors/page-guard-error";
import type { ResolvedConnection } from "../client-types";
import type { Clock } from "../clock";
import { type RateHeaders, rateHeaders } from "../rate-limit/rate-headers";
import { type ResultInfo, readAnswer } from "../wire/envelope";
import { type FailedRequest, isCertain, refusalToError, transportToError } from "./failure-to-error";
import { type Failure, isThrottled, type Repeat } from "./retry";
import type { HttpAnswer, Transport, TransportFailure, TransportResult } from "./transport";
import { redact, withoutToken } from "./without-token";

/** One operation of the API documents. */
export interface ApiRequest {
  /** In words, for messages: `update the settings`. */
  readonly operation: string;
  readonly zoneId: string;
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Below the base URL, already encoded, with its query. */
  readonly path: string;
  readonly body?: unknown;
  /** Whether it may be sent again after a failure; no layer does more. */
  readonly repeat: Repeat;
}

/** How to find an answer in the service's logs, for messages. */
type Trace = Pick<ErrorFacts, "httpStatus" | "apiCode" | "requestId">;

export interface Succeeded {
  readonly kind: "succeeded";
  readonly result: unknown;
  readonly info: ResultInfo | undefined;
  readonly trace: Trace;
  readonly rate: RateHeaders;
}

export interface Failed {
  readonly kind: "failed";
  readonly failure: Failure;
  /** Of this attempt alone. */
  readonly outcome: Outcome;
  readonly trace: Trace;
  /** Undefined when no answer came. */
  readonly rate: RateHeaders | undefined;
  readonly toError: (given: FailedRequest) => PageGuardError;
}

export interface AttemptOptions {
  readonly connection: ResolvedConnection;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request once, within `timeoutMs`. Never rejects. */
export async function attempt(
  request: ApiRequest,
  timeoutMs: number,
  { connection, transport, clock, signal }: AttemptOptions,
): Promise<Succeeded | Failed> {
  const controller = new AbortController();
  let timedOut = false;
  const cancel = clock.schedule(timeoutMs, () => {
    timedOut = true;
    controller.abort();
  });
  const onAbort = () => controller.abort();
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) controller.abort();
  let result: TransportResult;
  try {
    result = await transport(toHttp(request, connection), controller.signal);
  } finally {
    cancel();
    signal?.removeEventListener("abort", onAbort);
  }
  if (result.failure !== undefined) {
    const reason = timedOut && result.failure.reason === "ABORTED" ? "TIMEOUT" : result.failure.reason;
    return unanswered({ ...result.failure, reason });
  }
  return answered(result.answer, request.method, connection.token, clock.epochNow());
}

function toHttp({ method, path, body }: ApiRequest, { baseUrl, token }: ResolvedConnection) {
  return {
    method,
    url: `${baseUrl}/${path}`,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json",
      // Without it any coding would be allowed.
      "accept-encoding": "identity",
      "user-agent": "pulumi-page-guard",
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

function unanswered(failure: TransportFailure): Failed {
  const timeout = failure.reason === "TIMEOUT" || failure.reason === "UND_ERR_CONNECT_TIMEOUT";
  return {
    kind: "failed",
    failure: timeout ? { kind: "timeout" } : { kind: "network", certain: isCertain(failure.reason) },
    outcome: failure.sent ? "unknown" : "unsent",
    trace: {},
    rate: undefined,
    toError: (given) => transportToError(failure, given),
  };
}

function answered(given: HttpAnswer, method: string, token: string, now: number): Succeeded | Failed {
  const answer = withoutToken(given, token);
  const { status, headers } = answer;
  const reading = readAnswer(answer, method);
  const id = headers["cf-ray"] ?? headers["x-request-id"];
  const trace = {
    httpStatus: status,
    apiCode: reading.kind === "refusal" ? reading.apiCode : undefined,
    requestId: id === undefined ? undefined : redact(id, token),
  };
  const rate = rateHeaders(headers, now);
  if (reading.kind === "ok") {
    return { kind: "succeeded", result: reading.result, info: reading.info, trace, rate };
  }
  const failed = { kind: "failed", trace, rate } as const;
  if (reading.kind === "unreadable") {
    return {
      ...failed,
      // JSON that is cut off means a broken connection; anything else would repeat itself.
      failure: { kind: "network", certain: !reading.cut },
      outcome: "unknown",
      toError: ({ facts }) => new UnexpectedAnswerError(facts, reading.problem, reading.field),
    };
  }
  return {
    ...failed,
    rate: { ...rate, isRefusal: isThrottled(status, reading.apiCode) },
    failure: { kind: "answer", status, apiCode: reading.apiCode },
    // A 5xx, also one of a gateway in between, may come after the work was done.
    outcome: status >= 500 || status === 408 ? "unknown" : "refused",
    toError: (given) => refusalToError(reading, given),
  };
}
