import { clean } from "../text/shown";
import { type ErrorCode, type ErrorFacts, type Explanation, PageGuardError } from "./page-guard-error";

/** Outcome of a request that failed: `refused` by the service, `unsent`, or `unknown` if it may have been carried out. */
export type Outcome = "refused" | "unsent" | "unknown";

export interface ApiErrorFacts extends ErrorFacts {
  /** Whether the request may have been carried out despite the failure. */
  readonly outcome: Outcome;
  /** Whether the request only reads. The message about a failed read does not mention the outcome. */
  readonly reading?: boolean | undefined;
}

/** A failed request to the service. `outcome` says what is known about its effect. */
export class ApiError extends PageGuardError {
  readonly outcome: Outcome;

  /** @internal */
  constructor(
    code: ErrorCode,
    { outcome, reading: _, ...facts }: ApiErrorFacts,
    explanation: Explanation,
    cause?: unknown,
  ) {
    super(code, facts, explanation, cause);
    this.outcome = outcome;
  }
}

export function isApiError(error: unknown, ...codes: readonly ErrorCode[]): error is ApiError {
  return error instanceof ApiError && codes.includes(error.code);
}

/** Says whether a failed change may be in effect. Empty for a read or a refusal. */
function effect({ outcome, reading }: ApiErrorFacts): string {
  if (reading || outcome === "refused") return "";
  return outcome === "unsent"
    ? " The request was not sent."
    : " It is not known whether the service carried out the request.";
}

function quoted(message: string | undefined): string {
  return message ? ` The service says: "${clean(message, { max: 200 })}".` : "";
}

interface Refused {
  readonly message?: string | undefined;
  /** Part of the request body that the service rejected. */
  readonly pointer?: string | undefined;
  /** Source of the token, never the token itself. */
  readonly tokenSource?: string | undefined;
  readonly attempts?: number;
  /** Time to wait that the service or the limiter of this package requires. */
  readonly retryAfterMs?: number | undefined;
  /** Longest time that this package waits for a block of the service to end. */
  readonly patienceMs?: number;
}

/** Explanations of refusals. The service's own message follows the first sentence. */
const refusals = {
  PG_REFUSED: ({ pointer }) => ({
    what: pointer
      ? `The service refused the request, because of ${pointer}.`
      : "The service refused the request.",
    why: "It does not accept a value in the request, or the zone is in a state that does not allow the request.",
    fix: "Fix the problem that the service reports, then run the command again.",
  }),
  PG_SERVICE: ({ attempts = 1 }) => ({
    what: attempts === 1 ? "The service failed." : `The service failed ${attempts} times.`,
    why: "It has a fault or is overloaded; the request itself is probably valid.",
    fix: "Run the command again later. If it keeps failing, give the id of the request to the service's support.",
  }),
  PG_RATE_LIMITED: ({ retryAfterMs, patienceMs = 0 }) => {
    let what = "The service blocks this user because of too many requests";
    let again = "Wait five minutes and run again";
    if (retryAfterMs !== undefined) {
      const seconds = Math.ceil(retryAfterMs / 1000);
      what += ` and asks you to wait ${seconds} s`;
      again = `Run again after ${seconds} s (this package waits at most ${Math.round(patienceMs / 1000)} s for a block to end)`;
    }
    return {
      what: `${what}.`,
      why: "All API tokens of the user, and the dashboard, share one limit: 1,200 requests in 5 minutes, unless the service says otherwise.",
      fix: `${again}; lower PAGE_GUARD_MAX_REQUESTS_PER_5M if other programs use the same user.`,
    };
  },
  PG_AUTHENTICATION: ({ tokenSource }) => ({
    what: "The service refused the API token.",
    why: `The token (from ${tokenSource}) is wrong, has expired, was issued for another zone, or lacks a permission.`,
    fix:
      "It needs the permission Page Shield Read for reading and Page Shield Write for changes, on this zone; " +
      "the WAF needs Zone WAF Read and Zone WAF Write. A token created seconds ago may need a moment: run again.",
  }),
  PG_NOT_ENTITLED: () => ({
    what: "The zone's service plan does not include this feature.",
    why: "CSP policies, useConnectionUrlPath: true and useVendorReportingEndpoint: false need an entitlement.",
    fix: "Leave the property out of the program, or upgrade the plan of the zone.",
  }),
  PG_QUOTA: () => ({
    what: "The zone has reached a limit of its plan.",
    why: "The plan limits the number of policies or rules in a zone. Unmanaged policies and rules count as well.",
    fix: 'Remove policies that are no longer needed, merge several into one, or have the limit raised. A resource with a new name and no alias counts twice until the update succeeds: give it aliases: [{ name: "its old name" }].',
  }),
  PG_WAF_ENROLLMENT: () => ({
    what: "The zone still uses the previous WAF managed rules.",
    why: "Rules of the new managed WAF can only be written once the migration of the zone has begun.",
    fix: "Migrate the zone first (resource WafMigration), then declare a ManagedWafEntrypoint.",
  }),
} as const satisfies Readonly<Record<`PG_${string}`, (given: Refused) => Explanation>>;

