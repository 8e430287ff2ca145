import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reportSchema } from "../../../command/src/documents/audit/report-data";
import type { ZoneScript } from "../../../simulator/src";
import { Ci } from "../../engine/support/ci";
import { runGithubJob } from "../../engine/support/github-job";
import { hashOf } from "../inventory/items";
import { pageGuard } from "../support/console";
import { isoDay, playClock, playedAt } from "./played-clock";

const zoneId = "8f14e45fceea167a5a36dedd4bea2543";
const page = "https://shop.example.com/checkout";
const card = "https://js.payments.example/v3/pay.js";
const metrics = "https://metrics.example/m.js";
const partner = "https://partner.example/p.js";
const app = "https://cdn.shop.example/app.js";
const cart = "https://static.shop.example/assets/cart.js";
const unknown = "https://static.shop.example/assets/unknown.js";
const chat = "https://chat.example/c.js";
const copied = "https://copied.example/x.js";
const skimmer = "https://skim.example/s.js";
const hosts =
  "https://js.payments.example https://metrics.example https://partner.example https://*.shop.example";

/** Day 0 is a Monday. */
const day = (number: number): string => isoDay(Date.parse("2026-10-05") + number * 86_400_000);

const entry = (match: string, integrity: string): string =>
  `- match: ${match}\n  justification: Needed for ${match}.\n  integrity: ${integrity}\n  approved: { by: Ada, reference: "https://git.example/pull/7", on: 2026-09-28 }\n`;
const fixed = (number: number): string => `{ hashes: ["${hashOf(number)}"] }`;
const inventory = [
  `- pages: ["${page}"]\n`,
  entry(card, fixed(1)),
  entry(metrics, fixed(2)),
  entry(partner, fixed(3)),
  entry(app, "{ policy: checkout }"),
  entry("https://static.shop.example/assets/*.js", '{ any: "built with each release" }'),
].join("");

