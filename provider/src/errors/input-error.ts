import { PageGuardError } from "./page-guard-error";

/** An argument that is wrong without asking the service. */
export class InputError extends PageGuardError {
  readonly code = "PG_INPUT";

  /** `property` is the path of the argument: `zoneId`, `rules[2].expression`. */
  constructor(property: string, what: string, fix?: string) {
    super({ property }, { what, fix });
  }
}