/** Creates the error for a request that the service refused or failed to carry out. */
export function refusedRequest(
  code: keyof typeof refusals,
  facts: ApiErrorFacts,
  given: Refused = {},
): ApiError {
  const { what, why, fix } = refusals[code](given);
  return new ApiError(code, facts, { what: `${what}${quoted(given.message)}${effect(facts)}`, why, fix });
}

/** Creates the error for a response that differs from the API documents. `field`: path of the wrong field in the response. */
export function unexpectedAnswer(facts: ApiErrorFacts, problem: string, field?: string): ApiError {
  const where = field === undefined ? "" : ` (field ${field})`;
  const what = `The response does not match the API documentation${where}: ${problem}.${effect(facts)}`;
  const [why, fix] =
    field === undefined
      ? [
          "A proxy, gateway or login page responded instead of the service, or the base URL is wrong.",
          "Check the base URL and the proxy variables, then run again.",
        ]
      : [
          "The service has changed, or this version of the package is too old for it.",
          "Install a newer version of pulumi-page-guard; if there is none, report this message.",
        ];
  return new ApiError("PG_UNEXPECTED_ANSWER", facts, { what, why, fix });
}

export function abortedRequest(facts: ApiErrorFacts): ApiError {
  const what = `The request was cancelled.${effect(facts)}`;
  const fix = "Run again if that was not intended.";
  return new ApiError("PG_ABORTED", facts, {
    what,
    why: "The calling program or the Pulumi engine cancelled it.",
    fix,
  });
}

/** Creates the error for an accepted change whose result could not be read. The change may have taken effect. */
export function failedReadBack(cause: ApiError): ApiError {
  const what = `The service accepted the change, but reading it back failed: ${cause.explanation.what}`;
  const facts: ApiErrorFacts = { ...cause.facts, outcome: "unknown" };
  return new ApiError("PG_READ_BACK", facts, { ...cause.explanation, what }, cause);
}

interface Unanswered {
  /** `ECONNREFUSED`, `DEPTH_ZERO_SELF_SIGNED_CERT`, `TIMEOUT`, … */
  readonly reason: string;
  readonly host: string;
  readonly attempts: number;
  readonly attemptMs: number;
  /** Whether the request went through a proxy. Even then, a certificate error concerns the host, not the proxy. */
  readonly viaProxy: boolean;
}

export function unansweredRequest(
  facts: ApiErrorFacts,
  { reason, host, attempts, attemptMs, viaProxy }: Unanswered,
): ApiError {
  if (reason === "TRUNCATED") {
    const what = `The connection was lost before the response was complete.${effect(facts)}`;
    const { why, fix } = brokenConnection;
    return new ApiError("PG_UNEXPECTED_ANSWER", facts, { what, why, fix });
  }
  if (reason === "TOO_LARGE") return unexpectedAnswer(facts, "it is larger than any response of this API");
  if (reason === "TIMEOUT" || reason === "UND_ERR_CONNECT_TIMEOUT") {
    const tries = attempts === 1 ? "" : ` (${attempts} attempts)`;
    return new ApiError("PG_TIMEOUT", facts, {
      what: `No complete response arrived within ${attemptMs} ms${tries}.${effect(facts)}`,
      why: "The service is slow, or a firewall or proxy drops the traffic.",
      fix: "Run again; if the service is just slow, raise PAGE_GUARD_TIMEOUT_MS.",
    });
  }
  const isOfProxy = viaProxy && !/CERT|^UNABLE_TO_/.test(reason);
  const { happened, why, fix } =
    faults.find(({ code }) => code.test(isOfProxy ? "PROXY_" : reason)) ?? brokenConnection;
  const tries = attempts === 1 ? "" : `, ${attempts} attempts`;
  const what = `${happened.replace("HOST", () => host)} (${reason}${tries}).${effect(facts)}`;
  return new ApiError("PG_NETWORK", facts, { what, why, fix });
}

const checkUrl = "Check the base URL (PAGE_GUARD_BASE_URL or page-guard:baseUrl)";
const noTrust = {
  why: "The certificate is self-signed or issued by an authority that Node does not know, for example a company's inspecting proxy.",
  fix: "Set NODE_EXTRA_CA_CERTS to a PEM file with that authority's certificate before the program starts.",
};

