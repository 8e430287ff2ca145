import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { collectChanges, summariseRuns } from "../../../command/src/documents/audit/cadence";
import { csv } from "../../../command/src/documents/audit/csv";
import { html, markdown } from "../../../command/src/documents/audit/documents";
import { zoneRuns } from "../../../command/src/documents/audit/make-report";
import * as reportData from "../../../command/src/documents/audit/report-data";
import { forJson } from "../../../command/src/documents/escape";
import { root } from "../../workspace/structure/source-files";
import { auditReport } from "../support/audit-report";

type RunLine = reportData.RunLine;
type ZoneRun = reportData.ZoneRun;
const { reportSchema, runSchema } = reportData;
const report = auditReport({ scripts: 30 });

describe("The documents of a report", () => {
  it("have the schemas that the package publishes", async () => {
    const folder = join(root, "command/schemas");
    const tool: { publishedSchemas(schemas: object): Record<string, string> } = await import(
      pathToFileURL(join(root, "tools/schema/published-schemas.mjs")).href
    );
    const published = tool.publishedSchemas({ reportSchema, runSchema });
    assert.deepEqual(readdirSync(folder).sort(), Object.keys(published).sort());
    for (const [name, text] of Object.entries(published))
      assert.equal(readFileSync(join(folder, name), "utf8"), text, `run \`npm run schemas\` (${name})`);
  });

  it("are the same after writing and reading, even with hostile text", () => {
    assert.deepEqual(reportSchema.parse(JSON.parse(forJson(report))), report);
  });

  it("have a digest that anyone can compute", () => {
    const { digest: _, ...head } = report.head;
    const sorted = JSON.stringify({ ...report, head }, (_, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
        : value,
    );
    assert.equal(report.head.digest, createHash("sha256").update(sorted).digest("hex"));
  });

  it("say in every format what they do not cover, and never that anyone complies", () => {
    for (const text of [html(report), markdown(report), forJson(report)]) {
      assert.match(text, /Risk analysis \\?\(12\.3\.1\\?\)/);
      assert.match(text, /Inline scripts/);
      assert.doesNotMatch(text, /complian|complies/i);
    }
  });

  it("as CSV: have records of RFC 4180 with a field for each column, without formulas", () => {
    for (const [name, text] of Object.entries(csv(report))) {
      const records = recordsOf(text);
      const [heads = []] = records;
      assert.ok(records.length > 1, name);
      for (const record of records) assert.equal(record.length, heads.length, `${name}: ${record.join("|")}`);
      const formulas = records.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell));
      assert.deepEqual(formulas, [], name);
    }
    const evil = auditReport({ scripts: 1 });
    const [script] = evil.data.zones[0]?.scripts ?? [];
    assert.ok(script);
    script.url = '=1+1,"a"\r\nb';
    const [, row = []] = recordsOf(csv(evil)["scripts.csv"] ?? "");
    assert.equal(row[2], '\'=1+1,"a" b');
    script.served = ["aa", "bb"].map((hash) => ({ hash, on: null }));
    const [heads = [], listed = []] = recordsOf(csv(evil)["scripts.csv"] ?? "");
    assert.equal(listed[heads.indexOf("served_in_between")], "aa bb");
  });

  it("as HTML: link an https URL only if it has neither a user name nor a password", () => {
    const linked = ["git.example/1", "ann@git.example/1", ":secret@git.example/1"].filter((rest) => {
      const { runs, ...data } = report.data;
      const alerts = runs?.alerts.map((one) => ({ ...one, reference: `https://${rest}` })) ?? [];
      const page = html({ ...report, data: { ...data, runs: runs && { ...runs, alerts } } });
      return page.includes(`<a href="https://${rest}"`);
    });
    assert.deepEqual(linked, ["git.example/1"]);
  });

  it("as Markdown: escape text from outside", () => {
    const text = markdown(report);
    const outside = text.replace(/<\/?sub>|<br>/g, "").replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, "");
    assert.ok(outside.includes("&lt;script&gt;"));
    assert.doesNotMatch(outside, /<[a-z/!]/i);
    assert.doesNotMatch(outside, /"https:/, "a URL outside of a block of code becomes a link");
  });

  it("as Markdown: count what does not fit", () => {
    const text = markdown(auditReport({ scripts: 10_000 }));
    assert.ok(text.length <= 900_000);
    assert.match(text, /\d+ of 9750 are not shown here/);
  });

  it("without scripts or zones are complete, too", () => {
    for (const one of [auditReport({ scripts: 0 }), { ...report, data: { zones: [], runs: null } }]) {
      assert.match(html(one), /<\/html>\n$/);
      assert.match(markdown(one), /What needs a person/);
    }
  });
});

