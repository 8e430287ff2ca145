import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectRefusals, zoneId } from "./support/console";
import { diagnostic, type StepOptions, stackStep, step, summary, urnOf } from "./support/events";
import { useReviewing } from "./support/reviewing";

const blocks = `with action "allow" this policy would block 1 of 2 scripts:\n  js.stripe.com (Stripe, payments): 1 script\nAllow what is needed. [csp-blocks-in-use]\n`;
const enforcing: StepOptions = {
  name: "checkout",
  op: "update",
  before: { zoneId, action: "log" },
  after: { zoneId, action: "allow" },
  diff: { action: "update" },
};

describe("page-guard review", () => {
  const review = useReviewing();

  /** Writes a `pulumi` that prints these lines, records its arguments, writes findings and exits with this code. */
  const pulumi = (lines: readonly string[], code: number, findings: readonly object[] = [], selected = "") =>
    review.pulumi(
      `if (process.argv[2] === "stack") { process.stdout.write(${JSON.stringify(selected)}); process.exit(${selected === "" ? 1 : 0}); }`,
      `fs.writeFileSync("args", JSON.stringify([process.argv.slice(2), process.env.PULUMI_ENABLE_STREAMING_JSON_PREVIEW]));`,
      `for (const one of ${JSON.stringify(findings)}) fs.appendFileSync(process.env.PAGE_GUARD_FINDINGS, JSON.stringify(one) + "\\n");`,
      `process.stdout.write(${JSON.stringify(lines.join("\n"))});`,
      'process.stderr.write("error: said aside\\n");',
      `process.exitCode = ${code};`,
    );

  it("given a preview that fails, then the comment says why, and the review exits with the same code", async () => {
    const file = join(review.folder, "index.ts");
    const position = { kind: "position", urn: urnOf("checkout"), file, line: 12 };
    const events = [stackStep(), diagnostic("error", blocks, urnOf("checkout")), summary("failed")];
    const files = ["--markdown", "out/review.md", "--sarif", "r.sarif", "--code-quality", "q.json"];
    const rest = ["--junit", "j.xml", "--", "pulumi", "preview", "--stack", "dev"];
    const ended = await review.run([...files, ...rest], pulumi(events, 3, [position]));
    assert.equal(ended.code, 3, ended.err);
    const args = ["preview", "--json", "--non-interactive", "--stack", "dev"];
    assert.deepEqual(JSON.parse(review.read("args")), [args, "true"]);
    const comment = review.read("out/review.md");
    assert.match(comment, /^<!-- page-guard:review dev -->\n/);
    assert.match(comment, /\*\*The preview failed: nothing can be applied/);
    assert.match(comment, /CspPolicy checkout\*\* \(`index\.ts:12`\): .*would block 1 of 2.*\[csp-blocks-in/);
    assert.match(comment, /js\.stripe\.com \(Stripe, payments\): 1 script/);
    const [result] = JSON.parse(review.read("r.sarif")).runs[0].results;
    assert.equal(result.ruleId, "csp-blocks-in-use");
    const { artifactLocation, region } = result.locations[0].physicalLocation;
    assert.deepEqual([artifactLocation, region], [{ uri: "index.ts" }, { startLine: 12 }]);
    const [quality] = JSON.parse(review.read("q.json"));
    assert.deepEqual(quality.location, { path: "index.ts", lines: { begin: 12 } });
    assert.equal(quality.severity, "critical");
    assert.match(quality.fingerprint, /^[0-9a-f]{32}$/);
    assert.match(review.read("j.xml"), /failures="1"/);
    assert.match(ended.out, /What stops the update\n {2}CspPolicy checkout \(index\.ts:12\): with action/);
  });

  it("given a preview that fails before it names its stack, then shows its output as the reason, and takes the stack from the command line or the selected one", async () => {
    const marker = async (args: readonly string[], selected = "") => {
      const { code, out } = await review.run(["--markdown", "-", ...args], pulumi([], 255, [], selected));
      assert.equal(code, 255);
      assert.match(out, /### What stops the update \(1\)\n\n- error: said aside/);
      return /page-guard:review (\S+) -->/.exec(out)?.[1];
    };
    for (const flags of [["--stack=prod"], ["-sprod"], ["-s", "acme/shop/prod"]])
      assert.equal(await marker(["--", "pulumi", "preview", ...flags], "dev\n"), "prod", flags.join(" "));
    assert.equal(await marker([], "acme/shop/dev\n"), "dev");
    assert.equal(await marker([]), "unknown", "there is no stack");
  });

  it("given no changes, then writes one line, also in the step summary", async () => {
    const unchanged = { name: "checkout", op: "same", before: { zoneId }, after: { zoneId } };
    const line = "<!-- page-guard:review dev -->\n**page-guard review** of stack `dev`: nothing changes.\n";
    assert.equal(await review.of([step(unchanged)]), line);
    const file = join(review.folder, "summary.md");
    writeFileSync(file, "# before\n");
    const env = { ...pulumi([stackStep(), summary()], 0), GITHUB_STEP_SUMMARY: file };
    const ended = await review.run(["--summary"], env);
    assert.equal(ended.code, 0, ended.err);
    assert.equal(review.read("summary.md"), `# before\n${line}\n`);
    assert.equal(ended.out, "Stack dev: nothing changes.\n");
  });

  it("shows changes that cannot be undone first, then losses of unmanaged objects and visitors, deletions, updates and adoptions", async () => {
    const waf = urnOf("waf-step", "WafMigrationStep");
    const inputs = { zoneId, stage: "finished", confirm: zoneId };
    const out = await review.of([
      diagnostic("warning", "the zone has it already. [csp-adopted]", urnOf("taken")),
      diagnostic("warning", "1 unmanaged rule will be deleted. [waf-rules-overwritten]", urnOf("e")),
      diagnostic("warning", blocks, urnOf("checkout")),
      diagnostic("info", "FINISHES the WAF migration. [migration-finishes]", waf),
      step({ name: "waf-step", kind: "WafMigrationStep", op: "create", after: inputs }),
      step({
        name: "old",
        op: "delete",
        id: `${zoneId}/old`,
        before: { zoneId, description: "the old one" },
      }),
      step(enforcing),
    ]);
    const order = [
      "> **This cannot be undone.**",
      "FINISHES the WAF migration",
      "### Unmanaged objects lost, according to messages of the preview only (1)",
      "### By zone (1)",
      "### What else visitors may notice (1)",
      "### Deleted (1)",
      "| `description` | `the old one` |",
      "### Updated (1)",
      "| `action` | `log` | `allow` |",
      "<details><summary>Created (1)",
      "<details><summary>Other messages (1)",
    ];
    assert.match(out, /\*\*WafMigration waf\*\*, zone .*: .*FINISHES[\s\S]*- \*\*WafMigration waf\*\*, zone/);
    assert.doesNotMatch(out, /WafMigrationStep|waf-step/, "these names are not in the program");
    const places = order.map((text) => out.indexOf(text));
    assert.ok(!places.includes(-1), `${order[places.indexOf(-1)]} is not there:\n${out}`);
    const sorted = [...places].sort((a, b) => a - b);
    assert.deepEqual(places, sorted, out);
  });

  it("shows a change that is the same in many zones once, with a table of the zones", async () => {
    const steps = Array.from({ length: 40 }, (_, at) => {
      const zone = { zoneId: String(at).padStart(32, "a") };
      const { before, after } = enforcing;
      const sides = { before: { ...before, ...zone }, after: { ...after, ...zone } };
      return step({ ...enforcing, name: `p${at}`, ...sides });
    });
    const out = await review.of(steps);
    assert.match(out, /### By zone \(40\)[\s\S]*### Updated \(40\)/);
    assert.equal(out.match(/`log` \| `allow`/g)?.length, 1);
  });

  it("limits a comment to 60,000 characters and counts omitted entries, which the page contains", async () => {
    const host = (letter: string, at: number) => `http.host eq "${letter.repeat(100)}${at}.example"`;
    const steps = Array.from({ length: 900 }, (_, at) =>
      step({
        name: `p${at}`,
        op: "update",
        before: { zoneId, action: "log", expression: host("x", at) },
        after: { zoneId, action: "log", expression: host("y", at) },
        diff: { expression: "update" },
      }),
    );
    const out = await review.of(steps, [], "--markdown", "-", "--html", "all.html");
    assert.ok(out.length <= 60_000 && out.length > 50_000, `${out.length} characters`);
    const [, cut = "", all = ""] = /(\d+) of (\d+) entries are not shown/.exec(out) ?? [];
    assert.equal(Number(all), 900);
    assert.equal(Number(cut) + (out.match(/\*\*CspPolicy p\d+\*\*/g)?.length ?? 0), 900);
    assert.equal(review.read("all.html").match(/CspPolicy p\d+</g)?.length, 900);
  });

  it("refuses invalid arguments before it runs anything", async () => {
    await expectRefusals(
      (args) => review.run(args, pulumi([], 0)),
      [
        [["--markdown", "-", "--html", "-"], /--markdown - and --html - would print/],
        [["--events", "e", "--", "pulumi", "preview"], /Leave out either --events or the command/],
        [["--summary"], /GITHUB_STEP_SUMMARY/],
        [["--", "pulumi", "up", "--yes"], /A review runs only `pulumi preview`/],
        [["--findings", "f"], /--findings requires --events/],
        [["--base-url", "https://a.example"], /--base-url, --token-env and --service require --events/],
      ],
    );
    assert.deepEqual(readdirSync(review.folder), ["pulumi"]);
    writeFileSync(join(review.folder, "e"), "not an event");
    const { err } = await review.run(["--events", "e"]);
    assert.match(err, /The input does not contain events of the engine/);
  });
});
