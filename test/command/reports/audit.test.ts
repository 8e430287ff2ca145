import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import * as cadence from "../../../command/src/reports/audit/cadence";
import { csv } from "../../../command/src/reports/audit/csv";
import { html } from "../../../command/src/reports/audit/html";
import { markdown } from "../../../command/src/reports/audit/markdown";
import {
  type RunLine,
  reportSchema,
  runSchema,
  type ZoneRun,
} from "../../../command/src/reports/audit/report-data";
import { forJson } from "../../../command/src/reports/escape";
import { root } from "../../workspace/structure/source-files";
import { auditReport } from "../support/audit-report";

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

  it("are read again as they were written, whatever others wrote", () => {
    assert.deepEqual(reportSchema.parse(JSON.parse(forJson(report))), report);
  });

  it("have the digest that anyone can compute", () => {
    const sorted = JSON.stringify(report.data, (_, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
        : value,
    );
    assert.equal(report.head.digest, createHash("sha256").update(sorted).digest("hex"));
  });

  it("say in every format what is not covered, and never that anyone complies", () => {
    for (const text of [html(report), markdown(report), forJson(report)]) {
      assert.match(text, /Risk analysis \\?\(12\.3\.1\\?\)/);
      assert.match(text, /Inline scripts/);
      assert.doesNotMatch(text, /complian|complies/i);
    }
  });

  it("as CSV: records of RFC 4180 with a cell for each column, none of them a formula", () => {
    for (const [name, text] of Object.entries(csv(report.data))) {
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
    const [, row = []] = recordsOf(
      csv({
        ...evil.data,
        zones: evil.data.zones.map((zone) => ({ ...zone, scripts: [{ ...script, url: '=1+1,"a"\r\nb' }] })),
      })["scripts.csv"] ?? "",
    );
    assert.equal(row[2], '\'=1+1,"a" b');
  });

  it("as Markdown: nothing that others wrote is markup", () => {
    const text = markdown(report);
    const outside = text.replace(/<\/?sub>|<br>/g, "").replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, "");
    assert.ok(outside.includes("&lt;script&gt;"));
    assert.doesNotMatch(outside, /<[a-z/!]/i);
    assert.doesNotMatch(outside, /"https:/, "a URL outside of a block of code becomes a link");
  });

  it("as Markdown: counts what does not fit", () => {
    const text = markdown(auditReport({ scripts: 10_000 }));
    assert.ok(text.length <= 900_000);
    assert.match(text, /\d+ of 9750 are not shown here/);
  });

  it("of no script and of no zone are whole, too", () => {
    for (const one of [auditReport({ scripts: 0 }), { ...report, data: { zones: [], runs: null } }]) {
      assert.match(html(one), /<\/html>\n$/);
      assert.match(markdown(one), /What needs a person/);
    }
  });
});

describe("The cadence of scheduled checks", () => {
  const period = { from: "2026-10-05T00:00:00Z", to: "2026-11-02T00:00:00Z" };
  const shop = { id: "a".repeat(32), name: "shop" };
  const whole = { ...shop, monitoring: true, scripts: 3, isWhole: true, found: {}, changes: [] };
  const run = (when: string, zone: Partial<ZoneRun> = {}): RunLine => ({
    ...{ when, what: "page-guard report", exit: 0, zones: [{ ...whole, ...zone }] },
  });
  const seriesOf = (lines: readonly RunLine[]) => cadence.seriesOf(lines, period, [shop]);

  it("given a check each week, then no gap; without one of them, the gap and the missed week", () => {
    const days = ["10-05", "10-12", "10-19", "10-26", "11-02"].map((day) => run(`2026-${day}T00:00:00Z`));
    assert.deepEqual(seriesOf(days)[0]?.gaps, []);
    const [missed] = seriesOf(days.filter(({ when }) => !when.includes("10-19")));
    assert.deepEqual(
      missed?.gaps.map(({ days: length }) => length),
      [14],
    );
    assert.deepEqual(
      missed?.weeks.filter(({ completed }) => completed === 0).map(({ monday }) => monday),
      ["2026-10-19"],
    );
  });

  for (const [what, line] of [
    ["with Page Guard off", run("2026-10-12T01:00:00Z", { monitoring: false })],
    ["without a script", run("2026-10-12T01:00:00Z", { scripts: 0 })],
    ["that could not read everything", run("2026-10-12T01:00:00Z", { isWhole: false })],
    ["of another zone", run("2026-10-12T01:00:00Z", { id: "b".repeat(32) })],
    ["of another command", { when: "2026-10-12T01:00:00Z", what: "page-guard inventory check", exit: 0 }],
  ] as const)
    it(`given a run ${what}, then it is no check of the zone`, () => {
      const [series] = seriesOf([run("2026-10-05T01:00:00Z"), line]);
      assert.deepEqual(
        series?.gaps.map(({ days }) => days),
        [28],
      );
      assert.equal(series?.weeks[1]?.completed, 0);
    });

  it("given no run at the begin or the end of the period, then that is a gap as well", () => {
    const [series] = seriesOf([run("2026-10-20T00:00:00Z")]);
    assert.deepEqual(
      series?.gaps.map(({ from, to }) => [from.slice(0, 10), to.slice(0, 10)]),
      [
        ["2026-10-05", "2026-10-20"],
        ["2026-10-20", "2026-11-02"],
      ],
    );
  });

  it("counts each run of the period in one week, in whatever order they come", () => {
    const time = fc.integer({ min: Date.parse(period.from), max: Date.parse(period.to) });
    fc.assert(
      fc.property(fc.array(fc.tuple(time, fc.boolean()), { minLength: 1 }), (runs) => {
        const lines = runs.map(([when, isWhole]) => run(new Date(when).toISOString(), { isWhole }));
        const [series] = seriesOf(lines);
        const counted = series?.weeks.reduce((sum, week) => sum + week.completed + week.incomplete, 0);
        assert.equal(counted, lines.length);
      }),
    );
  });

  it("shows every change that a run of the period has found, also of what is over", () => {
    const skimmer: NonNullable<ZoneRun["changes"]>[number] = {
      ...{ kind: "script", change: "malicious", subject: "https://evil.example/" },
      details: [],
    };
    const lines = [
      run("2026-10-12T00:00:00Z", { changes: [skimmer] }),
      run("2026-10-19T00:00:00Z", { changes: [{ ...skimmer, change: "gone" }] }),
      run("2026-09-01T00:00:00Z", { changes: [skimmer] }),
      run("2026-10-19T00:00:00Z", { id: "b".repeat(32), changes: [skimmer] }),
    ];
    assert.deepEqual(
      cadence.changesOf(lines, period, [shop]).map(({ on, change, zone }) => [on.slice(0, 10), change, zone]),
      [
        ["2026-10-12", "malicious", "shop"],
        ["2026-10-19", "gone", "shop"],
      ],
    );
  });

  it("given an alert, then a later line with the same reference says who closed it", () => {
    const [alert] = cadence.alertsOf([
      { ...run("2026-10-13T00:00:00Z"), alert: { reference: "#9", closedBy: "sam", closedOn: "2026-10-13" } },
      { ...run("2026-10-12T00:00:00Z"), alert: { reference: "#9" } },
    ]);
    assert.deepEqual(alert, {
      ...{ reference: "#9", opened: "2026-10-12T00:00:00Z", what: "page-guard report" },
      ...{ closedBy: "sam", closedOn: "2026-10-13", note: null },
    });
  });
});

/** A reader of RFC 4180 that shares nothing with the writer. */
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
