import assert from "node:assert/strict";
import { createRun } from "../../provider/src/lifecycle/process-run";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import { impactFindings } from "../../provider/src/policies/impact";

describe("What a policy would block", () => {
  it("is not computed where it is switched off, or not known", async () => {
    const run = createRun({
      env: {},
      createClient: () => assert.fail("nothing is to be asked"),
    });
    const now = { zoneId: "z", expression: "true", impact: "warn" };
    const rows: readonly [object, unknown][] = [
      [{ ...now, impact: "off" }, "script-src 'none'"],
      [now, undefined],
      [now, 7],
      [{ ...now, expression: undefined }, "script-src 'none'"],
      [{ ...now, expression: 7 }, "script-src 'none'"],
      [{ ...now, zoneId: unknownValue }, "script-src 'none'"],
      [{ ...now, connection: { baseUrl: unknownValue } }, "script-src 'none'"],
    ];
    for (const [inputs, text] of rows) assert.deepEqual(await impactFindings(run, { ...inputs }, text), []);
  });
});
