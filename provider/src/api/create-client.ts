import { apiSettings } from "./api-settings";
import type { ResolvedConnection, Service } from "./client-types";
import { systemClock } from "./clock";
import { createSend, type Send, type SendOptions } from "./http/send-request";
import { sharedAgent, sharedLimiter } from "./http/shared-resources";
import { type HttpAnswer, type Transport, undiciTransport } from "./http/transport";
import { pageGuardOperations } from "./wire/page-guard-operations";
import { wafOperations } from "./wire/waf-operations";

/** The operations of both APIs. A list takes one request per result page. A change may take a second to read the result. */
export interface PageGuardClient extends Operations {
  /** Returns operations that do not wait for the rate limit, for reads that another request needs just before it is sent. */
  urgently(): Operations;
}

export interface Operations extends ReturnType<typeof pageGuardOperations>, ReturnType<typeof wafOperations> {
  readonly service: Service;
}

export type ReadClient = Pick<
  PageGuardClient,
  Extract<keyof Operations, "service" | `get${string}` | `list${string}`>
>;

interface ClientOptions extends Partial<Omit<SendOptions, "connection" | "attemptMs">> {
  /** Environment with `PAGE_GUARD_TIMEOUT_MS`, the proxy variables and others. Default: `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Creates a client for both APIs. A client is cheap: by default, all clients of the process share the HTTP agent and the limiter.
 *
 * A failed request rejects with an `ApiError` (a `PageGuardError` with an `outcome`).
 *
 * @throws InputError if the value of an environment variable cannot be used.
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
    waitSignal: options.waitSignal,
    isAbandoned: options.isAbandoned,
  });
  const makeOperations = (by: Send): Operations => {
    const { service } = connection;
    return { service, ...pageGuardOperations(by, connection), ...wafOperations(by, connection) };
  };
  return {
    ...makeOperations(send),
    urgently: () => makeOperations((request) => send({ ...request, isUrgent: true })),
  };
}

/** Creates a client that cannot change a zone, even if its caller has a bug. Calls `onSend` and `onEnd` around each request. */
export function createReader(
  connection: ResolvedConnection,
  env: NodeJS.ProcessEnv,
  { onSend, onEnd }: { onSend(): void; onEnd(answer: HttpAnswer | undefined): void },
): ReadClient {
  const send = undiciTransport(sharedAgent(env, connection.baseUrl));
  const transport: Transport = async (request, signal) => {
    if (request.method !== "GET")
      throw new Error(`A client that only reads tried to send a ${request.method}. Please report this.`);
    onSend();
    const result = await send(request, signal);
    onEnd(result.answer);
    return result;
  };
  return createClient(connection, { env, transport });
}
