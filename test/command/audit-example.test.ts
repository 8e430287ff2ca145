import assert from "node:assert/strict";
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { AuditReport } from "../../command/src/reports/audit/report-data";
import type { Simulator, ZonePolicy, ZoneScript } from "../../simulator/src";
import { useDesk } from "./support/console";

const example = resolve(__dirname, "../../examples/audit");
const zoneId = "8f14e45fceea167a5a36dedd4bea2543";
const weekMs = 7 * 24 * 60 * 60 * 1000;
const firstWeek = Date.UTC(2025, 10, 24, 6);
const weeks = 53;
const issues = "https://git.example/shop/infra/issues";

interface ExampleZone {
  readonly scripts: readonly (Partial<ZoneScript> & { first_seen_at: string; url: string })[];
  readonly policies: readonly Partial<ZonePolicy>[];
}

/** What was otherwise before a day. */
interface History {
  readonly gone: readonly { readonly until: string; readonly script: ExampleZone["scripts"][number] }[];
  readonly changed: readonly { readonly until: string; readonly url: string; readonly hash: string }[];
  readonly policies: readonly {
    readonly until: string;
    readonly id: string;
    readonly value?: string;
    readonly absent?: true;
  }[];
  readonly inventory: readonly { readonly until: string; readonly now: string; readonly before: string }[];
  readonly missed: readonly string[];
  readonly failed: readonly string[];
  readonly alerts: readonly {
    readonly week: string;
    readonly number: number;
    readonly closedBy?: string;
    readonly closedOn?: string;
    readonly note?: string;
  }[];
}

describe("examples/audit", () => {
  const open = useDesk();

  it("given a year of weekly runs, then the report that is in the folder, with what went wrong in that year", async function () {
    this.timeout(60_000);
    const { sim, folder, pageGuard } = await open();
    const zone: ExampleZone = json("zone.json");
    const history: History = json("history.json");
    mkdirSync(join(folder, "inventory"));
    cpSync(join(example, "zones.yaml"), join(folder, "zones.yaml"));
    const ends = new Map<string, number>();
    for (let week = 0; week < weeks; week += 1) {
      const now = firstWeek + week * weekMs;
      const day = new Date(now).toISOString().slice(0, 10);
      if (history.missed.includes(day)) continue;
      seedWeek(sim, zone, history, day);
      writeFileSync(join(folder, "inventory/shop.yaml"), inventoryOf(history, day));
      sim.faults.clear();
      if (history.failed.includes(day))
        sim.faults.add({ method: "GET", path: "/scripts", kind: "status", status: 403 });
      const since = week === 0 ? [] : ["--since", "week/report.json"];
      const fiveWeeksAgo = new Date(now - 5 * weekMs).toISOString().slice(0, 10);
      const from = fiveWeeksAgo < "2025-11-24" ? "2025-11-24" : fiveWeeksAgo;
      const { code, err } = await pageGuard([...weekly, "--from", from, ...since], {
        now: () => now,
        env: ci(week),
      });
      assert.equal(err === "", code !== 1, `${day}: ${err}`);
      ends.set(day, code);
      recordAlert(folder, history, day, now);
    }
    const found = [...ends].flatMap(([day, code]) => (code === 2 ? [day] : []));
    const alerted = history.alerts.map(({ week }) => week);
    // A week without a check is news for five weeks.
    const afterGaps = ["2026-02-23", "2026-03-02", "2026-03-09", "2026-03-16"].concat(
      ...["2026-06-15", "2026-06-22", "2026-06-29", "2026-07-06", "2026-07-13"],
    );
    const open3 = ["2026-11-09", "2026-11-16", "2026-11-23"];
    assert.deepEqual(
      found,
      [...new Set([...alerted, ...afterGaps, ...open3])].sort(),
      "the last one is open",
    );
    const at = { now: () => firstWeek + (weeks - 1) * weekMs + 3_600_000, env: ci(weeks) };
    const { err } = await pageGuard(command, at);
    assert.equal(err, "");
    assert.deepEqual(
      [...ends].flatMap(([day, code]) => (code === 1 ? [day] : [])),
      history.failed,
    );
    const report: AuditReport = JSON.parse(readFileSync(join(folder, "report/report.json"), "utf8"));
    const [series] = report.data.runs?.series ?? [];
    assert.equal(series?.weeks.filter(({ completed }) => completed > 0).length, weeks - 2);
    assert.deepEqual(
      series?.gaps.map(({ from, days }) => `${from.slice(0, 10)} ${days}`),
      ["2026-02-09 14", "2026-06-01 14"],
    );
    assert.deepEqual(
      report.changes
        ?.filter(({ subject }) => subject.includes("evil-tags"))
        .map(({ change, on }) => [change, on.slice(0, 10)]),
      [
        ["new", "2026-05-04"],
        ["malicious", "2026-05-04"],
        ["gone", "2026-05-11"],
      ],
      "the skimmer that is over",
    );
    if (process.env["UPDATE_EXAMPLE"]) {
      for (const name of ["runs", "report"]) {
        rmSync(join(example, name), { recursive: true, force: true });
        cpSync(join(folder, name), join(example, name), { recursive: true });
      }
    }
    for (const file of [...filesOf("runs"), ...filesOf("report")])
      assert.equal(unversioned(join(folder, file)), unversioned(join(example, file)), `${file}. ${hint}`);
  });

  it("has a README whose command does that", () => {
    const readme = readFileSync(join(example, "README.md"), "utf8").replace(/ \\\n\s*/g, " ");
    assert.ok(readme.includes(`npx page-guard ${command.join(" ")}`));
    assert.ok(readme.includes(`npx page-guard ${weekly.join(" ")}`));
  });
});

