import { ApiError, type ApiErrorFacts, quoted } from "./api-error";
import type { Explanation } from "./page-guard-error";

/** The service has no such route: 7003 for a path that it cannot parse, 7000 alone or beside it. */
const routeCodes: ReadonlySet<number | undefined> = new Set([7000, 7003]);

export function isRouteCode(apiCode: number | undefined): boolean {
  return routeCodes.has(apiCode);
}

/** The object does not exist. */
export function isObjectGone(error: unknown): error is NotFoundError {
  return error instanceof NotFoundError && !isRouteCode(error.facts.apiCode);
}

/** The answer is about the route rather than the object: it never means that an object was deleted. */
export function isNoSuchRoute(error: unknown): error is NotFoundError {
  return error instanceof NotFoundError && isRouteCode(error.facts.apiCode);
}

/** The zone or object does not exist, or not for this token (404, 410, codes 7000 and 7003). */
export class NotFoundError extends ApiError {
  readonly code = "PG_NOT_FOUND";

  /** `explanation`: where more is known than the answer says. */
  constructor(facts: ApiErrorFacts, serviceMessage?: string, explanation?: Explanation) {
    const wrongRoute = isRouteCode(facts.apiCode);
    super(
      facts,
      explanation ?? {
        what: `The service does not know the requested object.${quoted(serviceMessage)}`,
        why: wrongRoute
          ? "It has no such route: the zone id is malformed, or the connection's service name is the other one."
          : "It was deleted outside of this program, or the zone belongs to an account that the token cannot see.",
        fix: wrongRoute
          ? "Check zoneId (32 hexadecimal characters, on the overview page of the zone) and service (page_guard or page_shield)."
          : "Check the ids; if the object was deleted outside of the program, run `pulumi refresh`.",
      },
    );
  }
}
