import { PageGuardError } from "./page-guard-error";

/** A list that does not end: far more pages than a zone can have. */
export class TooManyPagesError extends PageGuardError {
  readonly code = "PG_ENDLESS_LIST";

  constructor(most: number) {
    super(
      {},
      {
        what: `The list did not end after ${most} pages, which is more than a zone can have.`,
        why: "The service claims more items than there are, or a proxy answers in its place.",
        fix: "Check the base URL and the proxy variables. Give the read a limit if the list is really this long.",
      },
    );
  }
}
