import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pageGuard } from "./support/console";
import { diagnostic, stackStep, step, summary, urnOf } from "./support/events";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const waf = urnOf("waf-step", "WafMigrationStep");
const finishes = "FINISHES the WAF migration of the zone: the previous WAF is switched off.";
const inputs = { zoneId, stage: "finished", confirm: zoneId };
const migration = step({ name: "waf-step", kind: "WafMigrationStep", op: "create", after: inputs });

describe("page-guard review of a program that writes the findings file itself", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-hostile-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  async function review(lines: readonly string[], findings: readonly object[]) {
    writeFileSync(join(folder, "events.jsonl"), [stackStep(), ...lines, summary()].join("\n"));
    writeFileSync(join(folder, "findings.jsonl"), findings.map((one) => JSON.stringify(one)).join("\n"));
    const files = ["--events", "events.jsonl", "--findings", "findings.jsonl"];
    const reports = ["--markdown", "-", "--html", "page.html"];
    const { out, err, code } = await pageGuard(["review", ...files, ...reports], { cwd: folder });
    assert.equal(code, 0, err);
    return out;
  }

  const forged = (more: object) => ({ severity: "info", urn: waf, property: "", text: "", ...more });

  it("keeps a migration in the box when the file says that it has no effect, and the service was not asked", async () => {
    const out = await review(
      [migration],
      [
        forged({ code: "migration-no-effect", text: "the migration is finished." }),
        forged({ code: "migration-adopted", text: "nothing will be sent." }),
      ],
    );
    assert.match(out, /This cannot be undone\.\*\*[\s\S]*WafMigration waf/);
    assert.match(out, /1 WAF migration in 1 zone cannot be undone/);
  });

  it("keeps what a migration does when the file gives it another severity", async () => {
    const out = await review(
      [diagnostic("info", `${finishes} [migration-finishes]`, waf), migration],
      [forged({ code: "migration-finishes", severity: "error", text: finishes })],
    );
    assert.match(out, /This cannot be undone\.\*\*[\s\S]*FINISHES/);
    assert.doesNotMatch(out, /What stops it/);
  });

  it("keeps the head of each migration however long the texts of others become when they are written down", async () => {
    const zones = Array.from({ length: 12 }, (_, at) => `${at}`.padStart(32, "b"));
    const lines = zones.flatMap((zone, at) => {
      const rules = Array.from(
        { length: 45 },
        (_, index) => `  ${index + 1}. "${at}${"@".repeat(118)}" skip, if true, enabled`,
      );
      const text = [`FINISHES the WAF migration of zone ${zone}: cannot be undone.`, ...rules].join("\n");
      const urn = urnOf(`waf-${at}-step`, "WafMigrationStep");
      return [
        diagnostic("info", `${text} [migration-finishes]`, urn),
        step({
          ...{ name: `waf-${at}-step`, kind: "WafMigrationStep", op: "create" },
          after: { ...inputs, zoneId: zone },
        }),
        step({
          name: `other-${at}`,
          op: "delete",
          before: { zoneId: zone, description: "a policy that goes" },
        }),
      ];
    });
    const out = await review(lines, []);
    assert.ok(out.length <= 60_000, `${out.length} characters`);
    const box = /\[!CAUTION\]\n((?:>.*\n)*)/.exec(out)?.[1] ?? "";
    for (const [at, zone] of zones.entries())
      assert.match(
        box,
        new RegExp(`> - \\*\\*WafMigration waf-${at}\\*\\*, zone \`${zone}\`, stage \`finished\``),
      );
    assert.match(out, /### Deleted \(12\)[\s\S]*a policy that goes/, "the box leaves room for the rest");
    assert.match(out, /are not shown here \(lines of what is sent\)/, "and what is cut is counted");
  });

  it("names migrations of a hundred zones whose names are made to take room", async () => {
    const zones = Array.from({ length: 100 }, (_, at) => `${at}`.padStart(32, "c"));
    const out = await review(
      zones.map((zone, at) => {
        const name = `${at}${"@".repeat(115)}-step`;
        return step({
          ...{ name, kind: "WafMigrationStep", op: "create" },
          after: { ...inputs, zoneId: zone },
        });
      }),
      [],
    );
    const box = /\[!CAUTION\]\n((?:>.*\n)*)/.exec(out)?.[1] ?? "";
    for (const zone of zones) assert.ok(box.includes(zone), zone);
    assert.ok(out.length <= 60_000, `${out.length} characters`);
  });

  it("believes the state, which the program cannot write, that a migration is over", async () => {
    const recorded = { reached: "finished", applied: { name: "default", rules: [] } };
    const update = (more: object) =>
      step({
        ...{ name: "waf-step", kind: "WafMigrationStep", op: "update", id: zoneId, before: inputs },
        ...{ after: { ...inputs, allowForget: true }, diff: { allowForget: "add" }, recorded, ...more },
      });
    assert.doesNotMatch(await review([update({})], []), /CAUTION/);
    for (const more of [
      { recorded: { ...recorded, reached: "validation" } },
      { recorded: { reached: "finished" } },
      { recorded: {} },
      { after: { ...inputs, stage: "validation" } },
      { after: { ...inputs, zoneId: "b".repeat(32) } },
      { op: "replace" },
    ])
      assert.match(await review([update(more)], []), /CAUTION/, JSON.stringify(more));
  });

  it("writes all formats, whatever names and lines the file has", async () => {
    const urn = urnOf("p");
    const finding = (more: object) => ({
      ...{ code: "csp-near-miss", severity: "warning", urn, property: "", text: "near" },
      ...more,
    });
    const position = { kind: "position", urn, line: -1 };
    writeFileSync(join(folder, "events.jsonl"), [stackStep(), migration, summary()].join("\n"));
    const found = [
      finding({ file: join(folder, "a\ud800b ##vso[task.setvariable variable=x]y.ts"), line: 3 }),
      finding({ text: "##vso[task.complete]done\ud800", file: join(folder, "index.ts"), line: -1 }),
      finding({ text: "far away", file: join(folder, "index.ts"), line: 1e300 }),
      { ...position, file: join(folder, "index.ts") },
    ];
    writeFileSync(join(folder, "findings.jsonl"), found.map((one) => JSON.stringify(one)).join("\n"));
    const files = ["--sarif", "s.sarif", "--code-quality", "q.json", "--junit", "j.xml", "--html", "h.html"];
    const args = ["review", "--events", "events.jsonl", "--findings", "findings.jsonl", "--json", ...files];
    const { code, out, err } = await pageGuard(args, { cwd: folder });
    assert.equal(code, 0, err);
    const read = (file: string) => readFileSync(join(folder, file), "utf8");
    const { results } = JSON.parse(read("s.sarif")).runs[0];
    assert.equal(results.length, 3);
    const lines = results.map(
      (one: { locations: { physicalLocation: { region: { startLine: number } } }[] }) =>
        one.locations.map(({ physicalLocation }) => physicalLocation.region.startLine),
    );
    assert.deepEqual(lines.flat().sort(), [1, 1, 3]);
    assert.equal(JSON.parse(read("q.json")).length, 3);
    assert.match(read("j.xml"), /csp-near-miss/);
    assert.match(read("h.html"), /<\/html>/);
    for (const text of [out, read("s.sarif"), read("q.json")]) assert.doesNotMatch(text, /##vso\[/);
    assert.equal(JSON.parse(out).stack, "dev");
  });

  it("ignores a findings file that the program replaced by a pipe, a link or an endless file", async () => {
    for (const deed of [
      'fs.rmSync(file); child.execFileSync("mkfifo", [file]);',
      'fs.rmSync(file); fs.symlinkSync("/dev/zero", file);',
      "fs.truncateSync(file, 2 ** 31);",
      "fs.rmSync(file); fs.mkdirSync(file);",
      "fs.rmSync(file);",
    ]) {
      const lines = [stackStep(), migration, summary()].join("\n");
      const script = [
        `#!${process.execPath}`,
        'const fs = require("node:fs"); const child = require("node:child_process");',
        `const file = process.env.PAGE_GUARD_FINDINGS; ${deed}`,
        `process.stdout.write(${JSON.stringify(lines)});`,
      ];
      writeFileSync(join(folder, "pulumi"), script.join("\n"), { mode: 0o755 });
      const env = { PATH: `${folder}${delimiter}${process.env["PATH"]}` };
      const { code, out, err } = await pageGuard(["review", "--markdown", "-"], { cwd: folder, env });
      assert.equal(code, 0, err);
      assert.match(out, /CAUTION/, deed);
    }
  });

  it("keeps the overview and the changes however many findings the program makes up", async () => {
    const urn = urnOf("set", "CspPolicySet");
    const flood = Array.from({ length: 400 }, (_, at) => [
      diagnostic("warning", `${at} ${"@".repeat(100)} [csp-undeclared-deleted]`, urn),
      diagnostic("error", `${at} ${"@".repeat(100)} stops it`, urn),
      diagnostic("warning", `${at} ${"@".repeat(100)} [csp-blocks-in-use]`, urn),
    ]).flat();
    const weaker = Array.from({ length: 20 }, (_, at) =>
      step({
        ...{ name: `shop-${at}`, op: "update", id: `${zoneId}/${at}` },
        before: {
          zoneId: `${at}`.padStart(32, "d"),
          action: "allow",
          expression: `http.host eq "${at}.example"`,
        },
        after: {
          zoneId: `${at}`.padStart(32, "d"),
          action: "log",
          expression: `http.host eq "www.${at}.example"`,
        },
        diff: { action: "update", expression: "update" },
      }),
    );
    const out = await review([...flood, ...weaker, migration], []);
    assert.ok(out.length <= 60_000, `${out.length} characters`);
    assert.match(out, /CAUTION/);
    assert.match(out, /Protection gets weaker in 20 zones/);
    for (let at = 0; at < 20; at += 1) {
      assert.match(out, new RegExp(`shop-${at}: no longer enforced`));
      assert.match(out, new RegExp(`\\*\\*CspPolicy shop-${at}\\*\\*`));
    }
  });

  it("hides no resource behind the name of a component, and counts no component", async () => {
    const of = (name: string, type: string, custom: boolean) => {
      const metadata = { op: "create", urn: `urn:pulumi:dev::story::${type}::${name}`, type, old: null };
      const side = { id: "", inputs: {}, outputs: {}, ...(custom && { custom }) };
      return JSON.stringify({ resourcePreEvent: { metadata: { ...metadata, new: side } } });
    };
    const waf = "page-guard:index:WafMigration";
    const out = await review(
      [of("w", waf, false), of("evil", waf, true), of("mine", "acme:Shop", false)],
      [],
    );
    assert.match(out, /1 resource of other packages to change/);
    assert.match(out, /page-guard:index:WafMigration evil/);
    assert.doesNotMatch(out, /WafMigration w\b/);
  });

  it("says that a resource speaks to another service, which is no change to the engine", async () => {
    const before = { zoneId, action: "log", connection: { tokenEnv: "OURS" } };
    const same = (after: object | undefined) =>
      step({
        ...{ name: "p", op: "same", before },
        after: { zoneId, action: "log", ...(after && { connection: after }) },
      });
    const out = await review([same({ baseUrl: "https://evil.example", tokenEnv: "OURS" })], []);
    assert.match(out, /### Another service, or another token/);
    assert.match(out, /CspPolicy p.*evil/);
    assert.match(await review([same(undefined)], []), /### Another service/);
    assert.match(await review([same({ tokenEnv: "OURS" })], []), /nothing changes\.\n$/);
  });

  it("says what a migration does before anything that calms, and before what it does not know", async () => {
    const calming = Array.from({ length: 50 }, (_, at) =>
      diagnostic("info", `${at} nothing happens, ${"x".repeat(100)} [migration-answer-outdated]`, waf),
    );
    const taken = diagnostic("info", "It is finished already, nothing is sent. [migration-adopted]", waf);
    const out = await review(
      [...calming, taken, diagnostic("info", `${finishes} [migration-finishes]`, waf), migration],
      [],
    );
    assert.match(
      out,
      /> - \*\*WafMigration waf\*\*, zone `\w+`, stage `finished`: ends the previous WAF for good, .* From the preview: FINISHES .* From the preview: It is finished already/,
    );
    assert.doesNotMatch(out, /> .*nothing happens/);
  });
});
