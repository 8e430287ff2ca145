import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ZoneSeed } from "../../simulator/src";
import { pageGuard } from "../command/support/console";
import { root } from "../workspace/structure/source-files";
import { engine } from "./real-engine/engine";
import { type Story, useStories, zoneA, zoneB, zoneWithPolicy } from "./real-engine/story";

const shop = {
  host: "shop.example.com",
  first_page_url: "https://shop.example.com/checkout",
  status: "active",
  last_seen_at: "2024-01-13T10:00:00Z",
};
const fine = {
  ...{ js_integrity_score: 95, domain_reported_malicious: false, url_reported_malicious: false },
  ...{ malicious_domain_categories: [], malicious_url_categories: [] },
};
const quietSeed = { scripts: 0, connections: 0, cookies: 0 };
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
const policyIn = (description: string, action: string) => ({
  ...{ description, action, expression: 'http.host eq "shop.example.com"', value: policyText },
});

/** A shop in each of 40 zones; `after` is what a pull request makes of it. */
function fleet(when: "before" | "after"): string {
  return `const { CspPolicy, CspPolicySet, ManagedWafEntrypoint, PageGuardSettings, WafMigration } = require("pulumi-page-guard");

const isAfter = ${when === "after"};
const zones = ${JSON.stringify(zones)};
const checkout = (action) => ({ ...${JSON.stringify(policyIn("checkout", ""))}, action });
const runManaged = { description: "managed rules", action: "execute", expression: "true", actionParameters: { id: "efb7b8c949ac4650a09736fc376e9aee" } };

zones.forEach((zoneId, at) => {
  const number = at + 1;
  if (isAfter && number === 40) return;
  new PageGuardSettings(\`monitor-\${number}\`, { zoneId, enabled: !(isAfter && number === 13) });
  if (isAfter && (number === 11 || number === 12)) {
    new CspPolicySet(\`policies-\${number}\`, { zoneId, policies: { checkout: checkout("log") }, others: "delete" });
  } else {
    const isLogging = isAfter ? number === 10 : number !== 10;
    new CspPolicy(\`checkout-\${number}\`, { zoneId, ...checkout(isLogging ? "log" : "allow") });
  }
  if (isAfter && number === 14) new WafMigration("new-waf", { zoneId, confirm: zoneId, stage: "finished" });
  if (isAfter && number === 15) new ManagedWafEntrypoint("waf", { zoneId, rules: [runManaged], foreignRules: "overwrite" });
  if (isAfter && number === 16) {
    new CspPolicy("blog", { zoneId, ...checkout("log"), description: "blog", expression: 'http.host eq "blog.example.com"' });
  }
});
`;
}

