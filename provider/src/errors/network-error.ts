import { ApiError, type ApiErrorFacts, effect } from "./api-error";

/** What failed below HTTP: the code of Node or of TLS, and the host. */
interface NetworkFault {
  /** `ECONNREFUSED`, `DEPTH_ZERO_SELF_SIGNED_CERT`, ... */
  readonly reason: string;
  readonly host: string;
  readonly attempts: number;
  /** Whether the failure lies with a proxy between here and the host. */
  readonly viaProxy: boolean;
}

/** No connection, or one that broke. TLS faults are named. */
export class NetworkError extends ApiError {
  readonly code = "PG_NETWORK";
  /** The code of the fault: `ECONNREFUSED`, `CERT_HAS_EXPIRED`, ... */
  readonly reason: string;

  constructor(facts: ApiErrorFacts, fault: NetworkFault) {
    const tries = fault.attempts === 1 ? "" : `, ${fault.attempts} attempts`;
    const { happened, why, fix } = explain(fault);
    super(facts, { what: `${happened} (${fault.reason}${tries}).${effect(facts)}`, why, fix });
    this.reason = fault.reason;
  }
}

const proxyFix =
  "Check HTTPS_PROXY and HTTP_PROXY; hosts that must be reached directly belong in NO_PROXY (127.0.0.1,localhost for a simulator).";
const noTrust = {
  why: "The certificate is self-signed or issued by an authority that Node does not know, for example a company's inspecting proxy.",
  fix: "Set NODE_EXTRA_CA_CERTS to a PEM file with that authority's certificate before the program starts.",
};

function explain({ reason, host, viaProxy }: NetworkFault): Record<"happened" | "why" | "fix", string> {
  switch (reason) {
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
      return { happened: `The TLS certificate of ${host} is self-signed`, ...noTrust };
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "CERT_UNTRUSTED":
      return { happened: `The TLS certificate of ${host} is issued by an unknown authority`, ...noTrust };
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return {
        happened: `The TLS certificate of ${host} is ${reason === "CERT_HAS_EXPIRED" ? "expired" : "not yet valid"}`,
        why: "The certificate was not renewed, or the clock of this machine is wrong.",
        fix: "Check the clock; if it is right, the operator of the host has to renew the certificate.",
      };
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return {
        happened: `The TLS certificate of ${host} is for another host name (hostname mismatch)`,
        why: "The base URL names the wrong host, or another server answers in its place.",
        fix: "Check the host in the base URL (PAGE_GUARD_BASE_URL or page-guard:baseUrl).",
      };
  }
  if (viaProxy || reason.startsWith("PROXY_")) {
    return {
      happened: `The proxy did not connect to ${host}`,
      why: "The proxy is down, refuses this host or requires other credentials.",
      fix: proxyFix,
    };
  }
  switch (reason) {
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return {
        happened: `The host ${host} was not found`,
        why: "Its name is misspelt in the base URL, or name resolution does not work here.",
        fix: "Check the base URL (PAGE_GUARD_BASE_URL or page-guard:baseUrl), the network, and whether a proxy is needed.",
      };
    case "ECONNREFUSED":
      return {
        happened: `Nothing answers at ${host}`,
        why: "No service listens there: wrong host or port in the base URL, or a simulator that has stopped.",
        fix: "Check the base URL (PAGE_GUARD_BASE_URL or page-guard:baseUrl) and start the service.",
      };
    default:
      if (/^(ERR_SSL|ERR_TLS|EPROTO)/.test(reason)) {
        return {
          happened: `The TLS handshake with ${host} failed`,
          why: "The host does not serve https on that port, or supports no TLS version that Node supports.",
          fix: "Check scheme and port of the base URL (PAGE_GUARD_BASE_URL or page-guard:baseUrl).",
        };
      }
      return {
        happened: `The connection to ${host} failed`,
        why: "The network, a proxy or the service closed it.",
        fix: "Run again; if it keeps failing, check the network and the proxy variables (HTTPS_PROXY, NO_PROXY).",
      };
  }
}

/** No whole answer came within the time for one attempt, or the time for all of them was over. */
export class TimeoutError extends ApiError {
  readonly code = "PG_TIMEOUT";

  constructor(facts: ApiErrorFacts, attempts: number, timeoutMs: number) {
    const tries = attempts === 1 ? "" : ` (${attempts} attempts)`;
    super(facts, {
      what: `No whole answer came within ${timeoutMs} ms${tries}.${effect(facts)}`,
      why: "The service is slow, or a firewall or proxy drops the traffic.",
      fix: "Run again; if the service is just slow, raise PAGE_GUARD_TIMEOUT_MS.",
    });
  }
}

/** The caller's AbortSignal fired. */
export class RequestAbortedError extends ApiError {
  readonly code = "PG_ABORTED";

  constructor(facts: ApiErrorFacts) {
    super(facts, {
      what: `The request was cancelled.${effect(facts)}`,
      why: "The calling program cancelled it.",
      fix: "Run again if that was not intended.",
    });
  }
}
