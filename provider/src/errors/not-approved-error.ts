import { PageGuardError } from "./page-guard-error";

export interface NotApproved {
  /** What differs from what was approved, as a whole sentence. */
  readonly what: string;
  /** What this run has already changed, safe to show. */
  readonly done?: string | undefined;
  readonly fix?: string | undefined;
}

/** A change is not what was approved, or its zone is not as it was then: it is not applied. */
export class NotApprovedError extends PageGuardError {
  readonly code = "PG_NOT_APPROVED";

  constructor({ what, done, fix }: NotApproved, zoneId?: string) {
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
