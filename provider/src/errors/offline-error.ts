import { PageGuardError } from "./page-guard-error";

/** A request would be needed, and the environment forbids every one. */
export class OfflineError extends PageGuardError {
  readonly code = "PG_OFFLINE";

  /** `what`: what is not done, as a sentence without its end: `Nothing is created`. */
  constructor(what: string) {
    super({
      what: `${what}: PAGE_GUARD_OFFLINE is set, and nothing is asked of the service or changed under it.`,
      fix: "Unset the variable and run the command again; previews work with it.",
    });
  }
}
