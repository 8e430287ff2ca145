import { shown } from "../text/shown";
import { type ErrorFacts, type Explanation, PageGuardError } from "./page-guard-error";

/** What is known of a request that failed: `refused` by the service; `unsent`; `unknown`: it may have been carried out. */
export type Outcome = "refused" | "unsent" | "unknown";

export interface ApiErrorFacts extends ErrorFacts {
  /** Whether the request may have been carried out in spite of the failure. */
  readonly outcome: Outcome;
  /** A read changes nothing, so its outcome needs no words. */
  readonly reading?: boolean | undefined;
}

/** A failed request to the service. `outcome` says what is known about its effect. */
export abstract class ApiError extends PageGuardError {
  readonly outcome: Outcome;

  constructor({ outcome, reading: _, ...facts }: ApiErrorFacts, explanation: Explanation) {
    super(facts, explanation);
    this.outcome = outcome;
  }
}

/** What a caller has to know when a change failed. Empty for a read. */
export function effect({ outcome, reading }: ApiErrorFacts): string {
  if (reading) return "";
  switch (outcome) {
    case "refused":
      return "";
    case "unsent":
      return " The request was not sent.";
    case "unknown":
      return " It is not known whether the service carried it out.";
  }
}

/** `The service says: "…".`, or an empty text without a message. */
export function quoted(serviceMessage: string | undefined): string {
  return serviceMessage === undefined || serviceMessage === ""
    ? ""
    : ` The service says: "${shown(serviceMessage, { max: 200 })}".`;
}
