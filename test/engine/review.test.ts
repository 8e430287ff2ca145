import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pageGuard } from "../command/support/console";
import { engine } from "./real-engine/engine";
import { type Story, useStories, zoneA, zoneWithPolicy } from "./real-engine/story";

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

const migration = `const { WafMigration } = require("pulumi-page-guard");

const zoneId = "${zoneA}";
new WafMigration("new-waf", { zoneId, confirm: zoneId, stage: "finished" });
`;

describe("On the engine: page-guard review", function () {
  const begin = useStories(this);

  async function review({ stack }: Story, program: string, ...flags: readonly string[]) {
    writeFileSync(join(stack.place.project, "index.js"), program);
    const env = { ...stack.place.env, ...stack.env };
    const args = ["review", ...flags, "--", "pulumi", "preview", "--stack", "dev"];
    const ended = await pageGuard(args, { cwd: stack.place.project, env });
    stack.said += ended.out + ended.err;
    return ended;
  }

  it("given a policy that would block, when its preview fails, then the comment names script, policy and line of the program", async () => {
    await engine();
    const story = await begin({ [zoneA]: { ...zoneWithPolicy, plan: "enterprise", scripts } });
    const { code, out, err } = await review(story, failing, "--markdown", "-", "--sarif", "r.sarif");
    assert.equal(code, 1, err);
    assert.match(out, /\*\*The preview failed: nothing can be applied/);
    assert.match(
      out,
      /\*\*CspPolicy checkout\*\* \(`index\.js:6`\): .*tags\.statistics\.example.*\[csp-blocks-in-use\]/,
    );
    const sarif = JSON.parse(readFileSync(join(story.stack.place.project, "r.sarif"), "utf8"));
    const blocked = sarif.runs[0].results.find(
      ({ ruleId }: { ruleId: string }) => ruleId === "csp-blocks-in-use",
    );
    assert.deepEqual(blocked.locations[0].physicalLocation, {
      artifactLocation: { uri: "index.js" },
      region: { startLine: 6 },
    });
  });

  it("given a migration, when it is previewed, then what cannot be undone is at the top", async () => {
    const story = await begin({
      [zoneA]: { ...zoneWithPolicy, plan: "pro", waf: { firewallRules: 2, owasp: true } },
    });
    const { code, out, err } = await review(story, migration, "--markdown", "-");
    assert.equal(code, 0, err);
    assert.match(out, /This cannot be undone[\s\S]*FINISHES/);
  });
});
