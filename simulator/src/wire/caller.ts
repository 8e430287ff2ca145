import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { codes } from "./operation";

/**
 * Why a request is refused, in a sentence; undefined when it is accepted. A web page that is open in a browser on this
 * machine reaches loopback too: it is recognised by the host that it requests (a name of its own that was made to
 * point here) or by its origin. Other programs send no origin.
 */
export function whyRefused(request: IncomingMessage, hosts: readonly string[]): string | undefined {
  const { host = "", origin } = request.headers;
  if (!isOurs(host, hosts)) {
    return `The simulator does not serve the host "${printable(host)}": use its address or localhost, or add that host to allowedHosts (--allow-host).`;
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    return `The simulator refuses requests of web pages, and "${printable(origin)}" is one.`;
  }
  return undefined;
}

/** In the words of both the API and the control interface. */
export function turnAway(response: ServerResponse, reason: string): void {
  const errors = [{ code: codes.authentication, message: reason }];
  response.writeHead(403, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: reason, result: null, success: false, errors, messages: [] }));
}

/** A web page cannot make an address its own, only a name. */
function isOurs(host: string, hosts: readonly string[]): boolean {
  const name = nameOf(host);
  if (name === undefined) return false;
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
  return isAddress || name === "localhost" || hosts.some((ours) => ours.toLowerCase() === name);
}

/** `Host` without its port, in lower case; undefined when it is not a host. */
function nameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
}

function printable(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x7e]/g, "?");
}
