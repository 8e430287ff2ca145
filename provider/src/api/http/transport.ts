import type { Dispatcher } from "undici";

/** Headers of a response, by lower-case name. */
export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

interface HttpRequest {
  readonly method: "GET" | "PUT" | "POST" | "PATCH" | "DELETE";
  /** Absolute URL that contains no secret. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: string;
}

/** Facts about a request that got no complete response. They contain neither headers nor bodies. */
export interface TransportFailure {
  /** `ECONNREFUSED`, `UND_ERR_SOCKET`, `CERT_HAS_EXPIRED`, `TRUNCATED`, ... */
  readonly reason: string;
  /** False only if no byte of the request was written to a connection. */
  readonly sent: boolean;
  readonly viaProxy: boolean;
}

export type TransportResult =
  | { readonly answer: HttpAnswer; readonly failure?: never }
  | { readonly answer?: never; readonly failure: TransportFailure };

/** Sends a request once. Never rejects: if the signal fires, the result is a failure with the reason `ABORTED`. */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<TransportResult>;

/** Maximum bytes of a body. Responses of the two APIs are far smaller: a result page of 100 scripts has about 100 kB. */
const mostBodyBytes = 64 * 1024 * 1024;

/** Creates a transport that uses undici. The transport never retries: it aborts a request that undici starts to resend. */
export function undiciTransport(dispatcher: Dispatcher): Transport {
  return (request, signal) =>
    new Promise((resolve) => {
      const url = new URL(request.url);
      const { origin, pathname, search } = url;
      const chunks: Buffer[] = [];
      let sent = false;
      let size = 0;
      let head: Pick<HttpAnswer, "status" | "headers"> | undefined;
      let stop: ((reason: Error) => void) | undefined;
      let over = false;

      const end = (result: TransportResult) => {
        if (over) return;
        over = true;
        signal.removeEventListener("abort", onAbort);
        resolve(result);
      };
      const fail = (reason: string, viaProxy = false) => end({ failure: { reason, sent, viaProxy } });
      const failBy = (error: unknown) => {
        const { reason, viaProxy } = describeFault(error, url);
        fail(head === undefined ? reason : "TRUNCATED", viaProxy);
      };
      const onAbort = () => {
        fail("ABORTED");
        stop?.(new Error("aborted"));
      };
      if (signal.aborted) return fail("ABORTED");
      signal.addEventListener("abort", onAbort, { once: true });

      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(controller) {
          // Undici calls this before it writes the first byte. A second call means that undici sends the request again.
          if (over || sent) controller.abort(new Error("stopped"));
          sent = true;
          stop = (reason) => controller.abort(reason);
        },
        onResponseStart(_controller, status, headers) {
          // Responses with status 1xx precede the real response and are ignored.
          if (status >= 200) head = { status, headers: flat(headers) };
        },
        onResponseData(controller, chunk) {
          size += chunk.length;
          if (size > mostBodyBytes) {
            fail("TOO_LARGE");
            controller.abort(new Error("too large"));
          } else chunks.push(chunk);
        },
        onResponseEnd() {
          if (head === undefined) fail("TRUNCATED");
          else end({ answer: { ...head, body: Buffer.concat(chunks).toString("utf8") } });
        },
        onResponseError: (_controller, error) => failBy(error),
      };
      try {
        dispatcher.dispatch(
          {
            origin,
            path: `${pathname}${search}`,
            method: request.method,
            headers: { ...request.headers },
            body: request.body ?? null,
            // The caller's signal limits the whole attempt.
            headersTimeout: 0,
            bodyTimeout: 0,
          },
          handler,
        );
      } catch (error) {
        failBy(error);
      }
    });
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): AnswerHeaders {
  const entries = Object.entries(headers).map(([name, value]) => {
    return [name.toLowerCase(), Array.isArray(value) ? value.join(", ") : value];
  });
  return Object.fromEntries(entries);
}

function describeFault(error: unknown, url: URL): { reason: string; viaProxy: boolean } {
  if (!(error instanceof Error)) return { reason: "UNKNOWN", viaProxy: false };
  const code = readCode(error);
  // Behind a proxy, undici reports a certificate with the wrong host name as an error with this code. The `cause` of that error
  // is the original error.
  if (code === "UND_ERR_PRX_TLS") {
    return { reason: error.cause instanceof Error ? readCode(error.cause) : code, viaProxy: true };
  }
  const refused = /Proxy response \((\d+)\)/.exec(error.message);
  if (refused !== null) return { reason: `PROXY_${refused[1]}`, viaProxy: true };
  return { reason: code, viaProxy: /proxy/i.test(error.message) || isElsewhere(error, url) };
}

/** Whether the failed connection went to a host or port other than the URL's. If so, the connection went to the proxy. */
function isElsewhere(error: Error, { hostname, port, protocol }: URL): boolean {
  const failed = Object(error instanceof AggregateError ? error.errors[0] : error);
  const own = { hostname, port: Number(port || (protocol === "http:" ? 80 : 443)) };
  return Object.entries(own).some(([name, value]) => ![undefined, value].includes(Reflect.get(failed, name)));
}

function readCode(error: Error): string {
  if ("code" in error && typeof error.code === "string") return error.code;
  // Node tried several addresses, and each failed with its own error. Report the first.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return readCode(error.errors[0]);
  return error.name;
}
