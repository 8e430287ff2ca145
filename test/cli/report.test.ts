import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AuditReport, reportSchema } from "../../command/src/reports/audit/report-data";
import type { Simulator } from "../../simulator/src";
import { useDesk } from "./support/console";
import { secret, stateText } from "./support/state-file";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const now = Date.UTC(2026, 10, 23, 6, 0);
const at = { now: () => now };
const args = ["report", "--zone", zoneId, "--name", `${zoneId}=shop`, "--out", "out"];

describe("page-guard report", () => {
  const open = useDesk();

  it("given a zone, then its scripts and policies, in one document that its schema describes", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    const { code, out, err } = await pageGuard(args, at);
    assert.equal(code, 0, err);
    assert.match(out, /^1 zone, 3 scripts \(0 approved\), 2 policies \(1 enforced\)\.$/m);
    const report = read(folder);
    assert.deepEqual(reportSchema.parse(report), report, "the schema describes every field");
    const [zone] = report.data.zones;
    assert.deepEqual(
      zone?.scripts?.map(({ url, malicious, allowedBy }) => ({ url, malicious, allowedBy })),
      [
        { url: "https://cdn.example.net/a.js", malicious: null, allowedBy: ["checkout"] },
        {
          url: "https://evil.example/x.js",
          malicious: "its integrity score is 3, below 50",
          allowedBy: [],
        },
        { url: "https://shop.example.com/own.js", malicious: null, allowedBy: ["checkout"] },
      ],
    );
    assert.equal(zone?.waf, null);
    const { code: again } = await pageGuard([...args, "--waf"], at);
    assert.equal(again, 0);
    assert.equal(read(folder).data.zones[0]?.waf?.mayBegin, "yes");
  });

  it("given the same zone twice, then the same bytes but for the time, and one request a kind and page", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    await pageGuard(args, at);
    const first = readFileSync(join(folder, "out/report.json"), "utf8");
    const asked = sim.requests().map(({ path }) => path);
    assert.equal(new Set(asked).size, asked.length, asked.join("\n"));
    sim.edit(zoneId, (zone) => {
      zone.scripts.reverse();
      zone.policies.reverse();
    });
    const { out } = await pageGuard([...args, "--markdown", "-", "--html", "page.html"], at);
    assert.equal(readFileSync(join(folder, "out/report.json"), "utf8"), first);
    assert.match(out, /^#.*shop/m);
    const page = readFileSync(join(folder, "page.html"), "utf8");
    assert.equal(page, readFileSync(join(folder, "out/report.html"), "utf8"));
  });

  it("given an inventory, then who approved each script and why, and what lacks", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    mkdirSync(join(folder, "inventory"));
    writeFileSync(
      join(folder, "inventory/shop.yaml"),
      `- match: https://cdn.example.net/a.js
  purpose: Payment form
  justification: Customers pay with it.
  owner: checkout team
  scope: merchant
  integrity: { policy: checkout }
  approved: { by: alex, reference: "https://git.example/shop/pull/7", on: 2026-01-05 }
- match: https://shop.example.com/own.js
  approved: null
`,
    );
    const { code, out, err } = await pageGuard([...args, "--inventory", "inventory"], at);
    assert.equal(code, 0, err);
    assert.match(out, /Act {4}1 script is not in the inventory\./);
    assert.match(out, /Act {4}1 script is not approved\./);
    const script = read(folder).data.zones[0]?.scripts?.find(({ url }) => url.endsWith("a.js"));
    assert.deepEqual(script?.entry?.approved, {
      by: "alex",
      reference: "https://git.example/shop/pull/7",
      on: "2026-01-05",
    });
    assert.equal(script?.entry?.justification, "Customers pay with it.");
    const html = readFileSync(join(folder, "out/report.html"), "utf8");
    assert.match(html, /<a href="https:\/\/git\.example\/shop\/pull\/7" rel="noreferrer">/);
    assert.doesNotMatch(html, /compliant/i);
  });

  it("given pages of the inventory and of --page, then each script with those on which it was seen, by one list a page", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    const [pay, cart, home] = ["pay", "cart", ""].map((path) => `https://shop.example.com/${path}`);
    sim.edit(zoneId, (zone) => {
      for (const script of zone.scripts)
        script.page_urls = script.url.includes("evil") ? [`${pay}`] : [`${cart}`];
    });
    mkdirSync(join(folder, "inventory"));
    writeFileSync(
      join(folder, "inventory/shop.yaml"),
      `- match: https://cdn.example.net/a.js\n  pages: [${pay}, ${cart}, the last step]\n- match: https://gone.example/g.js\n  pages: [${pay}]\n`,
    );
    const { code, err } = await pageGuard([...args, "--inventory", "inventory", "--page", `${home}`], at);
    assert.equal(code, 0, err);
    const [zone] = read(folder).data.zones;
    const first = "https://shop.example.com/checkout";
    assert.deepEqual(
      zone?.scripts?.map(({ key, pages }) => [key, pages]),
      [
        ["https://cdn.example.net/a.js", [cart, first, "the last step"]],
        ["https://evil.example/x.js", [first, pay]],
        ["https://gone.example/g.js", [pay]],
        ["https://shop.example.com/own.js", [cart, first]],
      ],
    );
    const asked = sim.requests({ path: "/scripts" }).map(({ query }) => query["page_url"]);
    assert.deepEqual(asked.filter((page) => page !== undefined).sort(), [home, cart, pay].sort());
  });

  it("given more pages than the rate limit allows in one go, then first how long it takes", async () => {
    const { sim, folder, pageGuard } = await open({
      rateLimit: { limit: 10_000, windowMs: 300_000, blockMs: 0 },
    });
    seed(sim);
    mkdirSync(join(folder, "inventory"));
    const pages = Array.from({ length: 1197 }, (_, index) => `https://shop.example.com/${index}`);
    writeFileSync(
      join(folder, "inventory/shop.yaml"),
      `- match: https://cdn.example.net/a.js\n  pages: [${pages.join(", ")}]\n`,
    );
    const { code, err } = await pageGuard([...args, "--inventory", "inventory"], at);
    assert.equal(code, 0, err);
    assert.match(err, /^Reading 1 zone takes at least 1201 requests: .* about 5 minutes\.$/m);
    assert.equal(sim.requests().length, 1201);
  });

  it("given pages that cannot be read, then the report says so, and has the scripts all the same", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    sim.faults.add({ method: "GET", query: "page_url", kind: "status", status: 403 });
    const { code, err } = await pageGuard([...args, "--page", "shop.example.com/pay*"], at);
    assert.equal(code, 1);
    assert.match(err, /shop: scripts by page could not be read/);
    assert.equal(read(folder).data.zones[0]?.scripts?.length, 3);
    const wrong = await pageGuard([...args, "--page", "https://*.example/"], at);
    assert.match(wrong.err, /--page takes the URL of a page, with \* only at its end/);
  });

  it("given a zone that cannot be read, then the report says so, and exit code 1", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    sim.faults.add({ method: "GET", path: "/scripts", kind: "status", status: 403 });
    const { code, err } = await pageGuard(args, at);
    assert.equal(code, 1);
    assert.match(err, /shop: scripts and connections could not be read/);
    const [zone] = read(folder).data.zones;
    assert.equal(zone?.scripts, null);
    assert.match(
      readFileSync(join(folder, "out/report.html"), "utf8"),
      /Could not be read:<\/strong> the scripts of/,
    );
  });

  it("given a service that hides some scripts, then the report says so", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    sim.faults.add({ method: "GET", query: "exclude_", kind: "status", status: 400 });
    const { code, out, err } = await pageGuard(args, at);
    assert.equal(code, 0, err);
    assert.match(out, /^Check {2}Not all scripts .* exclude_duplicates/m);
    assert.match(read(folder).data.zones[0]?.hidden ?? "", /exclude_cdn_cgi/);
  });

  it("given a zone of which nothing can be read, then each part is named, and nothing is made up", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    sim.faults.add({ method: "GET", kind: "status", status: 403 });
    const { code, err } = await pageGuard([...args, "--format", "html,md,csv,json"], at);
    assert.equal(code, 1);
    assert.match(err, /^The report is not complete:$/m);
    const [zone] = read(folder).data.zones;
    const { scripts, policies, settings, waf } = zone ?? {};
    assert.deepEqual([scripts, policies, settings, waf], [null, null, null, null]);
    assert.equal(zone?.unread.length, 3);
  });

  it("given an earlier report, then what is new, gone, changed and malicious, and since when a policy logs", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    await pageGuard([...args, "--format", "json"], at);
    writeFileSync(join(folder, "last.json"), readFileSync(join(folder, "out/report.json")));
    sim.edit(zoneId, (zone) => {
      zone.scripts = zone.scripts.filter(({ url }) => !url.includes("evil"));
      for (const script of zone.scripts) if (script.url.includes("own")) script.js_integrity_score = 2;
      for (const policy of zone.policies) if (policy.description === "checkout") policy.action = "log";
    });
    sim.dashboard.addScript(zoneId, {
      url: "https://new.example/n.js",
      status: "active",
      js_integrity_score: 90,
    });
    const week = { now: () => now + 8 * 86_400_000 };
    const { code, err } = await pageGuard([...args, "--since", "last.json"], week);
    assert.equal(code, 0, err);
    const report = read(folder);
    assert.deepEqual(
      report.changes?.map(({ kind, change, subject }) => `${kind} ${change} ${subject}`).sort(),
      [
        "policy changed checkout",
        "script gone https://evil.example/x.js",
        "script malicious https://shop.example.com/own.js",
        "script new https://new.example/n.js",
      ],
    );
    const next = report.data.zones[0]?.policies?.find(({ description }) => description === "next");
    assert.equal(next?.loggingSince, new Date(now).toISOString());
    assert.equal(report.head.period.from, new Date(now).toISOString());
  });

  it("given a state, then who declares a policy, since when it logs and whether it is ready; a secret is not shown", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    const [checkout, next] = sim.zone(zoneId).policies;
    assert.ok(checkout && next);
    sim.edit(zoneId, (zone) => {
      zone.scripts = zone.scripts.filter(({ url }) => !url.includes("evil"));
      for (const policy of zone.policies) if (policy.id === checkout.id) policy.expression = "hidden-test";
    });
    const recorded = (id: string, inputs: object, outputs: object) => ({
      id: `${zoneId}/${id}`,
      inputs: { zoneId, ...inputs },
      outputs: { zoneId, policyId: id, schemaVersion: 1, ...outputs },
      hasInitErrors: false,
    });
    const days = (count: number) => new Date(now - count * 86_400_000).toISOString();
    const stateWith = (minimumLogDays: number) =>
      stateText([
        {
          kind: "CspPolicy",
          state: new Map([
            ["next", recorded(next.id, { minimumLogDays }, { loggingSince: days(10) })],
            ["checkout", recorded(checkout.id, { expression: secret("hidden-test", true) }, {})],
          ]),
        },
      ]);
    const ready = async (minimumLogDays: number) => {
      writeFileSync(join(folder, "state.json"), stateWith(minimumLogDays));
      const { code, err } = await pageGuard(
        ["report", "--state", "state.json", "--out", "out", "--format", "html,md,csv,json"],
        at,
      );
      assert.equal(code, 0, err);
      const policy = read(folder).data.zones[0]?.policies?.find(({ description }) => description === "next");
      assert.equal(policy?.declaredBy, "CspPolicy next");
      return policy?.ready;
    };
    assert.equal((await ready(10))?.answer, "yes");
    const early = await ready(14);
    assert.equal(early?.answer, "no");
    assert.match(early?.reasons[0] ?? "", /^It has logged for 10 days; 14 days are the minimum\.$/);
    for (const file of readdirSync(join(folder, "out")))
      assert.doesNotMatch(readFileSync(join(folder, "out", file), "utf8"), /hidden-test/, file);
  });

  it("given alerts of other jobs, then who closed them; a line that cannot be read counts", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    mkdirSync(join(folder, "runs"));
    const line = (day: string, more: object) =>
      JSON.stringify({ when: `2026-${day}T02:00:00Z`, what: "page-guard issue", ...more });
    const alert = { reference: "https://git.example/shop/issues/9" };
    const closed = { ...alert, closedBy: "sam", closedOn: "2026-10-13" };
    writeFileSync(
      join(folder, "runs/2026-10.jsonl"),
      `${line("10-12", { alert })}\n${line("10-13", { alert: closed })}\n`,
    );
    const { code, err } = await pageGuard([...args, "--runs", "runs"], at);
    assert.equal(code, 0, err);
    assert.deepEqual(read(folder).data.runs?.alerts[0]?.closedBy, "sam");
    writeFileSync(join(folder, "runs/2026-12.jsonl"), "half a li");
    const bad = await pageGuard([...args, "--runs", "runs"], at);
    assert.equal(bad.code, 1);
    assert.match(bad.err, /2026-12\.jsonl:1: It is not JSON\./);
  });

  describe("week by week, with --record", () => {
    const env = {
      ...{ GITHUB_ACTIONS: "true", GITHUB_ACTOR: "robin", GITHUB_REPOSITORY: "shop/infra" },
      ...{ GITHUB_SERVER_URL: "https://github.example", GITHUB_RUN_ID: "7", RUNS_KEY: "a key of the runs" },
    };
    const flags = ["--inventory", "inventory", "--runs", "runs", "--record", "--since", "reports"];

    /** One run a week, into a folder of its own; what the zone is like in each. */
    async function weeks(zones: readonly ((sim: Simulator) => void)[], more: readonly string[] = []) {
      const desk = await open();
      seed(desk.sim);
      for (const name of ["inventory", "reports"]) mkdirSync(join(desk.folder, name));
      const reports: AuditReport[] = [];
      for (const [week, change] of zones.entries()) {
        change(desk.sim);
        const time = { now: () => now + week * 7 * 86_400_000, env };
        const out = ["--out", `reports/${week}`];
        const { code, err } = await desk.pageGuard([...args.slice(0, -2), ...out, ...flags, ...more], time);
        assert.equal(code, 0, err);
        reports.push(JSON.parse(readFileSync(join(desk.folder, `reports/${week}/report.json`), "utf8")));
      }
      return { ...desk, reports, last: reports.at(-1) ?? assert.fail() };
    }
    const same = () => {};
    const lines = (folder: string): string => join(folder, "runs/2026-11.jsonl");

    it("given a skimmer of one week, then it is in the report of the period, with the week that found it", async () => {
      const skimmer = "https://skimmer.example/s.js";
      const { last } = await weeks([
        same,
        (sim) => sim.dashboard.addScript(zoneId, { url: skimmer, status: "active", js_integrity_score: 1 }),
        (sim) =>
          sim.edit(zoneId, (zone) => {
            zone.scripts = zone.scripts.filter(({ url }) => url !== skimmer);
          }),
        same,
      ]);
      const ofIt = last.changes?.filter(({ subject }) => subject === skimmer);
      assert.deepEqual(
        ofIt?.map(({ change, on }) => `${change} ${on.slice(0, 10)}`),
        ["new 2026-11-30", "malicious 2026-11-30", "gone 2026-12-07"],
      );
      assert.deepEqual(
        last.data.runs?.series[0]?.weeks.map(({ found }) => found["inventory-malicious"]),
        [1, 2, 1, 1],
      );
      assert.equal(
        last.data.runs?.series[0]?.results.at(-1)?.link,
        "https://github.example/shop/infra/actions/runs/7",
      );
    });

    it("given weeks with Page Guard off and without a script, then they are gaps, and --check ends with 2", async () => {
      const { last, folder, pageGuard } = await weeks([
        same,
        (sim) =>
          sim.edit(zoneId, (zone) => {
            zone.settings.enabled = false;
          }),
        (sim) => {
          seed(sim);
          sim.edit(zoneId, (zone) => {
            zone.scripts = [];
          });
        },
        seed,
      ]);
      const [series] = last.data.runs?.series ?? [];
      assert.deepEqual(
        series?.gaps.map(({ days }) => days),
        [21],
      );
      const html = readFileSync(join(folder, "reports/3/report.html"), "utf8");
      assert.match(html, /missed: Page Guard was off/);
      assert.match(html, /missed: no script was seen/);
      assert.match(html, /shop: more than seven days in which no run has checked it/);
      const check = [...args, "--inventory", "inventory", "--runs", "runs", "--check"];
      assert.equal((await pageGuard(check, { now: () => now + 21 * 86_400_000 })).code, 2);
    });

    it("given a line that someone changed, removed or wrote without the key, then the report says that the chain is broken", async () => {
      const keyed = ["--key-env", "RUNS_KEY"];
      const { last, folder, pageGuard } = await weeks([same, same, same], keyed);
      assert.equal(last.data.runs?.chain, "keyed");
      const chain = async (text: string, more: readonly string[] = keyed) => {
        writeFileSync(lines(folder), text);
        await pageGuard([...args, "--runs", "runs", ...more], { ...at, env });
        return read(folder).data.runs?.chain;
      };
      const written = readFileSync(lines(folder), "utf8");
      assert.equal(await chain(written), "keyed");
      assert.equal(await chain(written, []), "not checked");
      assert.equal(await chain(written.replace('"scripts":3', '"scripts":2')), "broken");
      assert.equal(await chain(written.split("\n").slice(1).join("\n")), "broken");
      assert.equal(await chain(written.replaceAll(/,"chain":"[^"]*"/g, "")), "broken");
    });

    it("given a report that was changed since, then it is not compared with", async () => {
      const { folder, pageGuard } = await weeks([same]);
      const file = join(folder, "reports/0/report.json");
      writeFileSync(file, readFileSync(file, "utf8").replace("own.js", "new.js"));
      const { code, err } = await pageGuard([...args, "--since", "reports"], at);
      assert.equal(code, 1);
      assert.match(err, /its digest is not that of its data/);
    });
  });

  it("given two runs at once into one folder, then whole files and nothing else", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    const ended = await Promise.all(
      [1, 2, 3].map(() => pageGuard([...args, "--format", "html,md,csv,json"], at)),
    );
    assert.deepEqual(
      ended.map(({ code }) => code),
      [0, 0, 0],
    );
    assert.deepEqual(readdirSync(join(folder, "out")).sort(), [
      ...["policies.csv", "report.html", "report.json", "report.md", "scripts.csv"],
    ]);
    read(folder);
  });

  it("given an inventory that is not there, then it says which file it has looked for", async () => {
    const { sim, pageGuard } = await open();
    seed(sim);
    const { code, err } = await pageGuard([...args, "--inventory", "mistyped"], at);
    assert.equal(code, 0);
    assert.match(err, /^There is no mistyped\/shop\.yaml, .* --inventory/);
  });

  it("given what is no report, or flags that make none, then a reason and no request", async () => {
    const { sim, folder, pageGuard } = await open();
    writeFileSync(join(folder, "other.json"), "{}");
    for (const [more, reason] of [
      [["--since", "other.json"], /Failed to compare with other\.json: at format/],
      [["--since", "none.json"], /Failed to read none\.json/],
      [["--format", "pdf"], /It takes html, md, csv, json/],
      [["--check"], /--check needs --inventory/],
      [["--record"], /--record appends to the folder of --runs/],
      [["--runs", "nowhere"], /Failed to read the folder nowhere of --runs/],
      [["--from", "yesterday"], /It takes a date/],
    ] as const) {
      const { code, err } = await pageGuard([...args, ...more], at);
      assert.equal(code, 1);
      assert.match(err, reason);
    }
    assert.equal(sim.requests().length, 0);
  });

  function read(folder: string): AuditReport {
    return JSON.parse(readFileSync(join(folder, "out/report.json"), "utf8"));
  }
});

function seed(sim: Simulator): void {
  const script = (url: string, js_integrity_score: number) => ({
    ...{ url, js_integrity_score, status: "active", host: "shop.example.com" },
    first_page_url: "https://shop.example.com/checkout",
  });
  sim.zones.seed(zoneId, {
    settings: { enabled: true },
    scripts: [
      script("https://cdn.example.net/a.js", 90),
      script("https://shop.example.com/own.js", 80),
      script("https://evil.example/x.js", 3),
    ],
    connections: [],
    policies: [
      {
        description: "checkout",
        action: "allow",
        value: "script-src 'self' https://cdn.example.net; object-src 'none'; base-uri 'self'",
        expression: 'http.host eq "shop.example.com"',
      },
      {
        description: "next",
        action: "log",
        value: "script-src 'self' https://cdn.example.net; object-src 'none'; base-uri 'self'",
        expression: 'http.host eq "shop.example.com"',
      },
    ],
    waf: {},
  });
}
