import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pageGuard } from "./support/console";
import { diagnostic, stackStep, step, summary, urnOf } from "./support/events";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const blocks = `with action "allow" this policy would block 1 of 2 scripts:\n  tags.example.net: 1 script\nAllow what is needed. [csp-blocks-in-use]\n`;

describe("page-guard review", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-review-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  /** With events that were recorded. */
  async function review(lines: readonly string[], ...flags: readonly string[]) {
    writeFileSync(join(folder, "events.jsonl"), lines.join("\n"));
    return pageGuard(["review", "--events", "events.jsonl", ...flags], { cwd: folder });
  }

  /** A `pulumi` that says these lines, notes its arguments and findings, and ends so. */
  function pulumi(
    lines: readonly string[],
    exitCode: number,
    findings: readonly object[] = [],
    selected = "",
  ): NodeJS.ProcessEnv {
    const script = [
      `#!${process.execPath}`,
      'const { appendFileSync, writeFileSync } = require("node:fs");',
      `if (process.argv[2] === "stack") { process.stdout.write(${JSON.stringify(selected)}); process.exit(${selected === "" ? 1 : 0}); }`,
      `writeFileSync(${JSON.stringify(join(folder, "args"))}, JSON.stringify([process.argv.slice(2), process.env.PULUMI_ENABLE_STREAMING_JSON_PREVIEW]));`,
      `for (const one of ${JSON.stringify(findings)}) appendFileSync(process.env.PAGE_GUARD_FINDINGS, JSON.stringify(one) + "\\n");`,
      `process.stdout.write(${JSON.stringify(lines.join("\n"))});`,
      'process.stderr.write("error: said aside\\n");',
      `process.exitCode = ${exitCode};`,
    ];
    writeFileSync(join(folder, "pulumi"), script.join("\n"));
    chmodSync(join(folder, "pulumi"), 0o755);
    return { PATH: `${folder}${delimiter}${process.env["PATH"]}` };
  }

  it("given a preview that fails, then the comment says why, and the exit code is the preview's", async () => {
    const position = { kind: "position", urn: urnOf("checkout"), file: join(folder, "index.ts"), line: 12 };
    const env = pulumi([stackStep(), diagnostic("error", blocks, urnOf("checkout")), summary("failed")], 3, [
      position,
    ]);
    const flags = [
      "--markdown",
      "out/review.md",
      "--sarif",
      "r.sarif",
      "--code-quality",
      "q.json",
      "--junit",
      "j.xml",
    ];
    const ended = await pageGuard(["review", ...flags, "--", "pulumi", "preview", "--stack", "dev"], {
      cwd: folder,
      env,
    });
    assert.equal(ended.code, 3, ended.err);
    assert.deepEqual(JSON.parse(readFileSync(join(folder, "args"), "utf8")), [
      ["preview", "--json", "--non-interactive", "--stack", "dev"],
      "true",
    ]);
    const comment = readFileSync(join(folder, "out/review.md"), "utf8");
    assert.match(comment, /^<!-- page-guard:review dev -->\n/);
    assert.match(comment, /\*\*The preview failed: nothing can be applied/);
    assert.match(
      comment,
      /CspPolicy checkout\*\* \(`index\.ts:12`\): .*would block 1 of 2.*\[csp-blocks-in-use\]/,
    );
    const sarif = JSON.parse(readFileSync(join(folder, "r.sarif"), "utf8"));
    const [result] = sarif.runs[0].results;
    assert.equal(result.ruleId, "csp-blocks-in-use");
    assert.deepEqual(result.locations[0].physicalLocation, {
      artifactLocation: { uri: "index.ts" },
      region: { startLine: 12 },
    });
    const [quality] = JSON.parse(readFileSync(join(folder, "q.json"), "utf8"));
    assert.deepEqual(quality.location, { path: "index.ts", lines: { begin: 12 } });
    assert.equal(quality.severity, "critical");
    assert.match(quality.fingerprint, /^[0-9a-f]{32}$/);
    assert.match(readFileSync(join(folder, "j.xml"), "utf8"), /failures="1"/);
    assert.match(ended.out, /What stops it\n {2}CspPolicy checkout \(index\.ts:12\): with action/);
  });

  it("given an engine that ends before its first event, then its own words are the reason", async () => {
    const ended = await pageGuard(["review", "--markdown", "-"], { cwd: folder, env: pulumi([], 255) });
    assert.equal(ended.code, 255);
    assert.match(ended.out, /### What stops it \(1\)\n\n- error: said aside/);
  });

  it("given a preview that dies before it names its stack, then the stack is that of the command line, or the selected one", async () => {
    const marker = async (args: readonly string[], selected = "") => {
      const env = pulumi([], 255, [], selected);
      const ended = await pageGuard(["review", "--markdown", "-", ...args], { cwd: folder, env });
      assert.equal(ended.code, 255);
      return /page-guard:review (\S+) -->/.exec(ended.out)?.[1];
    };
    for (const flags of [
      ["--stack", "prod"],
      ["--stack=prod"],
      ["-s", "prod"],
      ["-sprod"],
      ["-s", "acme/shop/prod"],
    ])
      assert.equal(await marker(["--", "pulumi", "preview", ...flags], "dev\n"), "prod", flags.join(" "));
    assert.equal(await marker(["--", "pulumi", "--stack", "prod", "preview"]), "prod");
    assert.equal(await marker(["--", "pulumi", "preview"], "dev\n"), "dev");
    assert.equal(await marker([], "acme/shop/dev\n"), "dev");
    assert.equal(await marker([]), "unknown", "there is none");
  });

  it("given nothing that changes, then one line", async () => {
    const lines = [
      stackStep(),
      step({ name: "checkout", op: "same", before: { zoneId }, after: { zoneId } }),
      summary(),
    ];
    const { code, out } = await review(lines, "--markdown", "-");
    assert.equal(code, 0);
    assert.equal(
      out,
      "<!-- page-guard:review dev -->\n**page-guard review** of stack `dev`: nothing changes.\n",
    );
  });

  it("says first what cannot be undone, then what others and visitors lose, deletions, updates, adoptions", async () => {
    const waf = urnOf("waf-step", "WafMigrationStep");
    const inputs = { zoneId, stage: "finished", confirm: zoneId };
    const { out } = await review(
      [
        stackStep(),
        diagnostic("warning", "the zone has it already. [csp-adopted]", urnOf("taken")),
        diagnostic("warning", "1 unmanaged rule will be deleted. [waf-rules-overwritten]", urnOf("e")),
        diagnostic("warning", blocks, urnOf("checkout")),
        diagnostic("info", "FINISHES the WAF migration. [migration-finishes]", waf),
        step({ name: "waf-step", kind: "WafMigrationStep", op: "create", after: inputs }),
        step({ name: "old", op: "delete", before: { zoneId, description: "the old one" } }),
        step({
          name: "checkout",
          op: "update",
          before: { zoneId, action: "log" },
          after: { zoneId, action: "allow" },
          diff: { action: "update" },
        }),
        summary(),
      ],
      "--markdown",
      "-",
    );
    const order = [
      "> **This cannot be undone.**",
      "FINISHES the WAF migration",
      "### What others lose, by findings alone (1)",
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
    assert.doesNotMatch(out, /WafMigrationStep|waf-step/, "the program knows neither");
    const places = order.map((text) => out.indexOf(text));
    assert.ok(!places.includes(-1), `${order[places.indexOf(-1)]} is not there:\n${out}`);
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
      out,
    );
  });

  it("says a change that is the same in many zones once, and has a table of them", async () => {
    const zones = Array.from({ length: 40 }, (_, at) => String(at).padStart(32, "a"));
    const lines = zones.map((zone, at) =>
      step({
        name: `checkout-${at}`,
        op: "update",
        before: { zoneId: zone, action: "log" },
        after: { zoneId: zone, action: "allow" },
        diff: { action: "update" },
      }),
    );
    const { out } = await review([stackStep(), ...lines, summary()], "--markdown", "-");
    assert.match(out, /### By zone \(40\)/);
    assert.match(out, /### Updated \(40\)/);
    assert.equal(out.match(/`log` \| `allow`/g)?.length, 1);
  });

  it("keeps a comment within 60,000 characters, counts what it cuts, and the page has it all", async () => {
    const lines = Array.from({ length: 900 }, (_, at) =>
      step({
        name: `p${at}`,
        op: "update",
        before: { zoneId, action: "log", expression: `http.host eq "${"x".repeat(100)}${at}.example"` },
        after: { zoneId, action: "log", expression: `http.host eq "${"y".repeat(100)}${at}.example"` },
        diff: { expression: "update" },
      }),
    );
    const { out } = await review([stackStep(), ...lines, summary()], "--markdown", "-", "--html", "all.html");
    assert.ok(out.length <= 60_000 && out.length > 50_000, `${out.length} characters`);
    const [, cut = "", all = ""] = /(\d+) of (\d+) entries are not shown/.exec(out) ?? [];
    assert.equal(Number(all), 900);
    assert.equal(Number(cut) + (out.match(/\*\*CspPolicy p\d+\*\*/g)?.length ?? 0), 900);
    assert.equal(readFileSync(join(folder, "all.html"), "utf8").match(/CspPolicy p\d+</g)?.length, 900);
  });

  it("shows text of others as text: no markup, no people, no links, no commands", async () => {
    const hostile =
      "<img src=x onerror=alert(1)> @everyone ![x](https://evil.example/a.png) <!-- page-guard:review other --> ::error::no ##[group]x | cell | `tick` #12 org/repo#3 https://evil.example www.evil.example a@b.example";
    const { out } = await review(
      [
        stackStep(),
        step({
          name: "@someone <b>",
          op: "update",
          before: { zoneId, description: "x" },
          after: { zoneId, description: hostile },
          diff: { description: "update" },
        }),
        diagnostic("warning", `${hostile}\n/merge\n  ${hostile}`, urnOf("p")),
        diagnostic("warning", `${hostile} [csp-near-miss]`, urnOf("p")),
        summary(),
      ],
      "--markdown",
      "-",
      "--html",
      "all.html",
    );
    const prose = out.replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, "");
    assert.doesNotMatch(
      prose.replace("<!-- page-guard:review dev -->", ""),
      /<(?!\/?(details|summary|br|sub)>)/,
    );
    // What the browser makes of it, with a mark for what has no width.
    const seen = prose
      .replaceAll("&#8203;", "¦")
      .replaceAll("&#64;", "@")
      .replace(/&#\d+;/g, ":");
    assert.doesNotMatch(seen, /@\w|https?:\/\/|#\d|!\[/);
    assert.doesNotMatch(out, /^\s*(::|\/merge|##\[)/m);
    const page = readFileSync(join(folder, "all.html"), "utf8");
    assert.doesNotMatch(page, /<img|<script|<!-- |href=|src="/);
  });

  it("refuses what makes no sense before it runs anything", async () => {
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [["--markdown", "-", "--html", "-"], /--markdown - and --html - would both print/],
      [["--events", "e", "--", "pulumi", "preview"], /leave out one of the two/],
      [["--summary"], /GITHUB_STEP_SUMMARY/],
      [["--", "pulumi", "up", "--yes"], /A review runs only `pulumi preview`/],
      [["--findings", "f"], /--findings requires --events/],
    ];
    for (const [args, expected] of wrong) {
      const ended = await pageGuard(["review", ...args], { cwd: folder, env: pulumi([], 0) });
      assert.equal(ended.code, 1);
      assert.match(ended.err, expected);
    }
    assert.deepEqual(readdirSync(folder), ["pulumi"]);
    const none = await review(["not an event"]);
    assert.match(none.err, /These are not events of the engine/);
  });

  it("appends to the summary of a step", async () => {
    const file = join(folder, "summary.md");
    writeFileSync(file, "# before\n");
    const env = { ...pulumi([stackStep(), summary()], 0), GITHUB_STEP_SUMMARY: file };
    const ended = await pageGuard(["review", "--summary"], { cwd: folder, env });
    assert.equal(ended.code, 0, ended.err);
    assert.match(readFileSync(file, "utf8"), /^# before\n<!-- page-guard:review dev -->/);
    assert.equal(ended.out, "Stack dev: nothing changes.\n");
  });
});
