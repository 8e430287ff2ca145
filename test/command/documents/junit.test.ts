import assert from "node:assert/strict";
import { junit, type ReportFinding } from "../../../command/src/documents/report";

describe("A report as JUnit XML", () => {
  it("given an error, a note and a zone without findings, then contains a test case for each, of which only the error fails", () => {
    const findings: ReportFinding[] = [
      { code: "csp-bad", severity: "error", message: "a < b", zone: "shop", file: "a.ts", line: 3 },
      { code: "csp-note", severity: "note", message: "known", zone: "shop", subject: "policy" },
    ];
    const text = junit({ title: "t", version: "1.0.0", findings, examined: ["shop", "pay"] });
    assert.equal(
      text,
      `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="t" tests="3" failures="1">
  <testsuite name="t" tests="3" failures="1">
    <testcase classname="t" name="pay"/>
    <testcase classname="t" name="shop csp-bad"><failure type="csp-bad" message="a &lt; b (a.ts:3)">a &lt; b (a.ts:3)</failure></testcase>
    <testcase classname="t" name="shop policy csp-note"/>
  </testsuite>
</testsuites>
`,
    );
  });
});
