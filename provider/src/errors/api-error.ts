import { shown } from "../text/shown";
import { type ErrorFacts, type Explanation, PageGuardError } from "./page-guard-error";

/** What is known of a request that failed: `refused` by the service; `unsent`; `unknown`: it may have been carried out. */
export type Outcome = "refused" | "unsent" | "unknown";

export interface ApiErrorFacts extends ErrorFacts {
  /** Whether the request may have been carried out in spite of the failure. */
  readonly outcome: Outcome;
  /** A read changes nothing, so its outcome needs no words. */
  readonly reading?: boolean | undefined;
}

/** A failed request to the service. `outcome` says what is known about its effect. */
export abstract class ApiError extends PageGuardError {
  readonly outcome: Outcome;

  constructor({ outcome, reading: _, ...facts }: ApiErrorFacts, explanation: Explanation) {
    super(facts, explanation);
    this.outcome = outcome;
  }
}

/** What a caller has to know when a change failed. Empty for a read. */
export function effect({ outcome, reading }: ApiErrorFacts): string {
  if (reading) return "";
  switch (outcome) {
    case "refused":
      return "";
    case "unsent":
      return " The request was not sent.";
    case "unknown":
      return " It is not known whether the service carried it out.";
  }
}

/** `The service says: "…".`, or an empty text without a message. */
function quoted(serviceMessage: string | undefined): string {
  return serviceMessage === undefined || serviceMessage === ""
    ? ""
    : ` The service says: "${shown(serviceMessage, { max: 200 })}".`;
}

/** An answer that is not what the API documents describe: which field was wrong, or what came instead. */
export class UnexpectedAnswerError extends ApiError {
  readonly code = "PG_UNEXPECTED_ANSWER";
  /** Path of the wrong field as the service spells it: `result[3].url`. */
  readonly field: string | undefined;

  constructor(facts: ApiErrorFacts, problem: string, field?: string) {
    const where = field === undefined ? "" : ` in the field ${field}`;
    super(facts, {
      what: `The answer is not what the API describes${where}: ${problem}.${effect(facts)}`,
      why:
        field === undefined
          ? "A proxy, gateway or login page answered instead of the service, or the base URL is wrong."
          : "The service has changed, or this version of the package is too old for it.",
      fix:
        field === undefined
          ? "Check the base URL and the proxy variables, then run again."
          : "Install a newer version of pulumi-page-guard; if there is none, report this message.",
    });
    this.field = field;
  }
}

/** The service failed (5xx), also after the retries that were safe. */
export class ServiceError extends ApiError {
  readonly code = "PG_SERVICE";

  constructor(facts: ApiErrorFacts, attempts: number, serviceMessage?: string) {
    const tries = attempts === 1 ? "" : ` ${attempts} times`;
    super(facts, {
      what: `The service failed${tries}.${quoted(serviceMessage)}${effect(facts)}`,
      why: "It has a fault or is overloaded; the request itself is probably valid.",
      fix: "Run again later; its support can find the request by its id.",
    });
  }
}

interface Throttling {
  /** How long the service (or the package's limiter) asks to wait, in seconds, when it says so. */
  readonly retryAfterSeconds?: number | undefined;
  /** How long this package would have waited at most, in seconds. */
  readonly patienceSeconds: number;
}

/** Too many requests (429, codes 10100 and 971), for longer than this package waits. */
export class RateLimitedError extends ApiError {
  readonly code = "PG_RATE_LIMITED";
  readonly retryAfterSeconds: number | undefined;

