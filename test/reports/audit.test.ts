import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { alertsOf, seriesOf } from "../../provider/src/reports/audit/cadence";
import { csv } from "../../provider/src/reports/audit/csv";
import { html } from "../../provider/src/reports/audit/html";
import { markdown } from "../../provider/src/reports/audit/markdown";
import { reportSchema, runSchema } from "../../provider/src/reports/audit/report-data";
import { forJson } from "../../provider/src/reports/escape";
import { auditReport } from "../cli/support/audit-report";
import { root } from "../structure/source-files";

const report = auditReport({ scripts: 30 });

describe("The documents of a report", () => {
  it("have the schemas that the package publishes", async () => {
    const folder = join(root, "provider/schemas");
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
    assert.match(text, /\d+ of 10000 are not shown here/);
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
  const run = (when: string, exit = 0) => ({ when, what: "check", exit });

  it("given a run each week, then no gap; without one of them, the gap and the missed week", () => {
    const days = ["10-05", "10-12", "10-19", "10-26", "11-02"].map((day) => run(`2026-${day}T00:00:00Z`));
    assert.deepEqual(seriesOf(days, period)[0]?.gaps, []);
    const [missed] = seriesOf(
      days.filter(({ when }) => !when.includes("10-19")),
      period,
    );
    assert.deepEqual(
      missed?.gaps.map(({ days: length }) => length),
      [14],
    );
    assert.deepEqual(
      missed?.weeks.filter(({ completed }) => completed === 0).map(({ monday }) => monday),
      ["2026-10-19"],
    );
  });

  it("given a run that could not check everything, then it does not count", () => {
    const [series] = seriesOf([run("2026-10-05T01:00:00Z"), run("2026-10-12T01:00:00Z", 1)], period);
    assert.deepEqual(
      series?.gaps.map(({ days }) => days),
      [28],
    );
    assert.deepEqual(series?.weeks[1], { monday: "2026-10-12", completed: 0, found: 0, failed: 1 });
  });

  it("given no run at the begin or the end of the period, then that is a gap as well", () => {
    const [series] = seriesOf([run("2026-10-20T00:00:00Z")], period);
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
      fc.property(fc.array(fc.tuple(time, fc.constantFrom(0, 1, 2)), { minLength: 1 }), (runs) => {
        const lines = runs.map(([when, exit]) => run(new Date(when).toISOString(), exit));
        const [series] = seriesOf(lines, period);
        const counted = series?.weeks.reduce((sum, week) => sum + week.completed + week.failed, 0);
        assert.equal(counted, lines.length);
        assert.deepEqual(seriesOf([...lines].reverse(), period), [series]);
      }),
    );
  });

  it("given an alert, then a later line with the same reference says who closed it", () => {
    const [alert] = alertsOf([
      { ...run("2026-10-13T00:00:00Z"), alert: { reference: "#9", closedBy: "sam", closedOn: "2026-10-13" } },
      { ...run("2026-10-12T00:00:00Z", 2), alert: { reference: "#9" } },
    ]);
    assert.deepEqual(alert, {
      ...{ reference: "#9", opened: "2026-10-12T00:00:00Z", what: "check" },
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
