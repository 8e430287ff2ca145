import { PageGuardError } from "./page-guard-error";

/** Directives that no policy text can express. `facts.property` names the directive: `directives.script-src[2]`. */
export class CspError extends PageGuardError {
  readonly code = "PG_CSP";

  constructor(property: string, what: string, fix: string) {
    super({ property }, { what, fix });
  }
}
