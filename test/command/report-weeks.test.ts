import assert from "node:assert/strict";
import type { AuditReport } from "../../command/src/documents/audit/report-data";
import type { Simulator } from "../../simulator/src";
import { zoneId } from "./support/console";
import { now, otherZone, record, seed, useReports, weekMs, withInventory } from "./support/report-desk";

describe("page-guard report, week by week, with --record", () => {
  const started = useReports();

  const env = {
    GITHUB_ACTIONS: "true",
    GITHUB_ACTOR: "robin",
    GITHUB_REPOSITORY: "shop/infra",
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_RUN_ID: "7",
  };

  /** Writes one report a week into a separate folder, each after a change of the zone. */
  async function weeks(zones: readonly ((sim: Simulator) => unknown)[], elsewhere = -1) {
    const desk = await started("");
    const flags = [...withInventory, ...record, "--since", "reports"];
    let last: AuditReport | undefined;
    for (const [week, change] of zones.entries()) {
      change(desk.sim);
      const of = week === elsewhere ? otherZone : zoneId;
      const { code, err, report } = await desk.run(flags, { week, out: `reports/${week}`, env, of });
      assert.equal(code, 0, err);
      last = report();
    }
    return { ...desk, last: last ?? assert.fail() };
  }
  const same = (_: Simulator): unknown => undefined;
  const set = (fields: object) => (sim: Simulator) => sim.edit(zoneId, (zone) => Object.assign(zone, fields));

  it("given a skimmer of three weeks, then the report of the quarter contains it with the weeks that found it, and the time since when each policy logs", async () => {
    const skimmer = "https://skimmer.example/s.js";
    const quarter = Array.from({ length: 13 }, () => same);
    quarter[4] = (sim) =>
      sim.dashboard.addScript(zoneId, { url: skimmer, status: "active", js_integrity_score: 1 });
    quarter[7] = seed;
    quarter[9] = (sim) =>
      sim.edit(zoneId, ({ policies: [first] }) => Object.assign(first ?? {}, { action: "log" }));
    const { last, run } = await weeks(quarter);
    assert.deepEqual(
      last.changes
        ?.filter(({ subject }) => subject === skimmer)
        .map(({ change, on }) => `${change} ${on.slice(0, 10)}`),
      ["new 2026-12-21", "malicious 2026-12-21", "gone 2027-01-11"],
    );
    const [series] = last.data.runs?.series ?? [];
    const malicious = series?.weeks.map(({ found }) => found["inventory-malicious"]);
    assert.equal(malicious?.join(" "), "1 1 1 1 2 2 2 1 1 1 1 1 1");
    assert.equal(series?.results.at(-1)?.link, "https://github.example/shop/infra/actions/runs/7");
    const since = await run(["--since", "reports/4/report.json"], { week: 12 });
    const recorded = await run(["--runs", "runs", "--from", "2027-01-04"], { week: 12, out: "recorded" });
    for (const { report } of [since, recorded]) {
      const found = report().changes?.map(({ change, subject }) => `${change} ${subject}`);
      assert.deepEqual(found?.sort(), ["changed checkout", `gone ${skimmer}`]);
    }
    assert.equal(since.report().head.period.from, new Date(now + 4 * weekMs).toISOString());
    const next = since.zone().policies?.find(({ description }) => description === "next");
    assert.equal(next?.loggingSince, new Date(now).toISOString(), "the time of the first report");
  });

  it("given weeks with Page Guard switched off, without scripts, or without the zone, then reports gaps, and --check exits with 2", async () => {
    const isOff = set({ settings: { enabled: false } });
    const isEmpty = set({ settings: { enabled: true }, scripts: [] });
    const { last, run, textOf } = await weeks([same, isOff, isEmpty, seed, same, same], 4);
    assert.deepEqual(
      last.data.runs?.series.map(({ name, gaps }) => [name, ...gaps.map(({ days }) => days)]),
      [["shop", 21, 14]],
    );
    const html = textOf("reports/5/report.html");
    for (const said of ["missed: Page Guard was off", "missed: no script was seen", "missed: no run"])
      assert.ok(html.includes(said), said);
    const { code, out } = await run([...withInventory, ...record, "--check"], { week: 5 });
    assert.equal(code, 2);
    assert.match(textOf("runs/2026-12.jsonl"), /"exit":2,.*\n$/, "its own line says so");
    assert.match(textOf("runs/2026-12.jsonl"), /"changes":\[\].*\n.*\n$/, "since the newest of this zone");
    assert.match(
      out,
      /^Act {4}No check for 21 days: 2026-11-23 to 2026-12-14\. \(shop\)\nAct {4}No check for 14 days: 2026-12-14 to 2026-12-28\. \(shop\)$/m,
    );
  });

  it("given weeks in which parts of a zone could not be read, then the next report compares these parts with the week before", async () => {
    const page = "https://shop.example.com/checkout";
    const { sim, run } = await started("");
    const serve = (...contents: readonly (readonly [hash: string, on: string])[]) =>
      sim.edit(zoneId, ({ scripts: [script] }) => {
        const versions = contents.map(([hash, fetched_at]) => ({ hash, fetched_at }));
        Object.assign(script ?? {}, { hash: versions[0]?.hash, page_urls: [page], versions });
      });
    const week = async (at: number, unread?: RegExp) => {
      if (unread) sim.faults.add({ kind: "status", status: 403, path: unread, zoneId });
      const flags = [...withInventory, ...record, "--since", "reports", "--page", page];
      const { code, report } = await run(flags, { week: at, out: `reports/${at}` });
      sim.faults.clear();
      assert.equal(code, unread ? 1 : 0);
      return report().changes?.map(({ kind, change, subject }) => `${kind} ${change} ${subject}`);
    };
    const [usual, other] = ["a", "b"].map((letter) => letter.repeat(64)) as [string, string];
    serve([usual, "2026-11-01T00:00:00Z"]);
    await week(0);
    await week(1, /policies$|page_guard$/);
    sim.edit(zoneId, (zone) => {
      zone.settings.enabled = false;
      zone.policies = zone.policies.filter(({ description }) => description !== "checkout");
    });
    const lost = ["policy gone checkout", "settings changed Page Guard"];
    assert.deepEqual(await week(2), lost);
    serve([usual, "2026-12-11T00:00:00Z"], [other, "2026-12-10T00:00:00Z"]);
    await week(3, /scripts$/);
    assert.deepEqual(await week(4), [...lost, "script changed https://cdn.example.net/a.js"]);
  });

  it("given an alert that someone wrote by hand before the first run, then the period begins with the run", async () => {
    const { run, put } = await started("");
    const alert = { reference: "https://mail.example/1" };
    put(
      "runs/2026-09.jsonl",
      `${JSON.stringify({ when: "2026-09-01T00:30:00+02:00", what: "mail", alert })}\n`,
    );
    await run(["--runs", "runs", "--record"]);
    const { report } = await run(["--runs", "runs"], { week: 1 });
    assert.equal(report().data.runs?.alerts[0]?.opened, "2026-08-31T22:30:00.000Z");
    assert.equal(report().head.period.from, new Date(now).toISOString());
    assert.deepEqual(report().data.runs?.series[0]?.gaps, []);
  });
});
