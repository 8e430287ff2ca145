import { PageGuardError } from "./page-guard-error";

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
