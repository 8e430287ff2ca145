import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { reportSchema } from "../../command/src/documents/audit/report-data";
import { expectRefusals, zoneId } from "./support/console";
import {
  approved,
  everyFormat,
  now,
  pull,
  record,
  useReports,
  weekMs,
  withInventory,
} from "./support/report-desk";
import { secret, stateText } from "./support/state-file";

/** An approved entry. */
const entry = (match: string) =>
  `- match: "https://${match}"\n  justification: x\n  integrity: { any: x }\n  approved: ${approved}\n`;

describe("page-guard report", () => {
  const started = useReports();

  it("given a zone, then writes its scripts and policies according to the schema, with one request per kind and page, and the same bytes the second time", async () => {
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

  it("given an inventory, then says who approved each script and why, and what is missing", async () => {
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
    assert.equal(checked.code, 0, "findings that only need a check do not fail a job");
    assert.match(checked.out, /^Check {2}1 script: /m);
  });

  it("given scripts of a company, then names it beside them and beside a blocked host", async () => {
    const { sim, run, textOf } = await started();
    const url = "https://js.stripe.com/v3/";
    sim.dashboard.addScript(zoneId, { url, host: "shop.example.com", status: "active" });
    const { out } = await run(["--markdown", "-"]);
    assert.match(out, /^\|.*`https:\/\/js\.stripe\.com\/v3\/` \(Stripe, payments\)/m);
    assert.match(textOf("out/report.html"), /js\.stripe\.com \(Stripe, payments\): /);
  });

  it("given a pattern that several scripts match, then writes a row for each, counts scripts, and reports a new URL but not another entry as a change", async () => {
    const { sim, run, put } = await started(entry("shop.example.com/*"));
    const flags = [...withInventory, "--since", "reports", ...record];
    sim.dashboard.addScript(zoneId, { url: "https://shop.example.com/cart.js", status: "active" });
    await run(flags, { out: "reports/0" });
    put("inventory/shop.yaml", `${entry("shop.example.com/*")}${entry("*.example.com/own.js")}`);
    sim.dashboard.addScript(zoneId, { url: "https://shop.example.com/unknown.js", status: "active" });
    const { report, zone, out } = await run(flags, { out: "reports/1", week: 1 });
    assert.match(out, /^1 zone, 5 scripts \(3 approved\)/m);
    const rows = zone().scripts?.filter(({ entry: of }) => of?.match.includes("shop.example.com/*"));
    const told = rows?.map(({ url, versions }) => `${url.split("/").at(-1)} ${versions}`);
    assert.deepEqual(told, ["cart.js 1", "own.js 1", "unknown.js 1"]);
    const changes = report().changes?.map(({ change, subject }) => `${change} ${subject}`);
    assert.deepEqual(changes, ["new https://shop.example.com/unknown.js"]);
  });

  it("given a malicious script with two entries, and a new version of an approved one, then counts each once, and the version as unapproved", async () => {
    const entries = ["evil.example/*", "evil.example/x.js", "a.example.net/app.9c1d22ee.js"].map((at) =>
      entry(at),
    );
    const { sim, run, textOf } = await started(entries.join(""));
    for (const version of ["9c1d22ee", "3f2a91bc"])
      sim.dashboard.addScript(zoneId, {
        url: `https://a.example.net/app.${version}.js`,
        status: "active",
        js_integrity_score: 90,
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
    assert.equal(found?.map(({ checks, until }) => `${checks} ${until}`).join(), "2 null");
    assert.equal(series?.weeks[0]?.found["inventory-malicious"], 1);
    const md = textOf("out/report.md");
    assert.match(md, /\*\*still there\*\* on 2026-11-23/);
    assert.match(md, /app\.3f2a91bc\.js` \|/, "no entry matches it");
  });

  it("given payment pages of the inventory and of --page, then shows the scripts seen there first, with one list request per page", async () => {
    const [pay, cart, home] = ["pay*", "cart", ""].map((path) => `https://shop.example.com/${path}`);
    const { sim, run, textOf, edit } = await started(
      `- pages: [${cart}]\n- match: https://cdn.example.net/a.js\n  pages: [${pay}, the last step]\n- match: https://gone.example/g.js\n`,
    );
    edit((zone) => {
      for (const script of zone.scripts)
        if (script.url.includes("evil")) script.page_urls = ["https://shop.example.com/pay/2"];
        else if (script.url.includes("a.js")) script.page_urls = ["shop.example.com/cart?step=1"];
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
    const asked = sim
      .requests({ path: "/scripts" })
      .flatMap(({ query }) => query["page_url"]?.split(",")[0] ?? []);
    const forms = ["", "cart", "pay*"].map((path) => `shop.example.com/${path}`);
    assert.deepEqual(asked.sort(), forms.sort());
    const told = zone().needs.filter(({ code }) => code === "report-nothing-seen");
    assert.match(
      told.map(({ text }) => text).join(),
      /^The service lists no script on https:\/\/shop\.example\.com\/\. /,
    );
    const [first = "", elsewhere = ""] = textOf("out/report.html").split("Scripts elsewhere (2)");
    assert.match(first, /evil\.example/);
    assert.match(elsewhere, /own\.js/);
  });

  for (const [where, isPaid, last] of [
    ["on a payment page", true, "a"],
    ["of a script on another page, with new contents by now", false, "c"],
  ] as const)
    it(`given contents ${where} that were served between two runs, then reports them as a change that needs a person and invalidates the approval`, async () => {
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
      assert.equal(asked, isPaid ? 6 : 2, "the three scripts of the page, or the one with hashes");
    });

  it("given an inventory in Git, then names the commit that last changed each entry, and whether it is on the default branch", async () => {
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
    put("inventory/shop.yaml", `${a}${own}`.replaceAll("\n", "\r\n"));
    git("mv", "inventory", "scripts");
    git("commit", "--quiet", "--all", "--message", "rename and convert");
    assert.equal(await commits({ CI_DEFAULT_BRANCH: "topic" }, "scripts"), `${first} true, ${second} true`);
    git("reset", "--quiet", "--hard", second);
    put("inventory/shop.yaml", `${a}${own}  owner: me\n`);
    assert.equal(await commits(), `${first} true, null false`);
    assert.match(textOf("out/report.html"), /not committed/);
    // Git cannot tell what a commit changed if its parents were not fetched.
    git("clone", "--quiet", "--depth", "1", `file://${folder}`, "shallow");
    assert.equal(await commits({}, "shallow/inventory"), "unknown, unknown");
    const why = "  justification: x\n  integrity: { sri: true }\n  approved:";
    commit(`${a}${why} &old ${approved}\n${own}${why} *old\n`);
    const { zone } = await run(withInventory);
    const late = zone().scripts?.filter(({ needs }) =>
      needs.some(({ text }) => /^Its approval is dated 2026-01-05, but was .* on 2026-03-01/.test(text)),
    );
    assert.equal(late?.length, 2, "also of an approval that is an alias of an older one");
  });

  it("given cookies, the service's scores and a threshold, then includes them in the formats that have fields for them, and the threshold in the recorded line", async () => {
    const { run, edit, textOf } = await started();
    edit((zone) => {
      for (const script of zone.scripts)
        Object.assign(script, { obfuscation_score: 31, dataflow_score: 32, magecart_score: 33 });
      zone.cookies = zone.cookies.slice(0, 2);
      for (const [at, cookie] of zone.cookies.entries())
        Object.assign(cookie, { name: ["session", "old"][at], secure_attribute: true });
      Object.assign(zone.cookies[1] ?? {}, { status: "infrequent" });
    });
    const { zone, report } = await run(["--threshold", "85", ...everyFormat, ...record]);
    const { obfuscation, dataflow, magecart } = zone().scripts?.[0]?.scores ?? assert.fail();
    assert.deepEqual([obfuscation, dataflow, magecart], [31, 32, 33]);
    assert.equal(zone().scripts?.filter(({ malicious }) => malicious).length, 2);
    const told = zone().cookies?.map(({ name, isSecure }) => `${name} ${isSecure}`);
    assert.deepEqual(told, ["session true", "old true"]);
    assert.match(textOf("out/cookies.csv"), /,session,.*,true,/);
    assert.match(
      textOf("out/scripts.csv"),
      /,obfuscation_score,dataflow_score,magecart_score,.*,threshold\r\n.*,31,32,33,.*,85\r\n/,
    );
    for (const file of ["html", "md"])
      assert.match(textOf(`out/report.${file}`), /integrity score is below 85\b/);
    assert.equal(report().head.threshold, 85);
    const line = JSON.parse(textOf("runs/2026-11.jsonl"));
    assert.deepEqual([line.threshold, line.digest], [85, report().head.digest]);
  });

  for (const [what, fault, unread, count] of [
    ["pages", { query: "page_url" }, "scripts by page", 3],
    ["scripts", { path: "/scripts" }, "scripts and connections", undefined],
    ["everything", {}, "settings, policies, scripts and connections", undefined],
  ] as const)
    it(`given ${what} that cannot be read, then says so, and reports the rest`, async () => {
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

  it("given a script that was first seen on another host than the policy's, then judges it by the policy", async () => {
    const { sim, run, edit } = await started();
    edit(({ scripts }) => {
      for (const script of scripts) {
        script.host = "www.example.com";
        script.first_page_url = "https://www.example.com/";
        script.page_urls = [script.first_page_url, "shop.example.com/pay"];
      }
    });
    const { zone } = await run();
    const told = zone().scripts?.map(({ url, allowedBy }) => [url, ...allowedBy].join(" "));
    assert.deepEqual(told, [
      "https://cdn.example.net/a.js checkout",
      "https://evil.example/x.js",
      "https://shop.example.com/own.js checkout",
    ]);
    assert.equal(zone().policies?.find(({ action }) => action === "allow")?.impact?.examined, 3);
    assert.equal(zone().hidden, null);
    sim.faults.add({ method: "GET", query: "page_url", kind: "status", status: 400 });
    const refused = await run();
    assert.match(
      refused.zone().hidden ?? "",
      /in use on shop\.example\.com that were first seen on another host may be missing$/,
    );
  });

  it("given an enforced policy that upgrades requests, then judges the other policies as browsers do", async () => {
    const { run, edit } = await started();
    edit(({ policies }) => {
      const [policy] = policies.filter(({ action }) => action === "allow");
      assert.ok(policy);
      policies.push({
        ...policy,
        id: "f".repeat(32),
        value: "upgrade-insecure-requests",
        description: "upgrade",
      });
      policy.value = "script-src http://shop.example.com:8080 http://cdn.example.net:8080";
    });
    edit(({ scripts }) => {
      for (const script of scripts) script.url = "http://cdn.example.net:8080/a.js";
    });
    const { zone } = await run();
    assert.deepEqual(
      zone().scripts?.flatMap(({ allowedBy }) => allowedBy),
      [],
    );
    assert.ok(zone().policies?.some(({ impact }) => impact && impact.breaks.scripts > 0));
  });

  it("given a service that hides some scripts, then says so", async () => {
    const { sim, run } = await started();
    sim.faults.add({ method: "GET", query: "exclude_", kind: "status", status: 400 });
    const { code, out, report, zone } = await run(record);
    assert.equal(code, 0);
    assert.equal(report().data.runs?.series[0]?.weeks[0]?.completed, 0, "this does not count as a check");
    assert.match(out, /^Check {2}Not all scripts .* exclude_duplicates/m);
    assert.match(zone().hidden ?? "", /exclude_cdn_cgi/);
  });

  it("given a state, then says who declares a policy and since when it logs, without secrets", async () => {
    const { sim, folder, put, edit, run } = await started();
    const [checkout, next] = sim.zone(zoneId).policies;
    assert.ok(checkout && next);
    edit((zone) => {
      for (const policy of zone.policies)
        if (policy.id === checkout.id) policy.expression = 'http.host eq "hidden-test"';
    });
    const recorded = (id: string, inputs: object, outputs: object) => ({
      id: `${zoneId}/${id}`,
      inputs: { zoneId, ...inputs },
      hasInitErrors: false,
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

  it("given alerts of other jobs, then says who closed them, and counts unreadable lines", async () => {
    const { run, put } = await started();
    const line = (day: string, more: object) =>
      `${JSON.stringify({ when: `2026-${day}T02:00:00Z`, what: "page-guard issue", alert: { reference: "https://git.example/9", ...more } })}\n`;
    await run(record, { week: -60 });
    put(
      "runs/2026-11.jsonl",
      `${line("10-13", { closedBy: "sam", closedOn: "2026-10-13" })}${line("10-12", {})}`.trimEnd(),
    );
    const { report } = await run(record);
    assert.equal(report().head.period.from, new Date(now - 366 * 86_400_000).toISOString());
    assert.deepEqual(report().data.runs?.alerts, [
      {
        reference: "https://git.example/9",
        opened: "2026-10-12T02:00:00Z",
        what: "page-guard issue",
        closedBy: "sam",
        closedOn: "2026-10-13",
        note: null,
        openedByHand: true,
        closedByHand: true,
      },
    ]);
    put("runs/2026-12.jsonl", "half a li");
    const bad = await run(["--runs", "runs"]);
    assert.equal(bad.code, 1);
    assert.match(bad.err, /^1 line of recorded runs cannot be read: 2026-12\.jsonl:1: it is not JSON$/m);
    const alert = { reference: "https://git.example/9" };
    for (const more of [{}, { exit: 1 }, { exit: 0, alert }, { reason: "the check failed", alert }]) {
      put(
        "runs/2026-12.jsonl",
        JSON.stringify({ when: "2020-01-01T00:00:00Z", what: "page-guard report", ...more }),
      );
      const { report, ...posing } = await run(["--runs", "runs"]);
      assert.equal(posing.code, 1);
      assert.match(posing.err, /2026-12\.jsonl:1: without a `chain`, a line must have an `alert`/);
      assert.deepEqual(report().data.runs?.failed, []);
    }
  });

  it("given two jobs that record at the same time, a clock that was years ahead, and then a third job, then the chain is complete", async () => {
    const { put, textOf, run } = await started();
    const file = (week: number) => `runs/${new Date(now + week * weekMs).toISOString().slice(0, 7)}.jsonl`;
    // The first two jobs find no lines.
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

  it("given a missing inventory, then names the expected file; two runs at once write complete files", async () => {
    const { folder, run } = await started();
    const flags = ["--inventory", "mistyped", ...everyFormat];
    for (const { code, err } of await Promise.all([run(flags), run(flags)])) {
      assert.equal(code, 0);
      assert.match(err, /^Inventory files are missing: mistyped\/shop\.yaml\. .* --inventory/);
    }
    const files = ["cookies.csv", "policies.csv", "report.html", "report.json", "report.md", "scripts.csv"];
    assert.deepEqual(readdirSync(join(folder, "out")).sort(), files);
  });

  it("given a file that is no report, or invalid flags, then says why, without a request", async () => {
    const { sim, put, run, textOf } = await started();
    await run();
    const asked = sim.requests().length;
    put("other.json", "{}");
    put("reports/report.json", textOf("out/report.json").replace("own.js", "new.js"));
    await expectRefusals(run, [
      [["--since", "other.json"], /Failed to compare with other\.json: at format/],
      [["--since", "reports"], /report\.json: its digest does not match its data/],
      [["--since", "none.json"], /Failed to read none\.json/],
      [["--format", "pdf"], /Expected html, md, csv, json/],
      [["--page", "https://*.example/"], /--page takes the URL of a page, with \* only at its end/],
      [["--check"], /--check needs --inventory/],
      [["--record"], /--record and --chain append to the folder of --runs/],
      [["--runs", "nowhere"], /Failed to read the runs in the folder nowhere/],
      [["--from", "yesterday"], /Expected a date/],
      [["--from", "2026-02-30"], /Expected a date/],
      [["--from", "2126-11-24"], /--from is in the future/],
    ]);
    assert.equal(sim.requests().length, asked);
  });
});
