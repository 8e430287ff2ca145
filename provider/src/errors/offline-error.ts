import { PageGuardError } from "./page-guard-error";

/** A request is needed, and the environment forbids all of them. */
export class OfflineError extends PageGuardError {
  readonly code = "PG_OFFLINE";

  /** `what`: what is not done, as a sentence without its end: `Nothing is created`. */
  constructor(what: string) {
    super(
      {},
      {
        what: `${what}: PAGE_GUARD_OFFLINE is set, so no request is sent and nothing is changed.`,
        fix: "Unset the variable and run the command again; previews work with it.",
      },
    );
  }
}
