import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { chained, inspectChain } from "../../command/src/report/chain";
import { digestOf } from "../../command/src/reports/audit/make-report";
import { type AuditReport, reportSchema } from "../../command/src/reports/audit/report-data";
import type { Simulator } from "../../simulator/src";
import { expectRefusals, useDesk, zoneId } from "./support/console";
import { secret, stateText } from "./support/state-file";

const now = Date.UTC(2026, 10, 23, 6, 0);
const weekMs = 7 * 86_400_000;
const otherZone = "b".repeat(32);
const named = ["--name", `${zoneId}=shop`];
const pull = "https://git.example/shop/pull/";
const approved = `{ by: alex, reference: "${pull}7", on: 2026-01-05 }`;
const withInventory = ["--inventory", "inventory"];
const record = ["--runs", "runs", "--record"];
const everyFormat = ["--format", "html,md,csv,json"];

describe("page-guard report", () => {
  const open = useDesk();

  /** A seeded zone beside an inventory; `run` reports on it into `out`. */
  async function started(inventory?: string) {
    const desk = await open();
    const { sim, folder } = desk;
    seed(sim);
    for (const name of ["inventory", "reports", "runs"]) mkdirSync(join(folder, name));
    const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
    const textOf = (name: string) => readFileSync(join(folder, name), "utf8");
    if (inventory !== undefined) put("inventory/shop.yaml", inventory);
    const run = async (
      args: readonly string[] = [],
      { week = 0, out = "out", env = {}, of = zoneId } = {},
    ) => {
      const at = { now: () => now + week * weekMs, env };
      const ended = await desk.pageGuard(["report", "--zone", of, ...named, "--out", out, ...args], at);
      const read = (): AuditReport => JSON.parse(textOf(`${out}/report.json`));
      return { ...ended, report: read, zone: () => read().data.zones[0] ?? assert.fail() };
    };
    const edit = (change: Parameters<Simulator["edit"]>[1]) => sim.edit(zoneId, change);
    return { ...desk, put, textOf, run, edit };
  }

  it("given a zone, then its scripts and policies, as its schema describes; again the same bytes, by one request a kind and page", async () => {
    const { sim, run, textOf, edit } = await started();
    const { code, out, err, report, zone } = await run();
    assert.equal(code, 0, err);
    assert.match(out, /^1 zone, 3 scripts \(0 approved\), 2 policies \(1 enforced\)\.$/m);
    assert.deepEqual(reportSchema.parse(report()), report(), "the schema describes every field");
    assert.deepEqual(
      zone().scripts?.map(({ url, malicious, allowedBy }) => [url, malicious, ...allowedBy]),
      [
        ["https://cdn.example.net/a.js", null, "checkout"],
        ["https://evil.example/x.js", "its integrity score is 3, below 50"],
        ["https://shop.example.com/own.js", null, "checkout"],
      ],
    );
    const first = textOf("out/report.json");
    const asked = sim.requests().map(({ path }) => path);
    assert.deepEqual([new Set(asked).size, asked.length], [5, 5], asked.join("\n"));
    edit((zone) => {
      zone.scripts.reverse();
      zone.policies.reverse();
    });
    const again = await run(["--markdown", "-", "--html", "page.html"]);
    assert.equal(textOf("out/report.json"), first);
    assert.match(again.out, /^#.*shop/m);
    assert.equal(textOf("page.html"), textOf("out/report.html"));
  });

  it("given an inventory, then who approved each script and why, and what lacks", async () => {
    const { run, textOf, edit } = await started(`- match: https://cdn.example.net/a.js
  justification: Customers pay with it.
  integrity: { policy: checkout }
  approved: ${approved.replace(pull, "#")}
- match: https://shop.example.com/own.js
`);
    const { code, out, err, zone } = await run([...withInventory, "--references", pull]);
    assert.equal(code, 0, err);
    assert.match(out, /Act {4}1 script: A script on the pages is in no entry of the inventory\./);
    assert.match(out, /Act {4}1 script: An entry of the inventory is not approved\./);
    const [script] = zone().scripts ?? [];
    const reference = `${pull}7`;
    assert.deepEqual(script?.entry?.approved, { by: "alex", reference, on: "2026-01-05" });
    assert.equal(script?.entry?.justification, "Customers pay with it.");
    assert.ok(textOf("out/report.html").includes(`<a href="${reference}" rel="noreferrer">`));
    edit((zone) => {
      zone.scripts = zone.scripts.filter(({ url }) => url.includes("a.js"));
    });
    const checked = await run([...withInventory, "--references", pull, "--check"]);
    assert.equal(checked.code, 0, "what only asks for a look does not stop a job");
    assert.match(checked.out, /^Check {2}1 script: /m);
  });

  it("given scripts of a company, then it stands beside them, and beside the host that a policy blocks", async () => {
    const { sim, run, textOf } = await started();
    sim.dashboard.addScript(zoneId, {
      url: "https://js.stripe.com/v3/",
      host: "shop.example.com",
      status: "active",
    });
    const { out } = await run(["--markdown", "-"]);
    assert.match(out, /^\|.*`https:\/\/js\.stripe\.com\/v3\/` \(Stripe, payments\)/m);
    assert.match(textOf("out/report.html"), /js\.stripe\.com \(Stripe, payments\): /);
  });

  it("given a pattern that several scripts match, then each has a row, counts are of scripts, and another entry or a new URL is told as what it is", async () => {
    const entry = (match: string) =>
      `- match: https://${match}\n  justification: x\n  integrity: { any: x }\n  approved: ${approved}\n`;
    const { sim, run, put } = await started(entry("shop.example.com/*"));
    const flags = [...withInventory, "--since", "reports", ...record];
    sim.dashboard.addScript(zoneId, { url: "https://shop.example.com/cart.js", status: "active" });
    await run(flags, { out: "reports/0" });
    put("inventory/shop.yaml", `${entry("shop.example.com/*")}${entry("*.example.com/own.js")}`);
    sim.dashboard.addScript(zoneId, { url: "https://shop.example.com/unknown.js", status: "active" });
    const { report, zone, out } = await run(flags, { out: "reports/1", week: 1 });
    assert.match(out, /^1 zone, 5 scripts \(3 approved\)/m);
    const rows = zone().scripts?.filter(({ entry: of }) => of?.match.includes("shop.example.com/*"));
    assert.deepEqual(
      rows?.map(({ url, versions }) => `${url.split("/").at(-1)} ${versions}`),
      ["cart.js 1", "own.js 1", "unknown.js 1"],
    );
    assert.deepEqual(
      report().changes?.map(({ change, subject }) => `${change} ${subject}`),
      ["new https://shop.example.com/unknown.js"],
    );
  });

  it("given a malicious script of two entries, and another version of an approved one, then each counts once, and the version is not approved", async () => {
    const entry = (match: string) =>
      `- match: "https://${match}"\n  justification: x\n  integrity: { any: x }\n  approved: ${approved}\n`;
    const { sim, run, textOf } = await started(
      `${entry("evil.example/*")}${entry("evil.example/x.js")}${entry("a.example.net/app.9c1d22ee.js")}`,
    );
    for (const version of ["9c1d22ee", "3f2a91bc"])
      sim.dashboard.addScript(zoneId, {
        ...{ url: `https://a.example.net/app.${version}.js`, status: "active", js_integrity_score: 90 },
        first_page_url: "https://shop.example.com/checkout",
      });
    const flags = [...withInventory, ...record, "--format", "md,json"];
    await run(flags);
    assert.match(textOf("out/report.md"), /nothing could be compared/, "of a first run");
    const { out, report } = await run(flags, { week: 0.1 });
    assert.match(
      out,
      /^1 zone, 4 scripts \(1 approved\)/m,
      "of a.js, own.js, x.js and the versions of app.js",
    );
    assert.match(out, /^Act {4}1 script: A script on the pages is reported as malicious/m);
    const [series] = report().data.runs?.series ?? [];
    const found = series?.findings.filter(({ code }) => code === "inventory-malicious");
    assert.deepEqual(
      found?.map(({ checks, until }) => [checks, until]),
      [[2, null]],
    );
    assert.equal(series?.weeks[0]?.found["inventory-malicious"], 1);
    const md = textOf("out/report.md");
    assert.match(md, /\*\*still there\*\* on 2026-11-23/);
    assert.match(md, /app\.3f2a91bc\.js` \|/, "no entry matches it");
  });

  it("given payment pages of the inventory and of --page, then the scripts seen there come first, by one list a page", async () => {
    const [pay, cart, home] = ["pay*", "cart", ""].map((path) => `https://shop.example.com/${path}`);
    const { sim, run, textOf, edit } = await started(
      `- pages: [${cart}]\n- match: https://cdn.example.net/a.js\n  pages: [${pay}, the last step]\n- match: https://gone.example/g.js\n`,
    );
    edit((zone) => {
      for (const script of zone.scripts)
        if (script.url.includes("evil")) script.page_urls = ["https://shop.example.com/pay/2"];
        else if (script.url.includes("a.js")) script.page_urls = [`${cart}`];
    });
    const { zone, report } = await run([...withInventory, "--page", `${home}`, ...record]);
    assert.equal(report().data.runs?.series[0]?.results[0]?.scripts, 3, "an entry alone is not seen");
    assert.deepEqual(zone().paymentPages, [home, cart, pay]);
    assert.ok(!zone().pages.includes("the last step"), "seen nowhere");
    assert.deepEqual(
      zone().scripts?.map(({ key, onPaymentPages }) => [key, onPaymentPages]),
      [
        ["https://cdn.example.net/a.js", true],
        ["https://evil.example/x.js", true],
        ["https://gone.example/g.js", false],
        ["https://shop.example.com/own.js", false],
      ],
    );
    const asked = sim.requests({ path: "/scripts" }).flatMap(({ query }) => query["page_url"] ?? []);
    assert.deepEqual(asked.sort(), [home, cart, pay].sort());
    const [first = "", elsewhere = ""] = textOf("out/report.html").split("Scripts elsewhere (2)");
    assert.match(first, /evil\.example/);
    assert.match(elsewhere, /own\.js/);
  });

  for (const [where, isPaid, last] of [
    ["on a payment page", true, "a"],
    ["of a script elsewhere whose contents are others now", false, "c"],
  ] as const)
    it(`given contents ${where} that were served between two runs, then they are a need and a change, and void the approval`, async () => {
      const [before, between, now] = ["a", "b", last].map((letter) => letter.repeat(64));
      const page = "https://shop.example.com/checkout";
      const { sim, run, edit } = await started(
        `- pages: ["${isPaid ? page : "https://shop.example.com/pay"}"]\n- match: https://cdn.example.net/a.js\n  justification: form\n  integrity: { hashes: [${before}] }\n  approved: ${approved}\n`,
      );
      const served = (...contents: readonly (readonly [hash: string | undefined, on: string])[]) =>
        edit((zone) => {
          const script = zone.scripts.find(({ url }) => url.includes("a.js")) ?? assert.fail();
          const versions = contents.map(([hash, fetched_at]) => ({ hash, fetched_at }));
          Object.assign(script, { hash: versions[0]?.hash, page_urls: [page], versions });
        });
      const flags = [...withInventory, "--since", "reports"];
      served([before, "2026-01-01T00:00:00Z"]);
      const first = await run(flags, { out: "reports/0" });
      assert.equal(first.report().head.counts["approved"], 1);
      const old = ["d".repeat(64), "2026-11-20T00:00:00Z"] as const;
      served([now, "2026-11-27T00:00:00Z"], [between, "2026-11-25T00:00:00Z"], old);
      const { report, zone } = await run(flags, { out: "reports/1", week: 1 });
      const [script] = zone().scripts ?? [];
      assert.deepEqual(script?.served, [{ hash: between, on: "2026-11-25" }]);
      assert.ok(
        script.needs.some(({ code, text }) => code === "inventory-changed" && /had the hash b/.test(text)),
      );
      assert.equal(report().head.counts["approved"], 0);
      const detail = { field: "served in between", before: null, after: between };
      assert.deepEqual(report().changes?.[0]?.details.at(-1), detail);
      const asked = sim.requests({ path: /\/scripts\/\w+$/ }).length;
      assert.equal(asked, isPaid ? 6 : 2, "of its three scripts, or of the one with hashes");
    });

  it("given an inventory in Git, then the commit that last changed each entry, and whether it is on the default branch", async () => {
    const { folder, run, put, textOf } = await started();
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@git.example", ...args], {
        encoding: "utf8",
        env: { ...process.env, GIT_COMMITTER_DATE: "2026-03-01T00:00:00Z" },
      }).trim();
    const commit = (text: string): string => {
      put("inventory/shop.yaml", text);
      git("add", "inventory");
      git("commit", "--quiet", "--message", "scripts");
      return git("rev-parse", "HEAD");
    };
    const commits = async (env = {}, of = "inventory") => {
      const { zone } = await run(["--inventory", of], { env });
      const all = zone().scripts?.flatMap(({ entry }) => entry ?? []) ?? [];
      return all.map(({ commit: at }) => (at === null ? "unknown" : `${at.id} ${at.isOnDefault}`)).join(", ");
    };
    const [a, own] = ["cdn.example.net/a", "shop.example.com/own"].map(
      (path) => `- match: https://${path}.js\n`,
    );
    put("inventory/shop.yaml", `${a}`);
    assert.equal(await commits(), "unknown", "in no repository");
    git("init", "--quiet", "--initial-branch", "main");
    const first = commit(`${a}`);
    git("checkout", "--quiet", "-b", "topic");
    const second = commit(`${a}${own}`);
    assert.equal(await commits(), `${first} true, ${second} false`);
    assert.equal(await commits({ CI_DEFAULT_BRANCH: "topic" }), `${first} true, ${second} true`);
    put("inventory/shop.yaml", `${a}${own}  owner: me\n`);
    assert.equal(await commits(), `${first} true, null false`);
    assert.match(textOf("out/report.html"), /not committed/);
    // Of a commit whose parents were not fetched git cannot tell what it changed.
    git("clone", "--quiet", "--depth", "1", `file://${folder}`, "shallow");
    assert.equal(await commits({}, "shallow/inventory"), "unknown, unknown");
    const why = "  justification: x\n  integrity: { sri: true }\n  approved:";
    commit(`${a}${why} &old ${approved}\n${own}${why} *old\n`);
    const { zone } = await run(withInventory);
    const late = zone().scripts?.filter(({ needs }) =>
      needs.some(({ text }) => /^Its approval of 2026-01-05 was .* on 2026-03-01/.test(text)),
    );
    assert.equal(late?.length, 2, "also of an approval that is an alias of an older one");
  });

  it("given cookies, the service's scores and a threshold, then they are in every format with room for them, and the threshold in the line of the run", async () => {
    const { run, edit, textOf } = await started();
    edit((zone) => {
      for (const script of zone.scripts)
        Object.assign(script, { obfuscation_score: 31, dataflow_score: 32, magecart_score: 33 });
      zone.cookies = zone.cookies.slice(0, 1);
      for (const cookie of zone.cookies) Object.assign(cookie, { name: "session", secure_attribute: true });
    });
    const { zone, report } = await run(["--threshold", "85", ...everyFormat, ...record]);
    const { obfuscation, dataflow, magecart } = zone().scripts?.[0]?.scores ?? assert.fail();
    assert.deepEqual([obfuscation, dataflow, magecart], [31, 32, 33]);
    assert.equal(zone().scripts?.filter(({ malicious }) => malicious).length, 2);
    const [cookie] = zone().cookies ?? [];
    assert.deepEqual([cookie?.name, cookie?.isSecure], ["session", true]);
    assert.match(textOf("out/cookies.csv"), /,session,.*,true,/);
    assert.match(
      textOf("out/scripts.csv"),
      /,obfuscation_score,dataflow_score,magecart_score,.*,threshold\r\n.*,31,32,33,.*,85\r\n/,
    );
    for (const file of ["html", "md"])
      assert.match(textOf(`out/report.${file}`), /integrity score below 85\b/);
    assert.equal(report().head.threshold, 85);
    const line = JSON.parse(textOf("runs/2026-11.jsonl"));
    assert.deepEqual([line.threshold, line.digest], [85, report().head.digest]);
  });

  for (const [what, fault, unread, count] of [
    ["pages", { query: "page_url" }, "scripts by page", 3],
    ["scripts", { path: "/scripts" }, "scripts and connections", undefined],
    ["everything", {}, "settings, policies, scripts and connections", undefined],
  ] as const)
    it(`given ${what} that cannot be read, then the report says so, and has the rest`, async () => {
      const { sim, run, textOf } = await started();
      sim.faults.add({ method: "GET", ...fault, kind: "status", status: 403 });
      const { code, err, zone } = await run(["--page", "shop.example.com/pay*", ...everyFormat]);
      assert.equal(code, 1);
      assert.match(err, /^The report is not complete:$/m);
      const parts = zone().unread.map(({ part }) => part);
      for (const part of unread.split(", ")) {
        assert.ok(parts.includes(part), parts.join());
        assert.match(err, new RegExp(`^Could not be read: .*${part}.* \\(shop\\)$`, "m"));
      }
      assert.equal(zone().scripts?.length, count);
      assert.match(textOf("out/report.html"), /Could not be read: /);
    });

  it("given a service that hides some scripts, then the report says so", async () => {
    const { sim, run } = await started();
    sim.faults.add({ method: "GET", query: "exclude_", kind: "status", status: 400 });
    const { code, out, report, zone } = await run(record);
    assert.equal(code, 0);
    assert.equal(report().data.runs?.series[0]?.weeks[0]?.completed, 0, "it is no check of the zone");
    assert.match(out, /^Check {2}Not all scripts .* exclude_duplicates/m);
    assert.match(zone().hidden ?? "", /exclude_cdn_cgi/);
  });

  it("given a state, then who declares a policy, and since when it logs; a secret is not shown", async () => {
    const { sim, folder, put, edit, run } = await started();
    const [checkout, next] = sim.zone(zoneId).policies;
    assert.ok(checkout && next);
    edit((zone) => {
      for (const policy of zone.policies)
        if (policy.id === checkout.id) policy.expression = 'http.host eq "hidden-test"';
    });
    const recorded = (id: string, inputs: object, outputs: object) => ({
      ...{ id: `${zoneId}/${id}`, inputs: { zoneId, ...inputs }, hasInitErrors: false },
      outputs: { zoneId, policyId: id, schemaVersion: 1, ...outputs },
    });
    const loggingSince = new Date(now - 10 * 86_400_000).toISOString();
    const state = new Map([
      ["next", recorded(next.id, {}, { loggingSince })],
      ["checkout", recorded(checkout.id, { expression: secret("hidden-test", true) }, {})],
    ]);
    const reported = async (kind: string, resources: typeof state) => {
      put("state.json", stateText([{ kind, state: resources }]));
      const { zone } = await run(["--state", "state.json", ...everyFormat]);
      for (const file of readdirSync(join(folder, "out")))
        assert.doesNotMatch(readFileSync(join(folder, "out", file), "utf8"), /hidden-test/, file);
      return zone;
    };
    for (const isOpen of [true, false]) {
      const policies = secret({ checkout: { expression: "hidden-test" } }, isOpen);
      const set = recorded("", { policies }, { policyIds: { checkout: checkout.id } });
      const zone = await reported("CspPolicySet", new Map([["policies", { ...set, id: zoneId }]]));
      assert.ok(zone().policies?.some(({ expression }) => expression === "[secret]"));
    }
    const zone = await reported("CspPolicy", state);
    const policy = zone().policies?.find(({ description }) => description === "next");
    assert.deepEqual([policy?.declaredBy, policy?.loggingSince], ["CspPolicy next", loggingSince]);
  });

  it("given alerts of other jobs, then who closed them; a line that cannot be read counts", async () => {
    const { run, put } = await started();
    const line = (day: string, more: object) =>
      `${JSON.stringify({ when: `2026-${day}T02:00:00Z`, what: "page-guard issue", alert: { reference: "https://git.example/9", ...more } })}\n`;
    put("runs/2024-01.jsonl", '{"when":"2024-01-01T00:00:00Z","what":"page-guard report"}');
    put(
      "runs/2026-11.jsonl",
      `${line("10-13", { closedBy: "sam", closedOn: "2026-10-13" })}${line("10-12", {})}`.trimEnd(),
    );
    const { report } = await run(record);
    assert.equal(report().head.period.from, new Date(now - 366 * 86_400_000).toISOString());
    assert.deepEqual(report().data.runs?.alerts, [
      {
        ...{ reference: "https://git.example/9", opened: "2026-10-12T02:00:00Z", what: "page-guard issue" },
        ...{ closedBy: "sam", closedOn: "2026-10-13", note: null },
        ...{ openedByHand: true, closedByHand: true },
      },
    ]);
    put("runs/2026-12.jsonl", "half a li");
    const bad = await run(["--runs", "runs"]);
    assert.equal(bad.code, 1);
    assert.match(bad.err, /^1 line of recorded runs cannot be read: 2026-12\.jsonl:1: it is not JSON$/m);
  });

  describe("week by week, with --record", () => {
    const env = {
      ...{ GITHUB_ACTIONS: "true", GITHUB_ACTOR: "robin", GITHUB_REPOSITORY: "shop/infra" },
      ...{ GITHUB_SERVER_URL: "https://github.example", GITHUB_RUN_ID: "7", RUNS_KEY: "a key of the runs" },
    };

    /** One run a week, into a folder of its own; what the zone is like in each. */
    async function weeks(
      zones: readonly ((sim: Simulator) => unknown)[],
      { more = [] as readonly string[], elsewhere = -1 } = {},
    ) {
      const desk = await started("");
      const flags = [...withInventory, ...record, "--since", "reports", ...more];
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
    const set = (fields: object) => (sim: Simulator) =>
      sim.edit(zoneId, (zone) => Object.assign(zone, fields));

    it("given a skimmer of three weeks, then it is in the report of the quarter, with the weeks that found it, and each policy logs since the first report", async () => {
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
      assert.equal(
        series?.weeks.map(({ found }) => found["inventory-malicious"]).join(" "),
        "1 1 1 1 2 2 2 1 1 1 1 1 1",
      );
      assert.equal(series?.results.at(-1)?.link, "https://github.example/shop/infra/actions/runs/7");
      const since = await run(["--since", "reports/4/report.json"], { week: 12 });
      const recorded = await run(["--runs", "runs", "--from", "2027-01-04"], { week: 12, out: "recorded" });
      for (const { report } of [since, recorded]) {
        const found = report().changes?.map(({ change, subject }) => `${change} ${subject}`);
        assert.deepEqual(found?.sort(), ["changed checkout", `gone ${skimmer}`]);
      }
      assert.equal(since.report().head.period.from, new Date(now + 4 * weekMs).toISOString());
      const next = since.zone().policies?.find(({ description }) => description === "next");
      assert.equal(next?.loggingSince, new Date(now).toISOString(), "as long as the reports say");
    });

    it("given weeks with Page Guard off, without a script, and a zone that was not in the run, then they are gaps, and --check ends with 2", async () => {
      const isOff = set({ settings: { enabled: false } });
      const isEmpty = set({ settings: { enabled: true }, scripts: [] });
      const { last, run, textOf } = await weeks([same, isOff, isEmpty, seed, same, same], { elsewhere: 4 });
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

    it("given a line that someone changed, removed or wrote without the key, then the report says that the chain is broken", async () => {
      const keyed = ["--key-env", "RUNS_KEY"];
      const { last, put, textOf, run } = await weeks([same, same, same], { more: keyed });
      assert.equal(last.data.runs?.chain, "keyed");
      const file = "runs/2026-11.jsonl";
      const written = textOf(file);
      for (const [text, chain, flags = keyed] of [
        [written, "keyed"],
        [written, "not checked", []],
        [written.replace('"scripts":3', '"scripts":2'), "broken"],
        [written.split("\n").slice(1).join("\n"), "broken"],
        [written.replaceAll(/,"chain":"[^"]*"/g, ""), "broken"],
      ] as const) {
        put(file, text);
        const { report } = await run(["--runs", "runs", ...flags], { env });
        assert.equal(report().data.runs?.chain, chain);
      }
      const rows = written.trimEnd().split("\n");
      for (const [name, lines, chain] of [
        ["copied", [...rows, rows[0]], "broken"],
        ["in another order", rows.toReversed(), "keyed"],
      ] as const) {
        put(file, `${lines.join("\n")}\n`);
        const { report } = await run(["--runs", "runs", ...keyed], { env });
        assert.equal(report().data.runs?.chain, chain, name);
      }
      const withoutKey = await weeks([same]);
      assert.equal(withoutKey.last.data.runs?.chain, "not keyed");
      const { report } = await withoutKey.run(["--runs", "runs", ...keyed], { env });
      assert.equal(report().data.runs?.chain, "broken", "someone without the key wrote it");
    });
  });

  describe("--verify", () => {
    const env = { RUNS_KEY: "a key of the runs", SHORT: "a key" };
    const keyed = ["--key-env", "RUNS_KEY"];
    const line = "runs/2026-11.jsonl";

    /** Two recorded weeks, with an alert of a job in between. */
    async function kept() {
      const desk = await started("");
      const flags = [...withInventory, ...record, ...everyFormat, ...keyed, "--since", "kept/reports"];
      mkdirSync(join(desk.folder, "kept/reports"), { recursive: true });
      mkdirSync(join(desk.folder, "kept/runs"), { recursive: true });
      const runs = ["--runs", "kept/runs"];
      await desk.run([...flags, ...runs], { out: "kept/reports/2026-11-23", env });
      const { ends } = inspectChain(
        desk
          .textOf(`kept/${line}`)
          .trim()
          .split("\n")
          .map((one) => JSON.parse(one)),
        env.RUNS_KEY,
      );
      const alert = { when: "2026-11-24T00:00:00Z", what: "page-guard issue", alert: { reference: "#1" } };
      const chainedAlert = `${JSON.stringify(chained(alert, ends, env.RUNS_KEY))}\n`;
      desk.put(`kept/${line}`, `${desk.textOf(`kept/${line}`)}${chainedAlert}`);
      const { err } = await desk.run([...flags, ...runs], { out: "kept/reports/2026-11-30", env, week: 1 });
      assert.equal(err, "");
      const verify = (more: readonly string[] = keyed) =>
        desk.pageGuard(["report", "--verify", "kept", ...more], { env, now: () => now + weekMs });
      return { ...desk, verify, flags: [...flags, ...runs], chainedAlert };
    }

    it("given what runs recorded, then 0, also with a line by hand; without the key, or with a short one, it says so", async () => {
      const { verify, put, textOf } = await kept();
      const byHand = {
        when: "2026-11-25T00:00:00Z",
        what: "sam",
        alert: { reference: "#1", closedBy: "sam" },
      };
      put("kept/runs/by-hand.jsonl", JSON.stringify(byHand));
      const { code, out } = await verify();
      assert.match(
        out,
        /^4 lines \(1 by hand\), 2 reports: as they were recorded\. Each line that a job wrote is sealed/,
      );
      assert.equal(code, 0);
      assert.match((await verify([])).err, /its lines are chained with a key/);
      assert.match((await verify(["--key-env", "SHORT"])).err, /SHORT has fewer than 16 characters/);
      assert.match(textOf("kept/reports/2026-11-30/report.json"), /"openedByHand": false/);
    });

    const json = "kept/reports/2026-11-23/report.json";
    for (const [what, forge, said] of [
      [
        "a report whose digest was made again",
        ({ put, textOf }) => {
          const report: AuditReport = JSON.parse(textOf(json));
          report.head.counts["malicious"] = 0;
          report.head.digest = digestOf(report);
          put(json, `${JSON.stringify(report, null, 2)}\n`);
        },
        /2026-11-23.report\.json: no recorded run wrote this file/,
      ],
      [
        "an edited page",
        ({ put, textOf }) =>
          put(json.replace("json", "html"), textOf(json.replace("json", "html")).replace("evil", "good")),
        /report\.html: no recorded run wrote this file/,
      ],
      [
        "a file of a report that is gone",
        ({ folder }) => rmSync(join(folder, json)),
        /2026-11-23: report\.json, which the run wrote, is missing/,
      ],
      [
        "a page beside those of a report",
        ({ put }) => put("kept/reports/2026-11-23/Summary.HTML", "<p>Nothing found."),
        /Summary\.HTML: no recorded run wrote this file/,
      ],
      [
        "nothing that a job has left",
        ({ folder }) =>
          ["runs", "reports"].map((name) => rmSync(join(folder, "kept", name), { recursive: true })),
        /There is no line of a job/,
      ],
      [
        "an old report in the folder of another day",
        ({ folder }) =>
          cpSync(join(folder, "kept/reports/2026-11-23"), join(folder, "kept/reports/2026-12-07"), {
            recursive: true,
          }),
        /2026-12-07: this report was made on 2026-11-23/,
      ],
      [
        "an old report that was redated",
        ({ put, textOf }) => {
          const report: AuditReport = JSON.parse(textOf(json));
          report.head.madeAt = new Date(now + weekMs).toISOString();
          put(json, JSON.stringify({ ...report, head: { ...report.head, digest: digestOf(report) } }));
        },
        /report\.json: no recorded run wrote this file/,
      ],
      [
        "a removed alert",
        ({ put, textOf, chainedAlert }) =>
          put(`kept/${line}`, textOf(`kept/${line}`).replace(chainedAlert, "")),
        /The chain of the lines is broken/,
      ],
      [
        "an alert that was made up",
        ({ put }) =>
          put(
            "kept/runs/a.jsonl",
            JSON.stringify({
              when: "2026-11-24T00:00:00Z",
              what: "page-guard issue",
              alert: { reference: "#2" },
            }),
          ),
        /claims to be from page-guard issue, but is not chained/,
      ],
      [
        "an alert that was made up with a chain",
        ({ put, chainedAlert }) => put("kept/runs/a.jsonl", chainedAlert.replace("#1", "#2")),
        /The chain of the lines is broken/,
      ],
    ] as readonly (readonly [string, (desk: Awaited<ReturnType<typeof kept>>) => unknown, RegExp])[])
      it(`given ${what}, then 2 and what it is`, async () => {
        const desk = await kept();
        forge(desk);
        const { code, out } = await desk.verify();
        assert.equal(code, 2, out);
        assert.match(out, said);
      });

    it("given a weekly job that ends after midnight, then its report is in the folder of the day on which it was made", async () => {
      const { folder } = await started();
      execFileSync("git", ["init", "--quiet", folder]);
      mkdirSync(join(folder, "bin"));
      for (const [name, text] of [
        ["date", "echo 2026-11-23"],
        [
          "npx",
          `while [ "$1" != --out ]; do shift; done; mkdir -p "$2"; printf '{ "head": {\n    "madeAt": "2026-11-24T00:00:01.000Z",' > "$2/report.json"`,
        ],
      ] as const)
        writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      writeFileSync(join(folder, "zones.yaml"), "");
      const env = { ...process.env, PATH: `${join(folder, "bin")}:${process.env["PATH"]}` };
      execFileSync("sh", [resolve("command/ci/report.sh"), "zones.yaml"], { cwd: folder, env });
      assert.deepEqual(readdirSync(join(folder, "kept/reports")), ["2026-11-24"]);
    });

    it("given a report that no line has recorded, then --since refuses it; one of a clock that was ahead is left out", async () => {
      const { flags, put, textOf, run } = await kept();
      await run(flags, { env, week: 250, out: "kept/reports/2031-09-08" });
      const { report } = await run(flags, { env, week: 2, out: "kept/reports/2026-12-07" });
      assert.equal(report().head.since?.madeAt, new Date(now + weekMs).toISOString());
      assert.equal(report().data.runs?.chain, "keyed");
      const forged: AuditReport = JSON.parse(textOf(json));
      forged.head.madeAt = "2026-11-29T00:00:00.000Z";
      put(json, JSON.stringify({ ...forged, head: { ...forged.head, digest: digestOf(forged) } }));
      const { err } = await run(flags, { env, week: 3 });
      assert.match(err, /no line of --runs has its digest and its time/);
    });
  });

  it("given two jobs that record at the same time, a clock that was years ahead, and then a third job, then the chain is whole", async () => {
    const { put, textOf, run } = await started();
    const file = (week: number) => `runs/${new Date(now + week * weekMs).toISOString().slice(0, 7)}.jsonl`;
    // The first two jobs of all find no line.
    const begun: string[] = [];
    for (const week of [0, 0.01]) {
      put(file(0), "");
      await run(record, { week });
      begun.push(textOf(file(0)));
    }
    put(file(0), begun.join(""));
    await run(record, { week: 0.02 });
    const first = textOf(file(0));
    const lines: string[] = [];
    for (const week of [5, 240]) {
      put(file(0), first);
      await run(record, { week });
      lines.push(textOf(file(week)));
      put(file(week), "");
    }
    put(file(5), lines.join(""));
    const { report } = await run(record, { week: 6 });
    assert.equal(report().data.runs?.chain, "not keyed");
    put(file(5), lines[0] ?? "");
    const { report: lacking } = await run(["--runs", "runs"], { week: 6 });
    assert.equal(lacking().data.runs?.chain, "broken");
  });

  it("given an inventory that is not there, then it says which file it has looked for; of two runs at once, whole files", async () => {
    const { folder, run } = await started();
    const flags = ["--inventory", "mistyped", ...everyFormat];
    for (const { code, err } of await Promise.all([run(flags), run(flags)])) {
      assert.equal(code, 0);
      assert.match(err, /^There is no mistyped\/shop\.yaml, .* --inventory/);
    }
    const files = ["cookies.csv", "policies.csv", "report.html", "report.json", "report.md", "scripts.csv"];
    assert.deepEqual(readdirSync(join(folder, "out")).sort(), files);
  });

  it("given what is no report, or flags that make none, then a reason and no request", async () => {
    const { sim, put, run, textOf } = await started();
    await run();
    const asked = sim.requests().length;
    put("other.json", "{}");
    put("reports/report.json", textOf("out/report.json").replace("own.js", "new.js"));
    await expectRefusals(run, [
      [["--since", "other.json"], /Failed to compare with other\.json: at format/],
      [["--since", "reports"], /report\.json: its digest does not match its data/],
      [["--since", "none.json"], /Failed to read none\.json/],
      [["--format", "pdf"], /It takes html, md, csv, json/],
      [["--page", "https://*.example/"], /--page takes the URL of a page, with \* only at its end/],
      [["--check"], /--check needs --inventory/],
      [["--record"], /--record and --chain append to the folder of --runs/],
      [["--runs", "nowhere"], /Failed to read the folder nowhere of --runs/],
      [["--from", "yesterday"], /It takes a date/],
      [["--from", "2026-02-30"], /It takes a date/],
      [["--from", "2126-11-24"], /--from is in the future/],
    ]);
    assert.equal(sim.requests().length, asked);
  });
});

/** Of both zones. */
function seed(sim: Simulator): void {
  const script = (url: string, js_integrity_score: number) => ({
    ...{ url, js_integrity_score, status: "active", host: "shop.example.com" },
    first_page_url: "https://shop.example.com/checkout",
  });
  const policy = {
    value: "script-src 'self' https://cdn.example.net; object-src 'none'; base-uri 'self'",
    expression: 'http.host eq "shop.example.com"',
  };
  const scripts = [
    script("https://cdn.example.net/a.js", 90),
    script("https://shop.example.com/own.js", 80),
    script("https://evil.example/x.js", 3),
  ];
  const policies = [
    { description: "checkout", action: "allow", ...policy },
    { description: "next", action: "log", ...policy },
  ];
  for (const id of [zoneId, otherZone])
    sim.zones.seed(id, { settings: { enabled: true }, scripts, connections: [], policies });
}