describe("Nine weeks of a shop with the shipped jobs:", () => {
  let ci: Ci;
  let atTime: ReturnType<typeof playClock>;
  let scripts: Map<string, Partial<ZoneScript>>;
  const zone = { enabled: true, action: "allow", value: `script-src 'self' ${hosts}` };
  let today = 0;
  let time = "02:47";
  let desk = "";

  before(async () => {
    ci = await Ci.withoutEngine();
    atTime = playClock(ci);
    const urls = [card, metrics, partner, app, cart];
    scripts = new Map(urls.map((url, at) => [url, script(url, at + 1, "2026-09-01")]));
    desk = ci.clone();
    ci.furnish(desk, { "zones.yaml": `- id: ${zoneId}\n  name: pay\n`, "inventory/pay.yaml": inventory });
    pushed();
  });

  after(() => ci?.end());

  afterEach("no token was shown", () => {
    for (const token of ci.hidden) assert.ok(!ci.said.includes(token), "a token was shown");
  });

  it("each of fifteen events is reported to a person within a day", async () => {
    assert.deepEqual(await night(0), []);
    assert.equal((await week(0)).length, 0);
    // The harmless script opens an issue, which must not hide later events.
    scripts.set(chat, script(chat, 9, day(1)));
    await told(1, /chat\.example\/c\.js.*is not in the inventory/);
    change(card, { hash: hashOf(10) });
    await told(2, /pay\.js.*has the hash 0+a,/);
    change(card, { hash: hashOf(1) });
    await night(4);
    change(metrics, { url_reported_malicious: true });
    await told(5, /metrics\.example\/m\.js counts as malicious/);
    await week(7);
    change(metrics, { url_reported_malicious: false });
    await night(8);
    change(partner, { domain_reported_malicious: true });
    await told(9, /partner\.example\/p\.js counts as malicious/);
    change(partner, { domain_reported_malicious: false });
    await night(11);
    zone.enabled = false;
    await told(12, /Page Guard is switched off/);
    zone.enabled = true;
    await night(14);
    await week(14);
    // No job runs for ten days. The heartbeat of the next push reports that.
    for (const [name, on] of Object.entries({ "inventory.yml": 14, "drift.yml": 18, "report.yml": 18 }))
      ci.forge.board.runs[name] = [{ ended: playedAt(day(on), "02:50"), branch: "main", event: "schedule" }];
    await told(18, /inventory\.yml has not run since 2026-10-19/, () => job("heartbeat"));
    await night(25);
    await week(28);
    ci.sim.faults.add({ method: "GET", path: `/zones/${zoneId}`, kind: "503", retryAfter: 0 });
    await told(29, /not everything could be checked[\s\S]*503/);
    ci.sim.faults.clear();
    ci.sim.faults.add({ method: "GET", path: `/zones/${zoneId}`, kind: "status", status: 401 });
    await told(30, /401|token/);
    await night(32);
    ci.sim.faults.clear();
    scripts.set(skimmer, script(skimmer, 11, day(33), { url_reported_malicious: true }));
    await told(33, /skim\.example\/s\.js counts as malicious/);
    scripts.delete(skimmer);
    await night(34);
    await week(35);
    scripts.set(unknown, script(unknown, 12, day(36)));
    await told(36, /assets\/unknown\.js was first seen on .*after .* was approved/);
    scripts.set(copied, script(copied, 13, day(37)));
    writeFileSync(join(desk, "inventory/pay.yaml"), inventory + entry(copied, fixed(13)));
    today = 38;
    pushed();
    await told(38, /approval is dated 2026-09-28, but was committed on .*, 45 days later/);
    zone.action = "log";
    await told(40, /No policy is enforced/);
    await week(42);
    zone.action = "allow";
    await night(43);
    zone.value = `script-src https:`;
    await told(44, /allows scripts from anywhere/);
    zone.value = `script-src 'self' ${hosts}`;
    await night(46);
    const versions = [{ hash: hashOf(4), js_integrity_score: 90, fetched_at: "2026-09-01T00:00:00Z" }];
    change(app, { hash: hashOf(14), fetched_at: `${day(47)}T00:00:00Z`, versions });
    await told(47, /app\.js has had different contents/);
    await week(49);
    const open = ci.forge.board.issues.filter(({ isOpen }) => isOpen);
    assert.ok(open.length > 0);
    for (const issue of open) issue.isOpen = false;
    await told(51, /chat\.example\/c\.js.*is not in the inventory/);
    await week(56);
    await night(62);
  });

  it("the quarter's report contains each event with its days", async () => {
    const { data, changes, head } = await quarter();
    assert.equal(data.runs?.chain, "keyed");
    assert.equal(head.counts["maliciousInPeriod"], 3);
    const series = data.runs?.series[0] ?? assert.fail();
    const days = (code: string, subject: string) =>
      series.findings
        .filter((one) => one.code === code && one.subject.includes(subject))
        .map(({ from, until }) => [from.slice(0, 10), until?.slice(0, 10) ?? null]);
    const expected = [
      ["inventory-not-listed", chat, 1, null],
      ["inventory-changed", card, 2, 4],
      ["inventory-malicious", metrics, 5, 8],
      ["inventory-malicious", partner, 9, 11],
      ["report-monitoring-off", "", 12, 14],
      ["inventory-malicious", skimmer, 33, 34],
      ["inventory-first-seen", "assets/", 36, 44],
      ["inventory-approved-early", copied, 38, null],
      ["report-nothing-enforced", "", 40, 43],
      ["report-policy-open", "checkout", 44, 46],
      ["inventory-contents", app, 47, 56],
    ] as const;
    for (const [code, subject, from, until] of expected) {
      const end = until === null ? null : day(until);
      assert.deepEqual(days(code, subject), [[day(from), end]], `${code} ${subject}`);
    }
    const gaps = series.gaps.map(({ from, to }) => [from.slice(0, 10), to.slice(0, 10)]);
    assert.deepEqual(gaps, [[day(14), day(25)]]);
    const blind = series.results.filter(({ isWhole }) => !isWhole).map(({ when }) => when.slice(0, 10));
    assert.deepEqual(blind, [29, 30, 32].map(day));
    const policies = changes?.filter(({ kind }) => kind === "policy") ?? [];
    assert.ok(policies.some(({ details }) => details.some(({ after }) => after === "log")));
    const alerts = data.runs?.alerts ?? [];
    assert.ok(alerts.length >= 5 && alerts.every(({ openedByHand }) => !openedByHand), `${alerts.length}`);
  });

  function change(url: string, fields: Partial<ZoneScript>): void {
    scripts.set(url, { ...scripts.get(url), ...fields });
  }

  function pushed(): void {
    const on = `${day(today)}T00:00:00Z`;
    Object.assign(process.env, { GIT_COMMITTER_DATE: on });
    ci.git(desk, "add", "--all");
    ci.git(desk, "commit", "--quiet", "--message", "Inventory");
    delete process.env["GIT_COMMITTER_DATE"];
    ci.git(desk, "push", "--quiet", "origin", "HEAD:refs/heads/main");
  }

  async function job(name: string, jobName = name): Promise<void> {
    await runGithubJob(ci, name, jobName, { name: "schedule", env: atTime(playedAt(day(today), time)) });
  }

  async function check(): Promise<void> {
    const { enabled, action, value } = zone;
    const policy = { description: "checkout", action, enabled: true, expression: "true", value };
    ci.sim.zones.seed(zoneId, {
      settings: { enabled },
      scripts: [...scripts.values()].map((one) => ({ ...one, last_seen_at: `${day(today)}T00:00:00Z` })),
      connections: [],
      cookies: 0,
      policies: [policy],
    });
    await job("inventory");
    await job("inventory", "request");
  }

  /** Runs a night's job. Returns the texts that people get: new issues and comments. */
  async function night(number: number, work = check): Promise<readonly string[]> {
    [today, time] = [number, "02:47"];
    const { issues } = ci.forge.board;
    const before = new Map(issues.map(({ id, talk = [] }) => [id, talk.length]));
    await work();
    return issues.flatMap(({ id, title, body, talk = [] }) =>
      before.has(id) ? talk.slice(before.get(id)) : [`${title}\n${body}`],
    );
  }

  async function told(number: number, what: RegExp, work = check): Promise<void> {
    const sent = await night(number, work);
    assert.ok(
      sent.some((text) => what.test(text.replaceAll("`", ""))),
      `day ${number}: nobody was notified of ${what}\n${sent.join("\n---\n")}\n${ci.said.slice(-4000)}`,
    );
  }

  function week(number: number): Promise<readonly string[]> {
    return night(number, async () => {
      time = "04:29";
      await job("report");
      await job("report", "keep");
    });
  }

  /** Returns a folder with the files on the branch of the runs. */
  function kept(): string {
    const folder = ci.clone();
    ci.git(folder, "checkout", "--quiet", "--detach", "origin/page-guard-runs");
    rmSync(join(folder, ".git"), { recursive: true });
    return folder;
  }

  /** Returns the report that an assessor gets at the end. */
  async function quarter() {
    const folder = ci.clone();
    cpSync(kept(), join(folder, "kept"), { recursive: true });
    const { REPORT_RUNS_KEY } = ci.secrets.plan;
    ci.sim.token = "a-token-of-the-assessor";
    const read = ["--zones", "zones.yaml", "--inventory", "inventory", "--base-url", ci.sim.url];
    const period = ["--runs", "kept/runs", "--key-env", "REPORT_RUNS_KEY", "--from", day(0)];
    const { err } = await pageGuard(["report", ...read, ...period, "--format", "json", "--out", "out"], {
      cwd: folder,
      env: { REPORT_RUNS_KEY, PAGE_GUARD_API_TOKEN: ci.sim.token },
      now: () => playedAt(day(62), "09:00").getTime(),
    });
    assert.equal(err, "");
    return reportSchema.parse(JSON.parse(readFileSync(join(folder, "out/report.json"), "utf8")));
  }
});

function script(
  url: string,
  hash: number,
  since: string,
  more: Partial<ZoneScript> = {},
): Partial<ZoneScript> {
  const seen = `${since}T00:00:00Z`;
  return {
    url,
    hash: hashOf(hash),
    host: "shop.example.com",
    status: "active",
    js_integrity_score: 90,
    first_seen_at: seen,
    added_at: seen,
    fetched_at: seen,
    first_page_url: page,
    page_urls: [page],
    url_reported_malicious: false,
    domain_reported_malicious: false,
    versions: [],
    ...more,
  };
}
