import type { IncomingMessage } from "node:http";
import type { Zone } from "../state/zone";
import type { Answer } from "./envelope";

/** The two spellings of the page-guard part of the API. */
export type ServiceName = "page_guard" | "page_shield";

/** A request whose token, route, zone, query names and media type are valid. */
export interface ApiRequest {
  readonly zone: Zone;
  readonly service: ServiceName;
  /** Identifiers in the path by the name in the route's pattern. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: ReadonlyMap<string, string>;
  readonly body: unknown;
  /** Milliseconds on the simulator's clock. */
  readonly now: number;
  /** A new identifier: 32 hexadecimal characters. */
  readonly mint: () => string;
}

/** Carries one request out, at once: no other request comes between its reading and its writing. */
export type Operation = (request: ApiRequest) => Answer;

export function timestamp(now: number): string {
  return new Date(now).toISOString();
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