describe("The cadence of scheduled checks", () => {
  const period = { from: "2026-10-05T00:00:00Z", to: "2026-11-02T00:00:00Z" };
  const shop = { id: "a".repeat(32), name: "shop" };
  const summarise = (lines: readonly RunLine[]) => summariseRuns(lines, period, [shop]);
  const whole = { ...shop, monitoring: true, scripts: 3, isWhole: true, found: {}, changes: [] };
  const run = (when: string, zone: Partial<ZoneRun> = {}): RunLine => ({
    when,
    what: "page-guard report",
    exit: 0,
    zones: [{ ...whole, ...zone }],
  });

  const weekly = ["10-05", "10-12", "10-19", "10-26", "11-02"].map((day) => run(`2026-${day}T00:00:00Z`));
  const begun = run("2026-10-05T01:00:00Z");
  const when = "2026-10-12T01:00:00Z";
  for (const [what, lines, gaps] of [
    ["a check each week", weekly, []],
    ["a missing check", weekly.filter((_, at) => at !== 2), ["2026-10-12 14"]],
    ["no checks at both ends", [run("2026-10-20T00:00:00Z")], ["2026-10-05 15", "2026-10-20 13"]],
    ["a run that could not read everything", [begun, run(when, { isWhole: false })], ["2026-10-05 28"]],
    ["a zone that was not in the run", [begun, run(when, { id: "b".repeat(32) })], ["2026-10-05 28"]],
    ["a run of another command", [begun, { when, what: "page-guard inventory check" }], ["2026-10-05 28"]],
    ["a check that is hours late", weekly.with(2, run("2026-10-19T09:11:00Z")), []],
    ["a check that is a day late", weekly.with(2, run("2026-10-20T00:00:00Z")), ["2026-10-12 8"]],
  ] as const)
    it(`given ${what}, then has ${gaps.length > 0 ? "gaps, and weeks without a check" : "no gap"}`, () => {
      const [series] = summarise(lines).series;
      const told = series?.gaps.map(({ from, days }) => `${from.slice(0, 10)} ${days}`);
      assert.deepEqual(told, gaps);
      const isUnchecked = series?.weeks.some(({ completed }) => completed === 0);
      assert.equal(
        isUnchecked,
        gaps.some((gap) => !gap.endsWith(" 8")),
      );
    });

  it("given nightly checks, then reports their findings with days, including those that no weekly run saw", () => {
    const found = (code: string) => ({
      // A script with two entries.
      findings: [1, 2].map(() => ({ code: `inventory-${code}`, subject: "https://a.example/a.js" })),
    });
    const night = (day: number, zone: Partial<ZoneRun>) =>
      run(`2026-10-${String(day).padStart(2, "0")}T03:00:00Z`, zone);
    const none = { findings: [] };
    const lines = [
      ...[night(6, none), night(7, found("malicious")), night(8, found("malicious"))],
      ...[night(9, { ...none, isWhole: false }), night(10, none), night(11, found("changed"))],
      { when: "2026-10-12T03:00:00Z", what: "page-guard inventory check", exit: 1, reason: "503" },
      night(13, { ...shop, id: "b".repeat(32), name: "pay" }),
    ];
    const [series] = summarise(lines).series;
    const told = series?.findings.map(({ code, from, to, until, checks }) =>
      [code, ...[from, to, until].map((time) => time?.slice(8, 10)), checks].join(" "),
    );
    assert.deepEqual(told, ["inventory-malicious 07 08 10 2", "inventory-changed 11 11  1"]);
    const { failed, left } = summarise(lines);
    assert.deepEqual([failed[0]?.reason, left[0]?.name], ["503", "pay"]);
  });

  it("given more findings than fit in a line, then the line contains malicious scripts, and the end of omitted findings is unknown", () => {
    const [zone] = report.data.zones;
    const [script] = zone?.scripts ?? [];
    assert.ok(zone && script);
    const need = (code: string) => [{ code: `inventory-${code}`, severity: "error" as const, text: "x" }];
    const scripts = Array.from({ length: 300 }, (_, at) => ({
      ...script,
      key: `${at}`,
      url: `https://a.example/${at}.js`,
      needs: need(at === 299 ? "malicious" : "not-listed"),
    }));
    const [line] = zoneRuns([{ ...zone, scripts, needs: [] }], undefined);
    assert.equal(line?.findings?.[0]?.subject, "https://a.example/299.js");
    const last = { findings: [{ code: "inventory-not-listed", subject: "https://a.example/298.js" }] };
    const lines = [run("2026-10-06T03:00:00Z", last), run(when, { findings: line?.findings })];
    const [series] = summarise(lines).series;
    assert.equal(series?.findings[0]?.until, null);
  });

  it("given a note or a name by hand on an alert that jobs opened and closed, then says so", () => {
    const alert = (day: string, more: object, chain = {}): RunLine => ({
      when: `2026-10-${day}T03:00:00Z`,
      what: "issue",
      ...chain,
      alert: { reference: "#1", ...more },
    });
    const byJob = { chain: "hmac-sha256:0" };
    const lines = [alert("06", {}, byJob), alert("07", { closedOn: "2026-10-07" }, byJob)];
    const [told] = summarise([...lines, alert("08", { note: "harmless" })]).alerts;
    assert.deepEqual([told?.note, told?.closedByHand], ["harmless (by hand)", false]);
    const [opened, closed] = lines;
    const named = alert("06", { closedBy: "Ada" });
    const byHand = [opened, named, closed].filter((line) => line !== undefined);
    const [closer] = summarise(byHand).alerts;
    assert.deepEqual([closer?.closedBy, closer?.closedByHand], ["Ada", true]);
  });

  it("given lines by hand about an alert of a job, then none changes what the job recorded, and one closes the alert once", () => {
    const line = (day: string, more: object, chain = {}): RunLine => ({
      when: `2026-10-${day}T03:00:00Z`,
      what: "ada",
      ...chain,
      alert: { reference: "#1", ...more },
    });
    const byJob = { what: "page-guard issue", chain: "hmac-sha256:0" };
    const opened = line("06", {}, byJob);
    const closed = line("07", { closedOn: "2026-10-07" }, byJob);
    const [first, last] = [line("01", {}), line("12", { closedOn: "2099-01-01" })];
    for (const [lines, closedOn] of [
      [[first, opened, last], null],
      [[first, opened, closed, last, line("12", { closedOn: "2026-10-12" })], "2026-10-07"],
      [
        [opened, line("08", { closedOn: "2026-10-08" }), line("09", { closedOn: "2026-10-11" })],
        "2026-10-08",
      ],
      [[opened, line("08", { closedBy: "ada" })], "2026-10-08"],
    ] as const) {
      const [told] = summarise([...lines]).alerts;
      const { opened: on, what, openedByHand, closedOn: end } = told ?? assert.fail();
      assert.deepEqual([on, what, openedByHand, end], [opened.when, "page-guard issue", false, closedOn]);
    }
    assert.equal(runSchema.safeParse(line("08", { closedOn: "tomorrow" })).success, false);
  });

  it("given nights that compare with the same report, then reports a change once", () => {
    const kinds = { kind: "script", change: "new" } as const;
    const changes = [{ ...kinds, subject: "https://a.example/a.js", details: [] }];
    const since = "2026-10-05T00:00:00Z";
    const nights = ["10-06", "10-07"].map((day) => ({ ...run(`2026-${day}T03:00:00Z`, { changes }), since }));
    assert.equal(collectChanges(nights, period, [shop])?.length, 1);
  });

  it("given two runs in a week, then reports the findings of both", () => {
    const [one, other] = [2, 1].map((count) => run(when, { found: { "inventory-malicious": count } }));
    const [series] = summarise([begun, one ?? begun, other ?? begun]).series;
    assert.equal(series?.weeks[1]?.found["inventory-malicious"], 2);
  });
});

/** Parses CSV of RFC 4180, without code of the writer. */
function recordsOf(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let match = cell.exec(text); match; match = cell.exec(text)) {
    const [, quoted, plain = "", end] = match;
    record.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ",") continue;
    records.push(record);
    record = [];
  }
  assert.equal(records.map((one) => one.length).length > 0 && record.length, 0, "the last record ends");
  return records;
}
