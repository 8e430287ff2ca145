import { ApiError, type ApiErrorFacts, effect } from "./api-error";

/** An answer that is not what the API documents describe: which field was wrong, or what came instead. */
export class UnexpectedAnswerError extends ApiError {
  readonly code = "PG_UNEXPECTED_ANSWER";
  /** Path of the wrong field as the service spells it: `result[3].url`. */
  readonly field: string | undefined;

  constructor(facts: ApiErrorFacts, problem: string, field?: string) {
    const where = field === undefined ? "" : ` in the field ${field}`;
    super(facts, {
      what: `The answer is not what the API describes${where}: ${problem}.${effect(facts)}`,
      why:
        field === undefined
          ? "A proxy, gateway or login page answered instead of the service, or the base URL is wrong."
          : "The service has changed, or this version of the package is too old for it.",
      fix:
        field === undefined
          ? "Check the base URL and the proxy variables, then run again."
          : "Install a newer version of pulumi-page-guard; if there is none, report this message.",
    });
    this.field = field;
  }
}
