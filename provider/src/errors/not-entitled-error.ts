import { ApiError, type ApiErrorFacts, quoted } from "./api-error";

/** The plan of the zone does not include what was requested (403 "not entitled", quota "1 out of 0"). */
export class NotEntitledError extends ApiError {
  readonly code = "PG_NOT_ENTITLED";

  constructor(facts: ApiErrorFacts, serviceMessage?: string) {
    super(facts, {
      what: `The plan of the zone does not include this.${quoted(serviceMessage)}`,
      why: "CSP policies, useConnectionUrlPath: true and useVendorReportingEndpoint: false need an entitlement.",
      fix: "Leave the property out of the program, or have the plan of the zone extended.",
    });
  }
}
