import type { IncomingMessage } from "node:http";
import type { Suffered } from "../control/faults";
import type { JournalEntry } from "../state/journal";
import { hexadecimal, type Random } from "../state/random";
import { isZoneId, type Zones } from "../state/zones";
import { type Answer, codes, failure, RefusalError } from "./operation";
import { findRoute } from "./routes";
import { normalise, shapeAnswer, shiftItems } from "./shaping";

/** Everything is appended to it. */
export const basePath = "/client/v4";

/** What a request is carried out with. */
export interface Backend {
  /** The accepted one. */
  readonly token: string;
  readonly zones: Pick<Zones, "find">;
  readonly now: () => number;
  readonly random: Random;
}

/** Checks the request and carries it out. */
export function carryOut(
  { token, zones: living, now: clock, random }: Backend,
  request: IncomingMessage,
  entry: JournalEntry,
  text: string,
  { shaping }: Suffered,
): Answer {
  try {
    if (request.headers.authorization !== `Bearer ${token}`) {
      throw new RefusalError(403, codes.authentication, "Authentication error");
    }
    const url = urlOf(request);
    const [, zones, zoneId = "", ...rest] = entry.path.split("/");
    const zone = zones === "zones" && isZoneId(zoneId) ? living.find(zoneId) : undefined;
    const found = zone && findRoute(entry.method, rest.join("/"));
    if (zone === undefined || found === undefined || !url.pathname.startsWith(`${basePath}/`)) {
      const message = `Could not route to ${entry.path}, perhaps your object identifier is invalid?`;
      throw new RefusalError(404, codes.noRoute, message);
    }
    if (found === "other-method") {
      throw new RefusalError(405, codes.methodNotAllowed, `${entry.method} is not allowed here`);
    }
    const query = readQuery(url, found.route.query);
    const now = clock();
    for (const fault of shaping) shiftItems(zone, entry.path, query, fault, random, now);
    let body = readBody(request, text);
    if (shaping.some((fault) => fault.kind === "normalise")) body = normalise(body);
    const mint = () => hexadecimal(random, 32);
    const { service, params } = found;
    const answer = found.route.operation({ zone, service, params, query, body, now, mint });
    return { ...answer, body: shapeAnswer(answer.body, shaping) };
  } catch (error) {
    if (error instanceof RefusalError) return failure(error.status, error.code, error.message, error.pointer);
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return failure(500, codes.internal, `a fault of the simulator itself: ${reason}`);
  }
}

function readQuery(url: URL, known: readonly string[]): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (!known.includes(name)) {
      throw new RefusalError(400, codes.invalid, `?${name} is not a known parameter here`, `?${name}`);
    }
    if (query.has(name)) throw new RefusalError(400, codes.invalid, `?${name} is given twice`, `?${name}`);
    query.set(name, value);
  }
  return query;
}

function readBody(request: IncomingMessage, text: string): unknown {
  const takesBody = request.method === "PUT" || request.method === "POST" || request.method === "PATCH";
  if (!takesBody) {
    if (text === "") return undefined;
    throw new RefusalError(400, codes.invalid, `${request.method} takes no body`, "");
  }
  const mediaType = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (mediaType !== "application/json") {
    throw new RefusalError(415, codes.mediaType, "Content-Type must be application/json");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new RefusalError(400, codes.invalid, "the body is not JSON", "");
  }
}

/** The URL of a request; for a malformed one, a path that does not exist. */
export function urlOf({ url = "/" }: IncomingMessage): URL {
  const origin = "http://simulator";
  try {
    return new URL(url, origin);
  } catch {
    return new URL("/malformed", origin);
  }
}
