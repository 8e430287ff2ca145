import { PageGuardError } from "./page-guard-error";

/** The token, base URL or service name was found but cannot be used. Never shows a token. */
export class ConnectionInvalidError extends PageGuardError {
  readonly code = "PG_CONNECTION_INVALID";

  /** `source` says where the value came from: `the environment variable PAGE_GUARD_BASE_URL`. */
  constructor(key: "baseUrl" | "tokenEnv" | "service", what: string, source: string, fix: string) {
    super({ property: `connection.${key}` }, { what: `${what} (from ${source}).`, fix });
  }
}
