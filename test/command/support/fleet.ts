import type { Review } from "../../../command/src/documents/review/review";

export const noImpact = { scripts: 0, connections: 0, isUnknown: false };

/** A review of a stack that may be approved. */
export const quietReview: Review = {
  stack: "a",
  project: "fleet",
  version: "1.0.0",
  result: "succeeded",
  exitCode: 0,
  headline: "1 policy to update.",
  isUnchanged: false,
  isAdoptionOnly: false,
  alerts: [],
  zones: [],
  undone: [],
  losses: [],
  impact: noImpact,
  parts: [],
  counts: { policies: 1, rules: 0, settings: 0, begins: 0 },
};
