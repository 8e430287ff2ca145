import type { Zone } from "../state/zone";

/** The two spellings of the page-guard part of the API. */
export type ServiceName = "page_guard" | "page_shield";

/** A request whose token, route, zone, query names and media type are valid. */
export interface ApiRequest {
  readonly zone: Zone;
  readonly service: ServiceName;
  /** Identifiers in the path, by their names in the route's pattern. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: ReadonlyMap<string, string>;
  readonly body: unknown;
  /** Milliseconds on the simulator's clock. */
  readonly now: number;
  /** Returns a new identifier: 32 hexadecimal characters. */
  readonly mint: () => string;
}

/** Carries out one request synchronously, so that no other request comes between its reads and its writes. */
export type Operation = (request: ApiRequest) => Answer;

export function timestamp(now: number): string {
  return new Date(now).toISOString();
}

/**
 * Error codes of both APIs. Codes that appear in the public schemas have the same values here. All other values are the
 * simulator's own, so a client must not depend on them.
 */
export const codes = {
  authentication: 10000,
  noRoute: 7003,
  noEntrypoint: 10003,
  throttled: 10100,
  invalid: 10400,
  notEntitled: 10403,
  notFound: 10404,
  methodNotAllowed: 10405,
  conflict: 10409,
  gone: 10410,
  mediaType: 10415,
  internal: 10500,
  quota: 10450,
  migration: 10460,
  enrollment: 10461,
} as const;

export type ResultInfo = Readonly<
  Record<"page" | "per_page" | "count" | "total_count" | "total_pages", number>
>;

export interface Answer {
  readonly status: number;
  /** Body of the response; undefined if it has none. */
  readonly body: unknown;
  /** Whether the operation changed anything in the zone, apart from timestamps and versions. */
  readonly changed: boolean;
}

/** Thrown by an operation that refuses a request; becomes a response with `success: false`. */
export class RefusalError extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly pointer?: string,
  ) {
    super(message);
    this.name = "RefusalError";
  }
}

export function ok(result: unknown, changed = false, resultInfo?: ResultInfo): Answer {
  const info = resultInfo && { result_info: resultInfo };
  return { status: 200, body: { result, ...info, success: true, errors: [], messages: [] }, changed };
}

/** Returns the item with this id. @throws RefusalError if there is none */
export function findOrRefuse<T extends { id: string }>(
  items: readonly T[],
  id: string | undefined,
  what: string,
): T {
  const item = items.find((one) => one.id === id);
  if (item === undefined) throw new RefusalError(404, codes.notFound, `${what} not found`);
  return item;
}

export function failure(status: number, code: number, message: string, pointer?: string): Answer {
  const error = { code, message, ...(pointer === undefined ? {} : { source: { pointer } }) };
  return { status, body: { result: null, success: false, errors: [error], messages: [] }, changed: false };
}
