import { shown } from "../text/shown";
import { PageGuardError } from "./page-guard-error";

const ways = {
  apiToken: {
    name: "API token",
    env: "PAGE_GUARD_API_TOKEN",
    config: "pulumi config set --secret page-guard:apiToken",
  },
  baseUrl: {
    name: "base URL of the service",
    env: "PAGE_GUARD_BASE_URL",
    config: "pulumi config set page-guard:baseUrl https://.../v4",
  },
} as const;

/** No token or no base URL was found anywhere. */
export class ConnectionMissingError extends PageGuardError {
  readonly code = "PG_CONNECTION";

  /** `emptyTokenEnv`: the variable that `tokenEnv` names and that is unset or empty. `whose`: the environment that was read. */
  constructor(key: keyof typeof ways, emptyTokenEnv?: string, whose?: string) {
    const way = ways[key];
    const variable = emptyTokenEnv === undefined ? "" : shown(emptyTokenEnv, { max: 80 });
    const named =
      emptyTokenEnv === undefined ? "" : ` The variable ${variable} that tokenEnv names is unset or empty.`;
    super(
      { property: key === "apiToken" ? "connection.tokenEnv" : "connection.baseUrl" },
      {
        what: `No ${way.name} is set.${named}`,
        fix: [
          emptyTokenEnv === undefined
            ? `Set the environment variable ${way.env}, or the stack config: \`${way.config}\`.`
            : `Set the environment variable ${variable}. No other token is used in its place: leave tokenEnv out for that.`,
          ...(whose === undefined ? [] : [whose]),
        ].join(" "),
      },
    );
  }
}

/** The token, base URL or service name was found but cannot be used. Never shows a token. */
export class ConnectionInvalidError extends PageGuardError {
  readonly code = "PG_CONNECTION_INVALID";

  /** `source` says where the value came from: `the environment variable PAGE_GUARD_BASE_URL`. */
  constructor(key: "baseUrl" | "tokenEnv" | "service", what: string, source: string, fix: string) {
    super({ property: `connection.${key}` }, { what: `${what} (from ${source}).`, fix });
  }
}

/** The environment names the base URL, and the program, the state or the stack config another one. */
export class BaseUrlNotAllowedError extends PageGuardError {
  readonly code = "base-url-not-allowed";

  /** `source` says where the URL came from: `the argument connection.baseUrl`. */
  constructor(url: string, source: string) {
    super(
      { property: "connection.baseUrl" },
      {
        what: `The base URL ${url} (from ${source}) is not the one that the environment names, so no token is sent to it.`,
        fix: "Remove it, or list it in the environment variable PAGE_GUARD_BASE_URLS (separated by commas).",
      },
    );
  }
}