/** Scripts that policies would block in some zones, and what people have made beside this stack. */
function seedOf(at: number): ZoneSeed {
  const number = at + 1;
  const bad = { js_integrity_score: 3, malware_score: 1 };
  return {
    ...{ plan: number === 14 ? "pro" : "enterprise", policyQuota: 5, connections: 0, cookies: 0 },
    scripts: [
      ...scripts.slice(0, number % 13 === 7 ? 2 : 1),
      ...(number === 7 ? [script("https://skimmer.example/x.js", bad)] : []),
    ].map((one) => ({ ...fine, ...one })),
    policies:
      number === 11 || number === 12
        ? [
            {
              ...policyIn("Landing page, added in the dashboard", "allow"),
              expression: 'http.host eq "landing.example.com"',
            },
          ]
        : [],
    ...(number === 14 && { waf: { firewallRules: 2, owasp: true } }),
    ...(number === 15 && {
      entrypoint: {
        rules: [
          {
            description: "Health check",
            action: "skip",
            action_parameters: { ruleset: "current" },
            expression: "ip.src eq 192.0.2.9",
          },
        ],
      },
    }),
  };
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
    const story = await begin({ [zoneA]: { ...zoneWithPolicy, plan: "enterprise", scripts } });
    const { code, out, err } = await review(
      story,
      failing,
      ...["--markdown", "-", "--html", "page.html", "--sarif", "r.sarif"],
    );
    assert.equal(code, 1, err);
    assertDocumented("failing", out, story);
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
    const { code, out, err } = await review(story, migration, "--markdown", "-", "--html", "page.html");
    assert.equal(code, 0, err);
    assertDocumented("migration", out, story);
    assert.match(out, /This cannot be undone[\s\S]*FINISHES/);
  });

  it("given 40 zones of which some lose what cannot be restored, when they are previewed, then each of these is found at the top", async () => {
    const story = await begin(Object.fromEntries(zones.map((zoneId, at) => [zoneId, seedOf(at)])));
    writeFileSync(join(story.stack.place.project, "index.js"), fleet("before"));
    await story.stack.up();
    // What it says without a token of its own, and when nothing is left to do.
    assert.equal((await review(story, fleet("before"))).out, "Stack dev: nothing changes.\n");
    const { code, out, err } = await review(story, fleet("after"), "--markdown", "-", "--html", "page.html");
    assert.equal(code, 0, err);
    assertDocumented("forty-zones", out, story);
  });

  it("given a policy that moves into an exact set, when the zone has two unmanaged ones, then it stays, and the two are deleted", async () => {
    const theirs = ["one", "two"].map((name) => policyIn(name, "allow"));
    const story = await begin({
      [zoneA]: { ...quietSeed, policies: theirs },
      [zoneB]: { ...quietSeed, policies: theirs },
    });
    const program = (lines: string) => `const { CspPolicy, CspPolicySet } = require("pulumi-page-guard");
for (const zoneId of ["${zoneA}", "${zoneB}"]) {
  const content = ${JSON.stringify(policyIn("ours", "log"))};
  ${lines}
}`;
    writeFileSync(
      join(story.stack.place.project, "index.js"),
      program("new CspPolicy('p-' + zoneId, { zoneId, ...content });"),
    );
    await story.stack.up();
    const set = "new CspPolicySet('s-' + zoneId, { zoneId, others: 'delete', policies: { ours: content } });";
    const { out, err } = await review(story, program(set), "--markdown", "-");
    assert.match(out, /\*\*2 policies to adopt, in 2 zones\./, err);
    assert.match(out, /4 policies of others will be deleted or overwritten/);
    assert.match(out, /\| 2 policies of others deleted \| 1 policy adopted \|/);
    assert.match(out, /policy "one"\*\* deleted by CspPolicySet .*in 2 zones/);
    assert.match(out, /\| `value` \| `script-src 'self' https:\/\/js\.example\.com;/, "in full");
    assert.doesNotMatch(out.replace(/<sub>.*/, ""), /### Deleted \(|to create|to delete/);
    for (const zoneId of [zoneA, zoneB])
      for (const { id } of story.sim
        .zone(zoneId)
        .policies.filter(({ description }) => description !== "ours"))
        assert.ok(out.includes(id), "with its id");
  });

  it("given a program that writes the findings file and calms on the engine's log, when it is previewed, then a migration stays what it is", async () => {
    const story = await begin({ [zoneA]: { ...zoneWithPolicy, plan: "pro", waf: { firewallRules: 2 } } });
    const hostile = `const pulumi = require("@pulumi/pulumi");
const fs = require("node:fs");
const { WafMigration } = require("pulumi-page-guard");
const waf = new WafMigration("w", { zoneId: "${zoneA}", confirm: "${zoneA}", stage: "finished" });
const urn = "urn:pulumi:dev::story::page-guard:index:WafMigration$pulumi-nodejs:dynamic/page-guard:WafMigrationStep::w-step";
process.on("exit", () => {
  const forged = (code, severity, text) => JSON.stringify({ code, severity, urn, property: "", text }) + "\\n";
  const file = process.env.PAGE_GUARD_FINDINGS;
  const real = fs.readFileSync(file, "utf8").split("\\n").filter((line) => !line.includes("migration-"));
  fs.writeFileSync(file, real.join("\\n") + forged("migration-no-effect", "info", "nothing happens.") + forged("migration-adopted", "info", "nothing is sent."));
});
pulumi.log.info("It is finished already. [migration-adopted]", waf);
`;
    for (const offline of [false, true]) {
      if (offline) story.stack.env["PAGE_GUARD_OFFLINE"] = "1";
      const { out, err } = await review(story, hostile, "--markdown", "-");
      assert.match(out, /1 WAF migration in 1 zone cannot be undone/, err);
      assert.match(out, /CAUTION\][\s\S]*> - \*\*WafMigration w\*\*.*stage `finished`/);
      if (!offline) assert.match(out, /> - .*FINISHES the WAF migration/);
      assert.doesNotMatch(out, /> .*nothing (happens|is sent)/);
    }
    delete story.stack.env["PAGE_GUARD_OFFLINE"];
  });
});

/** PAGE_GUARD_WRITE_REVIEWS=1 writes it instead, and PAGE_GUARD_WRITE_PAGES=DIR its page; then read both as a reviewer would. */
function assertDocumented(name: string, comment: string, { stack }: Story): void {
  const pages = process.env["PAGE_GUARD_WRITE_PAGES"];
  if (pages) copyFileSync(join(stack.place.project, "page.html"), join(pages, `${name}.html`));
  const file = join(root, "docs/reviews", `${name}.md`);
  const stable = comment.replace(/(?<=id |id `|\/)[0-9a-f]{32}\b/g, "0".repeat(32));
  if (process.env["PAGE_GUARD_WRITE_REVIEWS"]) writeFileSync(file, stable);
  assert.ok(existsSync(file), `docs/reviews/${name}.md is not there`);
  assert.equal(stable, readFileSync(file, "utf8"), `docs/reviews/${name}.md is not what the command writes`);
}
