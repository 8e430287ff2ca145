import { appendFileSync } from "node:fs";
import type { Dispatcher } from "undici";
import { InputError } from "../../errors/page-guard-error";
import { parseUrl } from "../../text/from-outside";
import type { ApiSettings } from "../api-settings";
import type { ResolvedConnection } from "../client-types";
import { systemClock } from "../clock";
import { isLoopback } from "../connection";
import { documented } from "../rate-limit/rate-headers";
import { RateLimiter } from "../rate-limit/rate-limiter";

/**
 * Resources that all clients of this process share: one HTTP agent, so that connections are kept alive between resources,
 * and one limiter for each service, so that the limit holds for all operations together.
 */
const agents = new Map<string, Dispatcher>();
const limiters = new Map<string, RateLimiter>();

/**
 * The HTTP agent of the process; through a proxy when the usual variables name one. Never to a loopback host: the proxy
 * would get the token, and what it calls loopback is itself.
 */
export function sharedAgent(env: NodeJS.ProcessEnv, baseUrl: string): Dispatcher {
  const isDirect = isLoopback(new URL(baseUrl).hostname);
  const httpProxy = isDirect ? "" : env["http_proxy"] || env["HTTP_PROXY"] || "";
  const httpsProxy = isDirect ? "" : env["https_proxy"] || env["HTTPS_PROXY"] || "";
  const noProxy = env["no_proxy"] || env["NO_PROXY"] || "";
  const proxies = [httpProxy, httpsProxy, noProxy].join("\n");
  const known = agents.get(proxies);
  if (known !== undefined) return known;
  for (const proxy of [httpProxy, httpsProxy]) checkProxy(proxy);
  const options = {
    // One request at a time on a connection: an answer that breaks off concerns no other request.
    pipelining: 1,
    // More than this many at once only make the service slower.
    connections: 64,
  };
  const dispatcher =
    httpProxy === "" && httpsProxy === ""
      ? new (undici().Agent)(options)
      : new (undici().EnvHttpProxyAgent)({
          ...options,
          httpProxy,
          httpsProxy: httpsProxy || httpProxy,
          noProxy,
        });
  agents.set(proxies, dispatcher);
  return dispatcher;
}

/** Loads undici with the first client: a program that only declares resources never waits for it. */
const undici = () => require("undici") as typeof import("undici");

function checkProxy(proxy: string): void {
  if (proxy === "") return;
  if (["http:", "https:", "socks5:"].includes(parseUrl(proxy)?.protocol ?? "")) return;
  // The value may hold a password: it is not shown.
  throw new InputError(
    "HTTPS_PROXY",
    "The proxy variable of the environment (HTTPS_PROXY or HTTP_PROXY) is not the URL of a proxy.",
    "Set it to a URL with scheme, host and port like http://proxy.example.com:3128, or unset it.",
  );
}

/** Returns the rate limiter of a service, which all clients of the process share. */
export function sharedLimiter(
  { baseUrl }: Pick<ResolvedConnection, "baseUrl">,
  { maxRequests: limit, requestsFile }: Pick<ApiSettings, "maxRequests" | "requestsFile">,
): RateLimiter {
  const key = `${new URL(baseUrl).origin} ${limit} ${requestsFile}`;
  let limiter = limiters.get(key);
  if (limiter === undefined) {
    const ceiling = limit === undefined ? undefined : { ...documented, limit };
    const onSend = requestsFile === undefined ? undefined : () => appendFileSync(requestsFile, ".");
    limiter = new RateLimiter(systemClock, ceiling, onSend);
    limiters.set(key, limiter);
  }
  return limiter;
}
