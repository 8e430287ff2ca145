import assert from "node:assert/strict";
import type { Policy } from "../../provider/src/api/client-types";
import { countsFromNow } from "../../provider/src/policies/create-findings";

const policy: Policy = {
  policyId: "1",
  description: "a",
  action: "log",
  expression: "true",
  enabled: true,
  value: "script-src 'self'",
};

describe("Days of log that start again", () => {
  it("are those of a policy that reports, is on, and of which no one knows since when", () => {
    const counts = (more: object, since?: string) => countsFromNow({ ...policy, ...more }, since);
    assert.deepEqual(
      [counts({}), counts({}, "2025"), counts({ enabled: false }), counts({ action: "allow" })],
      [true, false, false, false],
    );
  });
});
