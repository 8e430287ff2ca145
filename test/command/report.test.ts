import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
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
    assert.match(out, /Act {4}1 script: A script on the pages is in no entry of the inventory\./);
    assert.match(out, /Act {4}1 script: An entry of the inventory is not approved\./);
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

  it("given payment pages of the inventory and of --page, then the scripts seen there come first, by one list a page", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    const [pay, cart, home] = ["pay*", "cart", ""].map((path) => `https://shop.example.com/${path}`);
    sim.edit(zoneId, (zone) => {
      for (const script of zone.scripts)
        if (script.url.includes("evil")) script.page_urls = ["https://shop.example.com/pay/2"];
        else if (script.url.includes("a.js")) script.page_urls = [`${cart}`];
    });
    mkdirSync(join(folder, "inventory"));
    writeFileSync(
      join(folder, "inventory/shop.yaml"),
      `- pages: [${cart}]\n- match: https://cdn.example.net/a.js\n  pages: [${pay}, the last step]\n- match: https://gone.example/g.js\n`,
    );
    const { code, err } = await pageGuard([...args, "--inventory", "inventory", "--page", `${home}`], at);
    assert.equal(code, 0, err);
    const [zone] = read(folder).data.zones;
    assert.deepEqual(zone?.paymentPages, [home, cart, pay]);
    assert.deepEqual(
      zone?.scripts?.map(({ key, onPaymentPages }) => [key, onPaymentPages]),
      [
        ["https://cdn.example.net/a.js", true],
        ["https://evil.example/x.js", true],
        ["https://gone.example/g.js", false],
        ["https://shop.example.com/own.js", false],
      ],
    );
    const asked = sim.requests({ path: "/scripts" }).map(({ query }) => query["page_url"]);
    assert.deepEqual(asked.filter((page) => page !== undefined).sort(), [home, cart, pay].sort());
    const html = readFileSync(join(folder, "out/report.html"), "utf8");
    const [first = "", elsewhere = ""] = html.split("Scripts elsewhere (2)");
    assert.match(first, /evil\.example/);
    assert.match(elsewhere, /own\.js/);
  });

  it("given contents that were served between two runs, then they are a need and a change, though they are over", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    const [before, between] = ["a".repeat(64), "b".repeat(64)];
    const page = "https://shop.example.com/checkout";
    const versions = (times: Readonly<Record<string, string>>) =>
      sim.edit(zoneId, (zone) => {
        const pay = zone.scripts.find(({ url }) => url.includes("a.js")) ?? assert.fail();
        pay.hash = before;
        pay.page_urls = [page];
        pay.versions = Object.entries(times).map(([hash, fetched_at]) => ({
          ...{ hash, fetched_at, js_integrity_score: 90 },
        }));
      });
    mkdirSync(join(folder, "inventory"));
    writeFileSync(
      join(folder, "inventory/shop.yaml"),
      `- pages: ["${page}"]\n- match: https://cdn.example.net/a.js\n  justification: form\n  integrity: { hashes: [${before}] }\n  approved: { by: alex, reference: "https://git.example/7", on: 2026-01-05 }\n`,
    );
    const flags = [...args.slice(0, -2), "--inventory", "inventory", "--since", "reports", "--out"];
    mkdirSync(join(folder, "reports"));
    versions({ [before]: "2026-01-01T00:00:00Z" });
    await pageGuard([...flags, "reports/0"], at);
    versions({ [before]: "2026-11-27T00:00:00Z", [between]: "2026-11-25T00:00:00Z" });
    await pageGuard([...flags, "reports/1"], { now: () => now + 7 * 86_400_000 });
    const report: AuditReport = JSON.parse(readFileSync(join(folder, "reports/1/report.json"), "utf8"));
    const [script] = report.data.zones[0]?.scripts ?? [];
    assert.deepEqual(script?.served, [{ hash: between, on: "2026-11-25" }]);
    assert.ok(
      script?.needs.some(({ code, text }) => code === "inventory-changed" && /had the hash b/.test(text)),
    );
    assert.deepEqual(report.changes?.[0]?.details, [
      { field: "served in between", before: null, after: between },
    ]);
  });

  it("given an inventory in Git, then the commit that last changed each entry, and whether it is on the default branch", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    const file = join(folder, "inventory/shop.yaml");
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@git.example", ...args], {
        encoding: "utf8",
      }).trim();
    const commit = (text: string): string => {
      writeFileSync(file, text);
      git("add", "inventory");
      git("commit", "--quiet", "--message", "scripts");
      return git("rev-parse", "HEAD");
    };
    const commits = async () => {
      await pageGuard([...args, "--inventory", "inventory"], at);
      const scripts = read(folder).data.zones[0]?.scripts ?? [];
      return scripts.flatMap(({ entry }) => (entry ? [[entry.commit?.id, entry.commit?.isOnDefault]] : []));
    };
    mkdirSync(join(folder, "inventory"));
    const [a, own] = ["cdn.example.net/a", "shop.example.com/own"].map(
      (path) => `- match: https://${path}.js\n`,
    );
    writeFileSync(file, `${a}`);
    assert.deepEqual(await commits(), [[undefined, undefined]], "in no repository");
    git("init", "--quiet", "--initial-branch", "main");
    const first = commit(`${a}`);
    git("checkout", "--quiet", "-b", "topic");
    const second = commit(`${a}${own}`);
    assert.deepEqual(await commits(), [
      [first, true],
      [second, false],
    ]);
    writeFileSync(file, `${a}${own}  owner: me\n`);
    assert.deepEqual(await commits(), [
      [first, true],
      [null, false],
    ]);
    const html = readFileSync(join(folder, "out/report.html"), "utf8");
    assert.match(html, /not committed/);
    assert.match(html, /1 entry of the inventory is not on the default branch as written here/);
  });

  it("given cookies and the service's scores, then they are in the JSON and the CSV", async () => {
    const { sim, folder, pageGuard } = await open();
    seed(sim);
    sim.edit(zoneId, (zone) => {
      for (const script of zone.scripts) script.magecart_score = 12;
      zone.cookies = zone.cookies.slice(0, 1);
      for (const cookie of zone.cookies) Object.assign(cookie, { name: "session", secure_attribute: true });
    });
    await pageGuard([...args, "--format", "json,csv"], at);
    const [zone] = read(folder).data.zones;
    assert.equal(zone?.scripts?.[0]?.scores.magecart, 12);
    assert.deepEqual(
      zone?.cookies?.map(({ name, isSecure }) => [name, isSecure]),
      [["session", true]],
    );
    const csv = (name: string) => readFileSync(join(folder, `out/${name}.csv`), "utf8");
    assert.match(csv("cookies"), /,session,.*,true,/);
    assert.match(csv("scripts"), /magecart_score/);
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
    const { scripts, policies, settings, cookies } = zone ?? {};
    assert.deepEqual([scripts, policies, settings, cookies], [null, null, null, null]);
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

  it("given a state, then who declares a policy, and since when it logs; a secret is not shown", async () => {
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
    writeFileSync(
      join(folder, "state.json"),
      stateText([
        {
          kind: "CspPolicy",
          state: new Map([
            ["next", recorded(next.id, {}, { loggingSince: days(10) })],
            ["checkout", recorded(checkout.id, { expression: secret("hidden-test", true) }, {})],
          ]),
        },
      ]),
    );
    const { code, err } = await pageGuard(
      ["report", "--state", "state.json", "--out", "out", "--format", "html,md,csv,json"],
      at,
    );
    assert.equal(code, 0, err);
    const policy = read(folder).data.zones[0]?.policies?.find(({ description }) => description === "next");
    assert.equal(policy?.declaredBy, "CspPolicy next");
    assert.equal(policy?.loggingSince, days(10));
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
      ...["cookies.csv", "policies.csv", "report.html", "report.json", "report.md", "scripts.csv"],
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