  constructor(facts: ApiErrorFacts, throttling: Throttling, serviceMessage?: string) {
    const { retryAfterSeconds, patienceSeconds } = throttling;
    const wait = retryAfterSeconds === undefined ? "" : ` and asks to wait ${Math.ceil(retryAfterSeconds)} s`;
    super(facts, {
      what: `The service blocks this user for too many requests${wait}.${quoted(serviceMessage)}`,
      why: "The limit (1,200 requests in 5 minutes, unless the service says otherwise) is shared by all tokens of the user and the dashboard.",
      fix:
        retryAfterSeconds === undefined
          ? "Wait five minutes and run again; set PAGE_GUARD_MAX_REQUESTS_PER_5M to less when other programs share the user."
          : `Run again after ${Math.ceil(retryAfterSeconds)} s (this package waits at most ${Math.round(patienceSeconds)} s ` +
            "in all); set PAGE_GUARD_MAX_REQUESTS_PER_5M to less when other programs share the user.",
    });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The service refused, for a reason that has no class of its own. */
export class RequestRefusedError extends ApiError {
  readonly code = "PG_REFUSED";

  /** `pointer` is where in the body the service sees the fault, when it says so. */
  constructor(facts: ApiErrorFacts, serviceMessage?: string, pointer?: string) {
    super(facts, {
      what: `The service refused the request${pointer ? `, because of ${pointer}` : ""}.${quoted(serviceMessage)}${effect(facts)}`,
      why: "It does not accept a value that was sent, or the zone is in a state that does not allow it.",
      fix: "Correct what the service reports, then run again.",
    });
  }
}

/** The service does not accept the token, or the token may not do this (401, 403, code 10000). */
export class AuthenticationError extends ApiError {
  readonly code = "PG_AUTHENTICATION";

  /** `tokenSource` says where the token came from; it is never the token. */
  constructor(facts: ApiErrorFacts, tokenSource: string, serviceMessage?: string) {
    super(facts, {
      what: `The service refused the API token.${quoted(serviceMessage)}`,
      why: `The token (from ${tokenSource}) is wrong, expired, issued for another zone, or lacks a permission.`,
      fix:
        "It needs the permission Page Shield Read for reading and Page Shield Write for changes, on this zone; " +
        "the WAF needs Zone WAF Read and Zone WAF Write. A token created seconds ago may need a moment: run again.",
    });
  }
}

/** The plan of the zone does not include what was requested (403 "not entitled", quota "1 out of 0"). */
export class NotEntitledError extends ApiError {
  readonly code = "PG_NOT_ENTITLED";

  constructor(facts: ApiErrorFacts, serviceMessage?: string) {
    super(facts, {
      what: `The plan of the zone does not include this.${quoted(serviceMessage)}`,
      why: "CSP policies, useConnectionUrlPath: true and useVendorReportingEndpoint: false need an entitlement.",
      fix: "Leave the property out of the program, or have the plan of the zone extended.",
    });
  }
}

/** The zone has as many policies or rules as its plan allows (400 "exceeded the maximum number of rules"). */
export class QuotaExceededError extends ApiError {
  readonly code = "PG_QUOTA";

  constructor(facts: ApiErrorFacts, serviceMessage?: string) {
    super(facts, {
      what: `The zone is full.${quoted(serviceMessage)}`,
      why: "The plan limits the number of policies or rules of a zone; unmanaged ones count as well.",
      fix: 'Remove policies that are no longer needed, merge several into one, or have the limit raised. A resource with a new name and no alias counts twice until the update succeeds: give it aliases: [{ name: "its old name" }].',
    });
  }
}

/** The entry point of the managed WAF was written in a zone whose migration has not begun. */
export class EnrollmentRequiredError extends ApiError {
  readonly code = "PG_WAF_ENROLLMENT";

  constructor(facts: ApiErrorFacts, serviceMessage?: string) {
    super(facts, {
      what: `The zone still uses the previous WAF managed rules.${quoted(serviceMessage)}`,
      why: "Rules of the new managed WAF can only be written once the migration of the zone has begun.",
      fix: "Migrate the zone first (resource WafMigration), then declare a ManagedWafEntrypoint.",
    });
  }
}

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

/** A script, connection or cookie that the service no longer keeps. */
export class ItemGoneError extends ApiError {
  readonly code = "PG_ITEM_GONE";
  readonly itemId: string;

  /** `kind`: script, connection or cookie. */
  constructor(facts: ApiErrorFacts, kind: string, itemId: string) {
    super(facts, {
      what: `There is no ${kind} ${itemId} in this zone, or no longer.`,
      why:
        "Detected items age: infrequent (under 3 reports) is removed after 5 days without a report, active becomes " +
        "inactive when unseen for 7 days, and inactive is removed after 30.",
      fix: 'List again with status: "all" to see what is kept, and read ids from there instead of storing them.',
    });
    this.itemId = itemId;
  }
}