/** Explanations of failures below HTTP. The first entry whose pattern matches the code applies. */
const faults: readonly { code: RegExp; happened: string; why: string; fix: string }[] = [
  { code: /SELF_SIGNED/, happened: "The TLS certificate of HOST is self-signed", ...noTrust },
  {
    code: /^UNABLE_TO_|^CERT_UNTRUSTED/,
    happened: "The TLS certificate of HOST is issued by an unknown authority",
    ...noTrust,
  },
  {
    code: /^CERT_HAS_EXPIRED/,
    happened: "The TLS certificate of HOST has expired",
    why: "The certificate was not renewed, or the clock of this machine is wrong.",
    fix: "Check the clock; if it is right, the operator of the host has to renew the certificate.",
  },
  {
    code: /^CERT_NOT_YET/,
    happened: "The TLS certificate of HOST is not yet valid",
    why: "The certificate is valid only from a later date, or the clock of this machine is wrong.",
    fix: "Check the clock; if it is right, the operator of the host has to install a certificate that is valid now.",
  },
  {
    code: /ALTNAME_INVALID/,
    happened: "The TLS certificate of HOST is for another host name (hostname mismatch)",
    why: "The base URL names the wrong host, or another server answers in its place.",
    fix: `${checkUrl}.`,
  },
  {
    code: /^PROXY_/,
    happened: "The proxy did not connect to HOST",
    why: "The proxy is down, refuses this host or requires other credentials.",
    fix: "Check HTTPS_PROXY and HTTP_PROXY; hosts that must be reached directly belong in NO_PROXY (127.0.0.1,localhost for a simulator).",
  },
  {
    code: /^(ENOTFOUND|EAI_AGAIN)$/,
    happened: "The host HOST was not found",
    why: "Its name is misspelt in the base URL, or name resolution does not work here.",
    fix: `${checkUrl}, the network, and whether a proxy is needed.`,
  },
  {
    code: /^ECONNREFUSED$/,
    happened: "Nothing answers at HOST",
    why: "No service listens there: the base URL has the wrong host or port, or the simulator has stopped.",
    fix: `${checkUrl} and start the service.`,
  },
  {
    code: /^(ERR_SSL|ERR_TLS|EPROTO)/,
    happened: "The TLS handshake with HOST failed",
    why: "The host does not serve https on that port, or supports no TLS version that Node supports.",
    fix: `${checkUrl}: its scheme and its port.`,
  },
];

const brokenConnection = {
  happened: "The connection to HOST failed",
  why: "The network, a proxy or the service closed it.",
  fix: "Run again; if it keeps failing, check the network and the proxy variables (HTTPS_PROXY, NO_PROXY).",
};

/**
 * Whether the code means that the service does not have the requested route. The service sends 7003 if it cannot parse the path,
 * and 7000, alone or with 7003, if no route matches.
 */
export function isRouteCode(apiCode: number | undefined): boolean {
  return apiCode === 7000 || apiCode === 7003;
}

export function isObjectGone(error: unknown): error is NotFoundError {
  return error instanceof NotFoundError && !isRouteCode(error.facts.apiCode);
}

/** Whether the error says that the route does not exist, which never means that an object was deleted. */
export function isNoSuchRoute(error: unknown): error is NotFoundError {
  return error instanceof NotFoundError && isRouteCode(error.facts.apiCode);
}

/** The zone or object does not exist, or the token cannot see it (404, 410, codes 7000 and 7003). */
export class NotFoundError extends ApiError {
  declare readonly code: "PG_NOT_FOUND";

  /** @internal */
  constructor(facts: ApiErrorFacts, serviceMessage?: string) {
    const [why, fix] = isRouteCode(facts.apiCode)
      ? [
          "There is no zone with this id, or the token cannot see it, or the connection has the wrong service name.",
          "Check zoneId (the overview page of the zone shows it), the zones of the token, and service (page_guard or page_shield).",
        ]
      : [
          "It was deleted outside of this program, or the zone belongs to an account that the token cannot see.",
          "Check the ids; if the object was deleted outside of the program, run `pulumi refresh`.",
        ];
    const what = `The service does not know the requested object.${quoted(serviceMessage)}`;
    super("PG_NOT_FOUND", facts, { what, why, fix });
  }
}

/** A script, connection or cookie that the service has deleted or never had. */
export class ItemGoneError extends ApiError {
  readonly itemId: string;

  /** @internal `kind`: "script", "connection" or "cookie". */
  constructor(facts: ApiErrorFacts, kind: string, itemId: string) {
    super("PG_ITEM_GONE", facts, {
      what: `This zone has no ${kind} ${itemId}. If it had one, the item has expired.`,
      why:
        "Detected items expire: an infrequent one (under 3 reports) is removed after 5 days without a report; an active " +
        "one becomes inactive when unseen for 7 days, and an inactive one is removed after 30 days.",
      fix: 'List again with status: "all" to see which items still exist, and take ids from that list instead of storing them.',
    });
    this.itemId = itemId;
  }
}
