import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pageGuard } from "../command/support/console";
import { useStories, zoneA, zoneWithPolicy } from "./real-engine/story";

const shop = {
  host: "shop.example.com",
  first_page_url: "https://shop.example.com/checkout",
  status: "active",
  last_seen_at: "2024-01-13T10:00:00Z",
};
const scripts = ["https://js.example.com/pay.js", "https://tags.statistics.example/t.js"].map((url) => ({
  ...shop,
  url,
}));
const policyText = "script-src 'self' https://js.example.com; object-src 'none'; base-uri 'self'";

const failing = `const { CspPolicy, PageGuardSettings } = require("pulumi-page-guard");

const zoneId = "${zoneA}";
const monitor = new PageGuardSettings("monitor", { zoneId, enabled: true });

new CspPolicy("checkout", {
  zoneId,
  description: "checkout",
  action: "allow",
  impact: "error",
  expression: 'http.host eq "shop.example.com"',
  value: "${policyText}",
}, { dependsOn: monitor });
`;

describe("On the engine: page-guard review", function () {
  const begin = useStories(this);

  it("given a policy that would block, when its preview fails, then the comment names script, policy and line of the program", async () => {
    const { stack } = await begin({ [zoneA]: { ...zoneWithPolicy, plan: "enterprise", scripts } });
    const { project } = stack.place;
    writeFileSync(join(project, "index.js"), failing);
    const args = ["review", "--markdown", "-", "--sarif", "r.sarif"];
    const env = { ...stack.place.env, ...stack.env };
    const preview = ["--", "pulumi", "preview", "--stack", "dev"];
    const { code, out, err } = await pageGuard([...args, ...preview], { cwd: project, env });
    stack.said += out + err;
    assert.equal(code, 1, err);
    assert.match(out, /\*\*The preview failed: nothing can be applied/);
    assert.match(
      out,
      /\*\*CspPolicy checkout\*\* \(`index\.js:6`\): .*tags\.statistics\.example.*\[csp-blocks-in-use\]/,
    );
    const sarif = JSON.parse(readFileSync(join(project, "r.sarif"), "utf8"));
    const blocked = sarif.runs[0].results.find(
      ({ ruleId }: { ruleId: string }) => ruleId === "csp-blocks-in-use",
    );
    assert.deepEqual(blocked.locations[0].physicalLocation, {
      artifactLocation: { uri: "index.js" },
      region: { startLine: 6 },
    });
  });
});
