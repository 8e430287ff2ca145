import { ApiError, type ApiErrorFacts } from "./api-error";

/** A script, connection or cookie that the service no longer keeps. */
export class ItemGoneError extends ApiError {
  readonly code = "PG_ITEM_GONE";
  readonly itemId: string;

  /** `kind`: script, connection or cookie. */
  constructor(facts: ApiErrorFacts, kind: string, itemId: string) {
    super(facts, {
      what: `There is no ${kind} ${itemId} in this zone, or no longer.`,
      why:
        "Detected items age: infrequent (under 3 reports) is removed after 5 days without a report, active becomes " +
        "inactive when unseen for 7 days, and inactive is removed after 30.",
      fix: 'List again with status: "all" to see what is kept, and read ids from there instead of storing them.',
    });
    this.itemId = itemId;
  }
}
