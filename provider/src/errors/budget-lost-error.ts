import { ApiError, type ApiErrorFacts, effect } from "./api-error";

/** `PAGE_GUARD_BUDGET` is set, and the process that keeps the budget cannot be reached. */
export class BudgetLostError extends ApiError {
  readonly code = "PG_BUDGET";

  constructor(facts: ApiErrorFacts) {
    super(facts, {
      what: `The request budget that PAGE_GUARD_BUDGET names cannot be reached.${effect(facts)}`,
      why: "The process that keeps it has ended. Without it this process does not know how many requests others have sent.",
      fix: "Run the command that started this one again, or unset PAGE_GUARD_BUDGET.",
    });
  }
}
