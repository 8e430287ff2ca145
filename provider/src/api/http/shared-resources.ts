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
 * Objects that the clients of this process share: one HTTP agent for each set of proxies, so that connections stay open from one
 * Pulumi resource to the next, and one limiter for each host, because a host's rate limit applies to all requests together.
 */
const agents = new Map<string, Dispatcher>();
const limiters = new Map<string, RateLimiter>();

/**
 * Returns the HTTP agent for a base URL. The agent uses a proxy if the usual variables name one, but not for a loopback host: a
 * proxy would see the token, and would look for that host on its own machine.
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
  // Loads undici for the first client, so that a program that only declares resources does not wait for undici to load.
  const { EnvHttpProxyAgent } = require("undici") as typeof import("undici");
  const agent = new EnvHttpProxyAgent({
    httpProxy,
    httpsProxy,
    noProxy,
    // One request at a time on each connection, so that a response that is cut off affects no other request.
    pipelining: 1,
    // More connections would only slow down the service.
    connections: 64,
  });
  agents.set(proxies, agent);
  return agent;
}

function checkProxy(proxy: string): void {
  if (proxy === "" || ["http:", "https:", "socks5:"].includes(parseUrl(proxy)?.protocol ?? "")) return;
  // The value may contain a password, so the message does not show it.
  throw new InputError(
    "HTTPS_PROXY",
    "The environment variable HTTPS_PROXY or HTTP_PROXY does not contain the URL of a proxy.",
    "Set it to a URL with scheme, host and port like http://proxy.example.com:3128, or unset it.",
  );
}

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
