import assert from "node:assert/strict";
import { createRun } from "../../provider/src/lifecycle/process-run";
import { unknownValue } from "../../provider/src/model/unknown";
import { impactFindings, uncheckedFindings, unseenFindings } from "../../provider/src/policies/impact";

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

describe("What allow policies restrict and nothing can check beforehand", () => {
  const message = (...policies: Parameters<typeof unseenFindings>[0]) =>
    unseenFindings(policies).map((finding) => finding.message)[0];

  it("is nothing where the text is not known, restricts nothing of that, or is not to be judged", () => {
    assert.equal(message({ policy: { value: undefined } }), undefined);
    assert.equal(message({ policy: { value: 7 } }), undefined);
    assert.equal(message({ policy: { value: "connect-src 'self'" } }), undefined);
    assert.equal(message(), undefined);
    const inputs = { impact: "off" };
    const run = createRun({ env: {} });
    assert.deepEqual(uncheckedFindings(run, inputs, [{ policy: { value: "img-src 'self'" } }]), []);
  });

  it("is reported in one line, with the names of those that have one", () => {
    assert.match(
      message({ policy: { value: "img-src 'self'" } }) ?? "",
      /^with action "allow" this policy also restricts images\. /,
    );
    assert.match(
      message({ policy: { value: "img-src a; font-src a" } }) ?? "",
      /restricts images and fonts\. /,
    );
    assert.match(
      message({ policy: { value: "img-src a; font-src a; media-src a" } }) ?? "",
      /restricts images, fonts and audio/,
    );
    assert.match(
      message({ policy: { value: "img-src a" }, name: "shop" }) ?? "",
      /the policy shop also restricts images\. /,
    );
    assert.match(
      message(
        { policy: { value: "img-src a" }, name: "shop" },
        { policy: { value: undefined }, name: "x" },
        { policy: { value: "font-src a" }, name: "b" },
      ) ?? "",
      /the policies shop, b also restrict images and fonts\. /,
    );
  });
});
