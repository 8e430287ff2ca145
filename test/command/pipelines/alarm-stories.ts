import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runSchema } from "../../../command/src/documents/audit/report-data";
import type { ZoneScript } from "../../../simulator/src";
import { Ci, type Line } from "../../engine/support/ci";
import { runGithubJob } from "../../engine/support/github-job";
import { runGitlabJob } from "../../engine/support/gitlab-job";
import { person } from "../forge/forge-server";
import { hashOf } from "../inventory/items";
import { pageGuard } from "../support/console";

const zoneId = "8f14e45fceea167a5a36dedd4bea2543";
const other = "0123456789abcdef0123456789abcdef";
const card = "https://js.payments.example/v3/pay.js";
const chat = "https://chat.example/c.js";
const branch = "page-guard/inventory";
const file = "inventory/pay.yaml";
const approval = `{ by: Ada, reference: "https://git.example/pull/7", on: ${new Date().toISOString().slice(0, 10)} }`;
const approved = `- match: ${card} # Ada
  justification: The card form of the processor.
  integrity: { hashes: ["${hashOf(1)}"] }
  approved: ${approval}
`;

/** Tests the jobs of a forge: only three nights unless `isLong`. */
export function playAlarms(forgeName: "GitHub" | "GitLab", isLong: boolean): void {
  describe(`examples/pipelines on ${forgeName}: notifications about scripts`, () => {
    let ci: Ci;
    let sim: Ci["sim"];
    let forge: Ci["forge"];
    let desk: string;
    /** Scripts that the pages of the zone load. */
    let scripts: Partial<ZoneScript>[];

    before(async () => {
      ci = await Ci.withoutEngine();
      ({ sim, forge } = ci);
    });

    after(() => ci?.end());

    beforeEach(() => {
      scripts = [script(card, 1)];
      seed();
      sim.faults.clear();
      for (const list of [forge.board.requests, forge.board.issues]) list.length = 0;
      rmSync(ci.remote, { recursive: true, force: true });
      ci.initRemote();
      desk = ci.clone();
      ci.furnish(desk, { "zones.yaml": `- id: ${zoneId}\n  name: pay\n`, [file]: approved });
      pushed("main", "The shop");
    });

    afterEach("no token was shown, no zone was changed", function () {
      for (const token of ci.hidden) assert.ok(!ci.said.includes(token), "a token was shown");
      assert.ok(!ci.said.includes(forge.github()["GITHUB_TOKEN"] ?? "?"), "a token of the forge was shown");
      assert.deepEqual(sim.changing(), []);
      if (this.currentTest?.state === "failed") process.stderr.write(ci.said);
      ci.said = "";
    });

    if (forgeName === "GitHub")
      it("opens, comments and closes an issue while a script changes", async () => {
        edit(([pay]) => Object.assign(pay ?? {}, { hash: hashOf(9) }));
        assert.deepEqual(await night(), ["opened: pay: an approved script changed", "red"]);
        edit(([pay]) => Object.assign(pay ?? {}, { domain_reported_malicious: true }));
        assert.deepEqual(await night(), ["commented: pay: a script counts as malicious", "red"]);
        edit(([pay]) => Object.assign(pay ?? {}, { hash: hashOf(1), domain_reported_malicious: false }));
        assert.deepEqual(await night(), ["closed: pay: a script counts as malicious"]);
        const lines = await readLines();
        const found = lines.map(({ zones: [zone] = [], alert }) =>
          alert === undefined
            ? Object.keys(zone?.found ?? {}).filter((code) => code.startsWith("inventory-"))
            : alert.closedOn === undefined,
        );
        const both = ["inventory-changed", "inventory-malicious"];
        assert.deepEqual(found, [["inventory-changed"], true, both, true, [], false]);
      });

    if (!isLong) return;

    it("given an open issue, when a night cannot read the scripts, then it stays open; when the inventory is merged, then it is closed", async () => {
      edit((zone) => zone.push(script(chat, 2)));
      assert.deepEqual(await night(), ["opened: pay: a script is not in the inventory", "request: opened"]);
      edit(([pay]) => Object.assign(pay ?? {}, { domain_reported_malicious: true }));
      assert.deepEqual(await night(), ["opened: pay: a script counts as malicious", "red"]);

      sim.faults.add({ method: "GET", path: "/scripts", kind: "status", status: 403 });
      assert.deepEqual(await night(), ["commented: pay: not everything could be checked", "red"]);
      sim.faults.clear();

      edit(([pay]) => Object.assign(pay ?? {}, { domain_reported_malicious: false }));
      editOnBranch(branch, (text) =>
        text
          .replace("approved: null", `approved: ${approval}\n  integrity: { any: tested }`)
          .replace('justification: ""', "justification: Questions of customers."),
      );
      merged();
      const closed = ["not everything could be checked", "a script counts as malicious"];
      assert.deepEqual(
        await night(),
        closed.map((text) => `closed: pay: ${text}`),
      );
    });

    it("given a schedule that did not run or that failed, then the heartbeat says which of the two", async () => {
      const [weekly, nightly] =
        forgeName === "GitLab" ? ["weekly", "nightly"] : ["report.yml", "inventory.yml"];
      setLastRuns(9, [weekly]);
      const silent = `${weekly} has not run since ${daysAgo(9).toISOString().slice(0, 10)}`;
      assert.deepEqual(await heartbeat(), [`opened: ${silent}`]);
      // The other schedule runs each night and fails.
      setLastRuns(9, [weekly]);
      const run = (days: number) => ({ ended: daysAgo(days), branch: "main", event: "schedule" });
      const red = [0, 1, 2].map((days) => ({ ...run(days), hasFailed: true }));
      const well = forge.board.runs[nightly] ?? [];
      forge.board.runs[nightly] = [...red, run(3)];
      const failing = `${nightly} ran but did not succeed, first on ${daysAgo(2).toISOString().slice(0, 10)}`;
      assert.deepEqual(await heartbeat(), [`opened: ${failing}`]);
      forge.board.runs[nightly] = well;
      assert.deepEqual(await heartbeat(), [`closed: ${failing}`]);
      setLastRuns(0);
      assert.deepEqual(await heartbeat(), [`closed: ${silent}`]);
    });

    it("given a nightly and a weekly job that push at the same time, then the lines of both are kept", async () => {
      await night();
      await week();
      await job("report");
      if (forgeName === "GitLab") await inTurn("report issue", "report chain");
      await night();
      assert.equal((await job("report", "keep")).code, 0);
      assert.equal((await readLines()).length, 4);
      await job("report");
      if (forgeName === "GitLab") await inTurn("report issue", "report chain");
      await job("inventory");
      if (forgeName === "GitLab") await inTurn("inventory issue", "inventory chain");
      const ended = await Promise.all([job("report", "keep"), runWriters()]);
      for (const { code, output } of ended.flat()) assert.equal(code, 0, output);
      assert.equal((await readLines()).length, 6);
    });

    it("given an open pull or merge request for the inventory, then later nights add entries to it and keep people's edits", async () => {
      edit((zone) => zone.push(script(chat, 2)));
      await night();
      editOnBranch(branch, (text) => text.replace('purpose: ""', "purpose: chat # Ann"));
      edit((zone) => zone.push(script("https://map.example/m.js", 3)));
      assert.deepEqual(await night(), ["commented: pay: 2 scripts are not in the inventory"]);
      const kept = ci.git(ci.remote, "show", `${branch}:${file}`);
      assert.match(kept, /pay\.js # Ada[\s\S]*chat # Ann[\s\S]*map\.example/);
      assert.equal(forge.board.requests.length, 1);

      editOnBranch("main", () => "- match: https://else.example/e.js\n");
      const { code, output } = await job("inventory");
      assert.notEqual(code, 0);
      assert.match(output, /main cannot be merged into page-guard\/inventory\. Merge it there by hand/);
      if (forgeName === "GitLab") await inTurn("inventory issue");
      const body = forge.board.issues.find(({ isOpen }) => isOpen)?.body ?? "";
      assert.match(
        body,
        /New entries could not be added to the open request.*main cannot be merged into page-/s,
      );
      ci.git(ci.remote, "branch", "-D", branch);
      editOnBranch("main", () => approved);
      await night();
      const link = () => symlinkSync("../zones.yaml", join(desk, "inventory/zones.yaml"));
      editOnBranch(branch, (text) => text, link);
      assert.match((await job("inventory")).output, /may contain only files/);
    });

    it("given weekly jobs, then each adds a report and a line to a separate branch, and an issue is open while something needs a person", async () => {
      assert.deepEqual(await week(), []);
      edit(([pay]) => Object.assign(pay ?? {}, { hash: hashOf(9) }));
      const title =
        "This week's report needs a person: 1 script: The contents of the script differ from those that were approved, so its approval no longer applies.";
      assert.deepEqual(await week(), [`opened: ${title}`, "red"]);
      edit(([pay]) => Object.assign(pay ?? {}, { hash: hashOf(1) }));
      assert.deepEqual(await week(), [`closed: ${title}`]);
      const kept = ci.git(ci.remote, "ls-tree", "-r", "--name-only", "page-guard-runs").trim().split("\n");
      // Several reports of one day have separate folders, and earlier ones stay unchanged.
      const names = ["report.html", "report.json", "report.md", "scripts.csv", "policies.csv", "cookies.csv"];
      assert.deepEqual(
        [...new Set(kept.map((path) => path.replace(/\d{4}-\d\d(-\d\d(-\d{6})?)?/, "TIME")))],
        [".gitattributes", ...names.sort().map((name) => `reports/TIME/${name}`), "runs/TIME.jsonl"],
      );
      assert.equal(kept.length, 3 * names.length + 2);
      const lines = await readLines();
      const told = lines.flatMap(({ zones = [] }) =>
        zones.map(({ found, changes }) => `${found["inventory-changed"] ?? 0} ${changes?.length}`),
      );
      assert.deepEqual(told, ["0 undefined", "1 1", "0 1"]);
      const [opened, over] = lines.flatMap(({ alert }) => alert ?? []);
      assert.match(opened?.reference ?? "", /^http.*\/issues\/\d+$/);
      assert.deepEqual([over?.reference, over?.closedOn?.length], [opened?.reference, 10]);
    });

    // GitLab's jobs call the same scripts, so only tests of jobs that are divided differently run for both forges.
    if (forgeName === "GitLab") return;

    it("an approval on the branch of the request silences no alarm before it is merged", async () => {
      edit((zone) => zone.push(script(chat, 2)));
      await night();
      editOnBranch(branch, (text) => text.replace(hashOf(1), hashOf(9)));
      edit(([pay]) => Object.assign(pay ?? {}, { hash: hashOf(9) }));
      assert.deepEqual(await night(), ["opened: pay: an approved script changed", "red"]);
    });

    it("opens a request that could not be opened the night before, whatever forks have opened", async () => {
      const request = { id: 1, by: person, title: "t", body: "", isOpen: true, branch, isFork: true };
      forge.board.requests.push(request);
      edit((zone) => zone.push(script(chat, 2)));
      forge.next(/^POST .*\/pulls$/, { status: 403 });
      assert.deepEqual(await night(), ["opened: pay: a script is not in the inventory", "red"]);
      assert.deepEqual(await night(), ["request: opened"]);
      assert.deepEqual(await night(), []);
      merged();
      await night();
      assert.equal(forge.board.requests.length, 2);
    });

    it("is red and closes nothing where the list of zones, or a zone of it, is gone", async () => {
      edit(([pay]) => Object.assign(pay ?? {}, { domain_reported_malicious: true }));
      await night();
      listOther();
      pushed("main", "Another list");
      const [opened, red, ...more] = await night();
      assert.match(`${opened}`, /^opened: pay: not everything could be checked/);
      assert.deepEqual([red, ...more], ["red"]);
      rmSync(join(desk, "zones.yaml"));
      pushed("main", "No list");
      assert.deepEqual(await night(), ["commented: There is no zones.yaml: no script is checked", "red"]);
      rmSync(join(desk, "inventory"), { recursive: true });
      pushed("main", "No inventory");
      assert.deepEqual((await night()).slice(-1), ["red"], "runs are recorded");
    });

    it("is red and closes nothing where a zone leaves the list together with its inventory, also if somebody edits a report to hide that", async () => {
      await week();
      edit(([pay]) => Object.assign(pay ?? {}, { domain_reported_malicious: true }));
      assert.deepEqual(await night(), ["opened: pay: a script counts as malicious", "red"]);
      listOther();
      rmSync(join(desk, file));
      pushed("main", "Another zone in place of pay");
      assert.deepEqual(await night(), ["opened: other: no policy is enforced", "red"]);
      const said = () => forge.board.issues.at(-1)?.body ?? "";
      assert.match(said(), /## Zones are no longer in zones\.yaml\n\n {4}pay, last checked on 20/);
      checkOut("page-guard-runs");
      const [day = ""] = readdirSync(join(desk, "reports"));
      const report = join(desk, "reports", day, "report.json");
      writeFileSync(report, readFileSync(report, "utf8").replace('"pay"', '"shop"'));
      pushed("page-guard-runs", "Edited");
      assert.deepEqual(await night(), ["commented: other: no policy is enforced", "red"]);
      assert.match(said(), /could not be looked for\n\n[^#]*it was edited later/);
    });

    it("given a link on the branch of the runs, then the jobs refuse it", async () => {
      assert.deepEqual(await week(), []);
      checkOut("page-guard-runs");
      const [line = assert.fail()] = readdirSync(join(desk, "runs"));
      rmSync(join(desk, "runs", line));
      symlinkSync("../../package.json", join(desk, "runs", line));
      pushed("page-guard-runs", "A link");
      for (const one of ["keep", "report"]) {
        const { code, output } = await job("report", one);
        assert.notEqual(code, 0, one);
        assert.match(output, /page-guard-runs may contain only files/, one);
      }
    });

    it("given a program in a folder of its repository, then lines and entries are kept", async () => {
      edit((zone) => zone.push(script(chat, 2)));
      for (const path of ["zones.yaml", "inventory"]) rmSync(join(desk, path), { recursive: true });
      const list = `- id: ${zoneId}\n  name: pay\n`;
      ci.furnish(join(desk, "infra/shop"), { "zones.yaml": list, [file]: approved });
      pushed("main", "In a folder");
      const { GUARD_READ_TOKEN, REPORT_RUNS_KEY } = ci.secrets.plan;
      const connection = { PAGE_GUARD_API_TOKEN: GUARD_READ_TOKEN, PAGE_GUARD_BASE_URL: sim.url };
      const reading = { ...connection, REPORT_RUNS_KEY };
      for (const _ of ["first", "second"]) {
        const workspace = join(ci.clone(), "infra/shop");
        await ci.line("npm ci --ignore-scripts", workspace, {});
        for (const line of ["inventory.sh zones.yaml", "keep.sh", "inventory-request.sh"]) {
          const env = line.includes("zones") ? reading : forge.github();
          const { code, output } = await ci.line(`sh node_modules/page-guard/ci/${line}`, workspace, env);
          assert.equal(code, 0, output);
        }
      }
      assert.match(ci.git(ci.remote, "show", `${branch}:infra/shop/${file}`), /pay\.js[\s\S]*c\.js/);
      assert.equal((await readLines()).length, 2);
    });

    it("given no list of zones, then the jobs do nothing", async () => {
      for (const path of ["zones.yaml", "inventory"]) rmSync(join(desk, path), { recursive: true });
      pushed("main", "No inventory");
      assert.deepEqual(await night(), []);
      assert.deepEqual(await week(), []);
    });

    function seed(): void {
      const policy = {
        description: "all",
        action: "allow",
        enabled: true,
        expression: "true",
        value: "script-src https:",
      };
      sim.zones.seed(zoneId, { settings: { enabled: true }, scripts, connections: [], policies: [policy] });
    }

    function edit(change: (scripts: Partial<ZoneScript>[]) => unknown): void {
      change(scripts);
      seed();
    }

    async function job(name: string, jobName = name): Promise<Line> {
      if (forgeName === "GitLab") {
        const ofGitlab = jobName === "request" ? "inventory request" : jobName === "keep" ? "keep" : name;
        return runGitlabJob(ci, ofGitlab, "main", { PAGE_GUARD_BASE_URL: sim.url });
      }
      const { code = 0, output } = await runGithubJob(ci, name, jobName, { name: "schedule" });
      return { code, output };
    }

    /** Runs a night's jobs. Returns the changes of issues and requests, and `red` if a job failed, of which the forge sends a mail. */
    async function night(): Promise<readonly string[]> {
      return sent(async () => {
        const ended = await job("inventory");
        const told = forgeName === "GitLab" ? await job("inventory issue") : ended;
        if (ended.code === 0) assert.equal(told.code, 0);
        return [ended, ...(await runWriters())].find(({ code }) => code !== 0) ?? ended;
      });
    }

    /** Runs the jobs that write to the repository. */
    async function runWriters(): Promise<readonly Line[]> {
      const kept = forgeName === "GitLab" ? await inTurn("inventory chain", "nightly keep") : [];
      return [...kept, await job("inventory", "request")];
    }

    /** Returns the lines on the branch of the runs, and verifies their chain. */
    async function readLines() {
      const folder = ci.clone();
      ci.git(folder, "checkout", "--quiet", "--detach", "origin/page-guard-runs");
      const { REPORT_RUNS_KEY } = ci.secrets.plan;
      const verify = ["report", "--verify", ".", "--key-env", "REPORT_RUNS_KEY"];
      const { code, out } = await pageGuard(verify, { cwd: folder, env: { REPORT_RUNS_KEY } });
      assert.equal(code, 0, out);
      const files = readdirSync(join(folder, "runs"));
      const lines = files.flatMap((name) =>
        readFileSync(join(folder, "runs", name), "utf8")
          .trim()
          .split("\n"),
      );
      return lines.map((line) => runSchema.parse(JSON.parse(line)));
    }

    async function inTurn(...names: readonly string[]): Promise<readonly Line[]> {
      const ended: Line[] = [];
      for (const name of names) ended.push(await job(name));
      return ended;
    }

    async function week(): Promise<readonly string[]> {
      return sent(async () => {
        const ended = await job("report");
        if (forgeName === "GitLab")
          for (const { code } of await inTurn("report issue", "report chain")) assert.equal(code, 0);
        assert.equal((await job("report", "keep")).code, 0);
        return ended;
      });
    }

    async function heartbeat(): Promise<readonly string[]> {
      return sent(() => job("heartbeat"));
    }

    async function sent(work: () => Promise<Line>): Promise<readonly string[]> {
      const { issues: list } = forge.board;
      const before = new Map(list.map((issue) => [issue.id, { ...issue, comments: issue.talk?.length }]));
      const requests = forge.board.requests.length;
      const { code } = await work();
      const issues = forge.board.issues.flatMap(({ id, title, isOpen, talk }) => {
        const then = before.get(id);
        if (then === undefined) return [`opened: ${title}`];
        if (then.isOpen && !isOpen) return [`closed: ${title}`];
        if (talk?.length !== then.comments) return [`commented: ${title}`];
        return then.title === title ? [] : [`edited: ${title}`];
      });
      const opened = forge.board.requests.length > requests ? ["request: opened"] : [];
      return [...issues, ...opened, ...(code === 0 ? [] : ["red"])];
    }

    /** Sets the last successful runs: of the named schedules `days` days ago, of the others today. */
    function setLastRuns(days: number, names: readonly string[] = []): void {
      for (const name of ["drift.yml", "inventory.yml", "report.yml", "nightly", "weekly"]) {
        const ended = daysAgo(names.includes(name) ? days : 0);
        forge.board.runs[name] = [{ ended, branch: "main", event: "schedule" }];
      }
    }

    /** Puts another zone, with its inventory, in the list in place of `pay`. */
    function listOther(): void {
      sim.zones.seed(other, { settings: { enabled: true }, scripts: [script(card, 1)], connections: [] });
      writeFileSync(join(desk, "zones.yaml"), `- id: ${other}\n  name: other\n`);
      writeFileSync(join(desk, "inventory/other.yaml"), approved);
    }

    function checkOut(name: string): void {
      ci.git(desk, "fetch", "--quiet", "--prune", "origin");
      ci.git(desk, "checkout", "--quiet", "--force", "--detach", `origin/${name}`);
    }

    function pushed(name: string, message: string): void {
      ci.git(desk, "add", "--all");
      ci.git(desk, "commit", "--quiet", "--message", message);
      ci.git(desk, "push", "--quiet", "origin", `HEAD:refs/heads/${name}`);
    }

    /** Edits the inventory on a branch like a person. */
    function editOnBranch(name: string, change: (text: string) => string, more = () => {}): void {
      checkOut(name);
      const path = join(desk, file);
      writeFileSync(path, change(existsSync(path) ? readFileSync(path, "utf8") : ""));
      more();
      pushed(name, "Fill in");
    }

    /** Squashes the branch of the request into main and deletes it. */
    function merged(): void {
      checkOut("main");
      ci.git(desk, "merge", "--quiet", "--squash", `origin/${branch}`);
      pushed("main", "Inventory");
      ci.git(desk, "push", "--quiet", "origin", "--delete", branch);
      for (const request of forge.board.requests) request.isOpen = false;
    }
  });
}

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * 86_400_000);
}

function script(url: string, hash: number): Partial<ZoneScript> {
  return {
    url,
    hash: hashOf(hash),
    status: "active",
    host: "shop.example.com",
    js_integrity_score: 90,
    first_page_url: "https://shop.example.com/checkout",
  };
}
