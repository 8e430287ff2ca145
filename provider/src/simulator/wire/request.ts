import type { IncomingMessage } from "node:http";
import type { Zone } from "../state/zone";
import type { Answer } from "./envelope";

/** The two spellings of the page-guard part of the API. */
export type ServiceName = "page_guard" | "page_shield";

/** A request that has passed the door: token, route, zone, query names and media type are in order. */
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

/** Where a request goes; a target that is no URL goes nowhere that exists. */
export function urlOf({ url = "/" }: IncomingMessage): URL {
  const origin = "http://simulator";
  try {
    return new URL(url, origin);
  } catch {
    return new URL("/malformed", origin);
  }
}
