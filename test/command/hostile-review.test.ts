import assert from "node:assert/strict";
import { join } from "node:path";
import { diagnostic, stackStep, step, summary, urnOf } from "./support/events";
import { useReviewing } from "./support/reviewing";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const waf = urnOf("waf-step", "WafMigrationStep");
const finishes = "FINISHES the WAF migration of the zone: the previous WAF is switched off.";
const inputs = { zoneId, stage: "finished", confirm: zoneId };
const migration = step({ name: "waf-step", kind: "WafMigrationStep", op: "create", after: inputs });

interface SarifRun {
  readonly results: {
    readonly locations: { readonly physicalLocation: { readonly region: { startLine: number } } }[];
  }[];
}

describe("page-guard review of a program that writes the findings file itself", () => {
  const review = useReviewing();

  const forged = (more: object) => ({ severity: "info", urn: waf, property: "", text: "", ...more });

  it("keeps a migration and its effect in the box, even if the file says that it has no effect or has another severity", async () => {
    const unasked = [
      forged({ code: "migration-no-effect", text: "the migration is finished." }),
      forged({ code: "migration-adopted", text: "nothing will be sent." }),
    ];
    const out = await review.of([migration], unasked);
    assert.match(out, /This cannot be undone\.\*\*[\s\S]*WafMigration waf/);
    assert.match(out, /1 WAF migration in 1 zone cannot be undone/);
    const other = forged({ code: "migration-finishes", severity: "error", text: finishes });
    const said = diagnostic("info", `${finishes} [migration-finishes]`, waf);
    const asked = await review.of([said, migration], [other]);
    assert.match(asked, /This cannot be undone\.\*\*[\s\S]*FINISHES/);
    assert.doesNotMatch(asked, /What stops the update/);
  });

  it("keeps the first line of each migration, however long other texts and names become after escaping", async () => {
    const zones = Array.from({ length: 100 }, (_, at) => `${at}`.padStart(32, "b"));
    const lines = zones.flatMap((zone, at) => {
      const name = at < 12 ? `waf-${at}-step` : `${at}${"@".repeat(115)}-step`;
      const rule = (index: number) => `  ${index + 1}. "${at}${"@".repeat(118)}" skip, if true, enabled`;
      const text = [
        `FINISHES the WAF migration of zone ${zone}.`,
        ...Array.from({ length: 45 }, (_, at) => rule(at)),
      ];
      const told = `${text.join("\n")} [migration-finishes]`;
      const said = diagnostic("info", told, urnOf(name, "WafMigrationStep"));
      const before = { zoneId: zone, description: "a policy that goes" };
      return [
        ...(at < 12 ? [said, step({ name: `other-${at}`, op: "delete", id: `${zone}/other`, before })] : []),
        step({ name, kind: "WafMigrationStep", op: "create", after: { ...inputs, zoneId: zone } }),
      ];
    });
    const out = await review.of(lines);
    assert.ok(out.length <= 60_000, `${out.length} characters`);
    const box = /\[!CAUTION\]\n((?:>.*\n)*)/.exec(out)?.[1] ?? "";
    for (const zone of zones) assert.ok(box.includes(zone), zone);
    assert.match(out, /### Deleted \(12\)[\s\S]*a policy that goes/, "the box leaves room for the rest");
    assert.match(out, /are not shown here \(lines of the configuration to send\)/, "cut lines are counted");
  });

  it("trusts the state, which the program cannot write, that a migration has ended", async () => {
    const recorded = { reached: "finished", applied: { name: "default", rules: [] } };
    const update = (more: object) =>
      step({
        name: "waf-step",
        kind: "WafMigrationStep",
        op: "update",
        id: zoneId,
        before: inputs,
        after: { ...inputs, allowForget: true },
        diff: { allowForget: "add" },
        recorded,
        ...more,
      });
    assert.doesNotMatch(await review.of([update({})], []), /CAUTION/);
    for (const more of [
      { recorded: { ...recorded, reached: "validation" } },
      { recorded: { reached: "finished" } },
      { recorded: {} },
      { after: { ...inputs, stage: "validation" } },
      { after: { ...inputs, zoneId: "b".repeat(32) } },
      { op: "replace" },
    ])
      assert.match(await review.of([update(more)], []), /CAUTION/, JSON.stringify(more));
  });

  it("writes all formats without markup, mentions, links and commands, whatever the file contains", async () => {
    const urn = urnOf("p");
    const hostile =
      "<img src=x onerror=alert(1)> @everyone ![x](https://evil.example/a.png) <!-- page-guard:review other --> ::error::no ##[group]x | cell | `tick` #12 org/repo#3 https://evil.example www.evil.example a@b.example";
    const finding = (text: string, file = "index.ts", line?: number) => ({
      code: "csp-near-miss",
      severity: "warning",
      urn,
      property: "",
      text,
      line,
      file: join(review.folder, file),
    });
    const files = ["--sarif", "s.sarif", "--code-quality", "q.json", "--junit", "j.xml", "--html", "h.html"];
    const changed = { before: { zoneId, description: "x" }, after: { zoneId, description: hostile } };
    const out = await review.of(
      [
        migration,
        step({ name: "@someone <b>", op: "update", ...changed, diff: { description: "update" } }),
        diagnostic("warning", `${hostile}\n/merge\n  ${hostile}`, urn),
      ],
      [
        finding(`${hostile} near`, "a\ud800b ##vso[task.setvariable variable=x]y.ts", 3),
        finding("##vso[task.complete]done\ud800", "index.ts", -1),
        finding("far away", "index.ts", 1e300),
        { kind: "position", urn, line: -1, file: join(review.folder, "index.ts") },
      ],
      ...["--markdown", "-", "--out", ".", ...files],
    );
    const prose = out.replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, "");
    const markup = prose.replace("<!-- page-guard:review dev -->", "");
    assert.doesNotMatch(markup, /<(?!\/?(details|summary|br|sub)>)/);
    // The text that a browser shows, with a mark for invisible characters.
    const marked = prose.replaceAll("&#8203;", "¦").replaceAll("&#64;", "@");
    assert.doesNotMatch(marked.replace(/&#\d+;/g, ":"), /@\w|https?:\/\/|#\d|!\[/);
    assert.doesNotMatch(out, /^\s*(::|\/merge|##\[)/m);
    assert.doesNotMatch(review.read("h.html"), /<img|<script|<!-- |href=|src="/);
    const { results }: SarifRun = JSON.parse(review.read("s.sarif")).runs[0];
    const places = results.flatMap(({ locations }) => locations.map((one) => one.physicalLocation));
    assert.deepEqual(places.map(({ region }) => region.startLine).sort(), [1, 1, 3]);
    assert.equal(JSON.parse(review.read("q.json")).length, 3);
    assert.match(review.read("j.xml"), /csp-near-miss/);
    for (const file of ["review.json", "s.sarif", "q.json"])
      assert.doesNotMatch(review.read(file), /##vso\[/);
    assert.equal(JSON.parse(review.read("review.json")).stack, "dev");
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
      const env = review.pulumi(
        'const child = require("node:child_process");',
        `const file = process.env.PAGE_GUARD_FINDINGS; ${deed}`,
        `process.stdout.write(${JSON.stringify(lines)});`,
      );
      const { code, out, err } = await review.run(["--markdown", "-"], env);
      assert.equal(code, 0, err);
      assert.match(out, /CAUTION/, deed);
    }
  });

  it("keeps the overview and the changes, however many findings the program invents", async () => {
    const urn = urnOf("set", "CspPolicySet");
    const flood = Array.from({ length: 400 }, (_, at) => [
      diagnostic("warning", `${at} ${"@".repeat(100)} [csp-undeclared-deleted]`, urn),
      diagnostic("error", `${at} ${"@".repeat(100)} stops it`, urn),
      diagnostic("warning", `${at} ${"@".repeat(100)} [csp-blocks-in-use]`, urn),
    ]).flat();
    const weaker = Array.from({ length: 20 }, (_, at) => {
      const of = (action: string, host: string) => ({
        zoneId: `${at}`.padStart(32, "d"),
        action,
        expression: `http.host eq "${host}"`,
      });
      const sides = { before: of("allow", `${at}.example`), after: of("log", `www.${at}.example`) };
      const diff = { action: "update", expression: "update" };
      return step({ name: `shop-${at}`, op: "update", id: `${zoneId}/${at}`, ...sides, diff });
    });
    const out = await review.of([...flood, ...weaker, migration], []);
    assert.ok(out.length <= 60_000, `${out.length} characters`);
    assert.match(out, /CAUTION/);
    assert.match(out, /Protection gets weaker in 20 zones/);
    for (let at = 0; at < 20; at += 1) {
      assert.match(out, new RegExp(`shop-${at}: no longer enforced`));
      assert.match(out, new RegExp(`\\*\\*CspPolicy shop-${at}\\*\\*`));
    }
  });

  it("hides no resource that has the type of a component, and does not count components", async () => {
    const of = (name: string, type: string, custom: boolean) => {
      const metadata = { op: "create", urn: `urn:pulumi:dev::story::${type}::${name}`, type, old: null };
      const side = { id: "", inputs: {}, outputs: {}, ...(custom && { custom }) };
      return JSON.stringify({ resourcePreEvent: { metadata: { ...metadata, new: side } } });
    };
    const waf = "page-guard:index:WafMigration";
    const lines = [of("w", waf, false), of("evil", waf, true), of("mine", "acme:Shop", false)];
    const out = await review.of(lines, []);
    assert.match(out, /1 resource from another package to change/);
    assert.match(out, /page-guard:index:WafMigration evil/);
    assert.doesNotMatch(out, /WafMigration w\b/);
  });

  it("reports that a resource uses another service, although the engine sees no change", async () => {
    const before = { zoneId, action: "log", connection: { tokenEnv: "OURS" } };
    const same = (connection?: object) =>
      step({
        name: "p",
        op: "same",
        before,
        after: { zoneId, action: "log", ...(connection && { connection }) },
      });
    const out = await review.of([same({ baseUrl: "https://evil.example", tokenEnv: "OURS" })], []);
    assert.match(out, /### Service or token changes/);
    assert.match(out, /CspPolicy p.*evil/);
    assert.match(await review.of([same(undefined)], []), /### Service or token changes/);
    assert.match(await review.of([same({ tokenEnv: "OURS" })], []), /nothing changes\.\n$/);
  });

  it("shows what a migration does before reassuring or unknown messages", async () => {
    const calming = Array.from({ length: 50 }, (_, at) =>
      diagnostic("info", `${at} nothing happens, ${"x".repeat(100)} [migration-answer-outdated]`, waf),
    );
    const taken = diagnostic("info", "It is finished already, nothing is sent. [migration-adopted]", waf);
    const finish = diagnostic("info", `${finishes} [migration-finishes]`, waf);
    const out = await review.of([...calming, taken, finish, migration], []);
    assert.match(
      out,
      /> - \*\*WafMigration waf\*\*, zone `\w+`, stage `finished`: ends the previous WAF for good\. .*From the preview: FINISHES .* From the preview: It is finished already/,
    );
    assert.doesNotMatch(out, /> .*nothing happens/);
  });
});
