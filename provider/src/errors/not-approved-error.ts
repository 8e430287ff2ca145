import { type Explanation, PageGuardError } from "./page-guard-error";

/** A change is not what was approved, or its zone is not as it was then: it is not applied. */
export class NotApprovedError extends PageGuardError {
  readonly code = "PG_NOT_APPROVED";

  /** `what` differs from what was approved, as a whole sentence; `done`: what this run has already changed, safe to show. */
  constructor(
    { what, done, fix }: Pick<Explanation, "what" | "fix"> & { done?: string | undefined },
    zoneId?: string,
  ) {
    super(
      { zoneId },
      {
        what: `${what} Nothing was changed here.`,
        why: done === undefined ? undefined : `Already done in this run: ${done}.`,
        fix:
          fix ??
          "Find out what is different, then review and approve again: `page-guard review --approve FILE`.",
      },
    );
  }
}
