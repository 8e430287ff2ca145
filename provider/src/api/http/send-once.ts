import { parseUrl } from "../../text/from-outside";
import { isLoopback } from "../connection";
import { sharedAgent } from "./shared-resources";
import { type Transport, type TransportResult, undiciTransport } from "./transport";
import { removeToken } from "./without-token";

/**
 * Sends one request, without retries, to an API that the client does not cover, and removes the token from the response. Sends
 * nothing and returns undefined if the URL is not https (http to a loopback host is allowed), or if it contains a user name.
 */
export async function sendOnce(
  env: NodeJS.ProcessEnv,
  token: string,
  request: Parameters<Transport>[0],
): Promise<TransportResult | undefined> {
  const url = parseUrl(request.url);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (!isSafe || url.username !== "") return undefined;
  const result = await undiciTransport(sharedAgent(env, request.url))(request, AbortSignal.timeout(30_000));
  return result.answer ? { answer: removeToken(result.answer, token) } : result;
}