const both = ["report", "--zones", "zones.yaml", "--inventory", "inventory", "--runs", "runs"];
const weekly = [...both, "--record", "--check", "--format", "json", "--out", "week"];
const command = [...both, "--from", "2025-11-24", "--format", "md,json", "--out", "report"];

const hint = "UPDATE_EXAMPLE=1 npm test -- test/command/audit-example.test.ts writes the example again.";

/** The zone as it was on that day. */
function seedWeek(sim: Simulator, zone: ExampleZone, history: History, day: string): void {
  const present = [
    ...zone.scripts,
    ...history.gone.filter(({ until }) => day < until).map(({ script }) => script),
  ].filter(({ first_seen_at }) => first_seen_at.slice(0, 10) <= day);
  const earlier = history.policies.filter(({ until }) => day < until);
  sim.zones.seed(zoneId, {
    ...zone,
    scripts: present.map((script) => {
      const before = history.changed.find(({ url, until }) => url === script.url && day < until);
      const yesterday = new Date(Date.parse(day) - 18 * 60 * 60 * 1000).toISOString();
      return { ...script, last_seen_at: yesterday, ...(before && { hash: before.hash }) };
    }),
    policies: zone.policies.flatMap((policy) => {
      const { absent, value } = earlier.find(({ id }) => id === policy.id) ?? {};
      return absent ? [] : [{ ...policy, ...(value !== undefined && { value }) }];
    }),
  });
}

/** What people had approved by then. */
function inventoryOf({ inventory }: History, day: string): string {
  const text = inventory
    .filter(({ until }) => day < until)
    .reduce(
      (edited, { now, before }) => {
        assert.ok(edited.includes(now), `history.json: the inventory does not say ${now}`);
        return edited.replace(now, before);
      },
      readFileSync(join(example, "inventory/shop.yaml"), "utf8"),
    );
  const entries = text.split("\n\n");
  return entries.filter((entry) => (/\bon: (\d\S*)/.exec(entry)?.[1] ?? "") <= day).join("\n\n");
}

/** As the job does after it has kept an issue open, and a person has closed it. */
function recordAlert(folder: string, history: History, day: string, now: number): void {
  for (const { week, number, closedBy, closedOn, note } of history.alerts) {
    if (week !== day) continue;
    const at = (days: number) => new Date(now + days * 24 * 60 * 60 * 1000).toISOString();
    const line = (when: string, alert: object) =>
      appendFileSync(
        join(folder, "runs", `${when.slice(0, 7)}.jsonl`),
        `${JSON.stringify({ when, what: "page-guard issue", alert: { reference: `${issues}/${number}`, ...alert } })}\n`,
      );
    line(new Date(now + 60_000).toISOString(), {});
    if (closedBy !== undefined) line(at(2), { closedBy, closedOn, note });
  }
}

function ci(week: number): NodeJS.ProcessEnv {
  return {
    ...{ GITHUB_ACTIONS: "true", GITHUB_ACTOR: "nightly-job", GITHUB_SERVER_URL: "https://git.example" },
    ...{ GITHUB_REPOSITORY: "shop/infra", GITHUB_RUN_ID: String(1000 + week) },
  };
}

function json<T>(file: string): T {
  return JSON.parse(readFileSync(join(example, file), "utf8"));
}

function filesOf(folder: string): string[] {
  return readdirSync(join(example, folder)).map((name) => join(folder, name));
}

/** The next release has another number. */
function unversioned(file: string): string {
  return readFileSync(file, "utf8").replace(/(pulumi-page-guard |"version": ")\d+\.\d+\.\d+/g, "$1X");
}
