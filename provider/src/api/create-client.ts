import { apiSettings } from "./api-settings";
import type { ResolvedConnection } from "./client-types";
import { type Clock, systemClock } from "./clock";
import { createSend } from "./http/send-request";
import { sharedAgent, sharedLimiter } from "./http/shared-resources";
import { type HttpAnswer, type Transport, undiciTransport } from "./http/transport";
import type { RateLimiter } from "./rate-limit/rate-limiter";
import { pageGuardOperations } from "./wire/page-guard-operations";
import { wafOperations } from "./wire/waf-operations";

/** The operations of both APIs, in total camelCase objects. One request each unless noted. */
export type PageGuardClient = ReturnType<typeof pageGuardOperations> & ReturnType<typeof wafOperations>;

/** The operations of a client that only read. */
export type ReadClient = Pick<
  PageGuardClient,
  Extract<keyof PageGuardClient, `get${string}` | `list${string}`>
>;

/** Everything has a default; what is given replaces what the process shares. */
interface ClientOptions {
  readonly transport?: Transport | undefined;
  readonly limiter?: RateLimiter | undefined;
  readonly clock?: Clock | undefined;
  /** 0 up to, not including, 1: for the jitter of waits. */
  readonly random?: (() => number) | undefined;
  /** Environment with `PAGE_GUARD_TIMEOUT_MS`, the proxy variables and others. Default: the process's. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Ends every request and every wait of this client. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called for a wait of over ten seconds for the rate limit: by one of the waiting requests, once a minute, in the
   * asynchronous context of the waiting call.
   */
  readonly onRateWait?: ((text: string) => void) | undefined;
}

/**
 * A client for both APIs. Cheap to create: all clients of the process share the HTTP agent and the limiter.
 *
 * Every method rejects with an `ApiError` (a `PageGuardError` with an `outcome`).
 *
 * @throws InputError when a variable of the environment cannot be used.
 */
export function createClient(connection: ResolvedConnection, options: ClientOptions = {}): PageGuardClient {
  const env = options.env ?? process.env;
  const settings = apiSettings(env);
  const send = createSend({
    connection,
    transport: options.transport ?? undiciTransport(sharedAgent(env, connection.baseUrl)),
    limiter: options.limiter ?? sharedLimiter(connection, settings),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    attemptMs: settings.attemptMs,
    signal: options.signal,
    onRateWait: options.onRateWait,
  });
  return { ...pageGuardOperations(send, connection), ...wafOperations(send, connection) };
}

/** A client that cannot change a zone: a fault of who reads must not. It tells each request, and its answer if there is one. */
export function createReader(
  connection: ResolvedConnection,
  env: NodeJS.ProcessEnv,
  { onSend, onEnd }: { onSend(): void; onEnd(answer: HttpAnswer | undefined): void },
): ReadClient {
  const send = undiciTransport(sharedAgent(env, connection.baseUrl));
  const transport: Transport = async (request, signal) => {
    const { method } = request;
    if (method !== "GET")
      throw new Error(
        `A client that only reads was about to send a ${method}. Nothing was sent; please report this.`,
      );
    onSend();
    const result = await send(request, signal);
    onEnd(result.answer);
    return result;
  };
  return createClient(connection, { env, transport });
}
