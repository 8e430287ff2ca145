import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pageGuard } from "../cli/support/console";
import { engine } from "../real-engine/engine";
import { type Story, somebodysZone, useStories, zoneA } from "../real-engine/story";
import { root } from "../structure/source-files";

const shop = {
  host: "shop.example.com",
  first_page_url: "https://shop.example.com/checkout",
  status: "active",
  last_seen_at: "2024-01-13T10:00:00Z",
};
const script = (url: string, more: object = {}) => ({ ...shop, url, ...more });
const scripts = [script("https://js.example.com/pay.js"), script("https://tags.statistics.example/t.js")];
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

const zones = Array.from({ length: 40 }, (_, at) => `c0ffee${String(at + 1).padStart(26, "0")}`);

function fleet(action: string, zoneIds: readonly string[]): string {
  return `const { CspPolicy, PageGuardSettings } = require("pulumi-page-guard");

${JSON.stringify(zoneIds)}.forEach((zoneId, at) => {
  new PageGuardSettings(\`monitor-\${at + 1}\`, { zoneId, enabled: true });
  new CspPolicy(\`checkout-\${at + 1}\`, {
    zoneId,
    description: "checkout",
    action: "${action}",
    expression: 'http.host eq "shop.example.com"',
    value: "${policyText}",
  });
});
`;
}

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

  it("given a policy that would block, when its preview fails, then the comment is the one of the docs, with the line of the program", async () => {
    await engine();
    const story = await begin({ [zoneA]: { ...somebodysZone, plan: "enterprise", scripts } });
    const { code, out, err } = await review(story, failing, "--markdown", "-", "--sarif", "r.sarif");
    assert.equal(code, 1, err);
    assertDocumented("failing", out);
    const sarif = JSON.parse(readFileSync(join(story.stack.place.project, "r.sarif"), "utf8"));
    const blocked = sarif.runs[0].results.find(
      ({ ruleId }: { ruleId: string }) => ruleId === "csp-blocks-in-use",
    );
    assert.deepEqual(blocked.locations[0].physicalLocation, {
      artifactLocation: { uri: "index.js" },
      region: { startLine: 6 },
    });
  });

  it("given a migration, when it is previewed, then what cannot be undone comes first", async () => {
    const story = await begin({
      [zoneA]: { ...somebodysZone, plan: "pro", waf: { firewallRules: 2, owasp: true } },
    });
    const { code, out, err } = await review(story, migration, "--markdown", "-");
    assert.equal(code, 0, err);
    assertDocumented("migration", out);
    assert.match(out, /This cannot be undone[\s\S]*FINISHES/);
  });

  it("given 40 zones whose policy is to block, and one that goes, when it is previewed, then it is one table and one change", async () => {
    const seeds = zones.map((zoneId, at) => [
      zoneId,
      {
        plan: "enterprise",
        policies: [],
        connections: 0,
        cookies: 0,
        scripts: at % 13 === 6 ? scripts : scripts.slice(0, 1),
      },
    ]);
    const story = await begin(Object.fromEntries(seeds));
    writeFileSync(join(story.stack.place.project, "index.js"), fleet("log", zones));
    await story.stack.up();
    // What it says without a token of its own, and when nothing is left to do.
    assert.equal((await review(story, fleet("log", zones))).out, "Stack dev: nothing changes.\n");
    const { code, out, err } = await review(story, fleet("allow", zones.slice(0, 39)), "--markdown", "-");
    assert.equal(code, 0, err);
    assertDocumented("forty-zones", out);
  });
});

/** PAGE_GUARD_WRITE_REVIEWS=1 writes it instead; then read it as a reviewer would. */
function assertDocumented(name: string, comment: string): void {
  const file = join(root, "docs/reviews", `${name}.md`);
  const stable = comment.replace(/(?<=id )[0-9a-f]{32}\b/g, "0".repeat(32));
  if (process.env["PAGE_GUARD_WRITE_REVIEWS"]) writeFileSync(file, stable);
  assert.ok(existsSync(file), `docs/reviews/${name}.md is not there`);
  assert.equal(stable, readFileSync(file, "utf8"), `docs/reviews/${name}.md is not what the command writes`);
}
