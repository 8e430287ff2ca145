import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Simulator, startSimulator } from "../../provider/src/simulator";
import { type ForgeServer, startForge } from "../forge/forge-server";
import { newPlace } from "../real-engine/engine";
import { Ci, type Line } from "./support/ci";
import { runGithubJob } from "./support/github-job";
import { runGitlabJob } from "./support/gitlab-job";
import { type StateBucket, startStateBucket } from "./support/state-bucket";

const pipelines = resolve(__dirname, "../../examples/pipelines");
const zoneId = "8f14e45fceea167a5a36dedd4bea2543";

for (const forgeName of ["GitHub", "GitLab"] as const) {
  describe(`examples/pipelines on ${forgeName}: the report, each week`, () => {
    let sim: Simulator;
    let forge: ForgeServer;
    let bucket: StateBucket;
    let ci: Ci;

    before(async () => {
      sim = await startSimulator();
      forge = await startForge();
      bucket = await startStateBucket();
      ci = new Ci(await newPlace(), sim, forge, bucket);
      sim.zones.seed(zoneId, { scripts: [script("https://js.payments.example/pay.js")], policies: [] });
      push((desk) => {
        writeFileSync(join(desk, "package-lock.json"), '{ "lockfileVersion": 3, "packages": {} }');
        writeFileSync(join(desk, "package.json"), '{ "name": "shop" }');
        cpSync(join(pipelines, "shell"), join(desk, "pipelines"), { recursive: true });
      });
    });

    after(async () => {
      for (const token of ci?.hidden ?? []) assert.ok(!ci.said.includes(token), "a token was shown");
      assert.deepEqual(sim?.changing(), []);
      await sim?.stop();
      await forge?.stop();
      await bucket?.stop();
      if (ci) rmSync(ci.place.folder, { recursive: true, force: true });
    });

    it("keeps nothing without a list of zones; then a report, and each week one that is compared with the last one of main", async () => {
      assert.match(await week(), /There is no zones\.yaml, so no report is made/);
      push((desk) => writeFileSync(join(desk, "zones.yaml"), `- id: ${zoneId}\n  name: shop\n`));
      assert.match(await week(), /There is no earlier report to compare with/);
      keep(2, "main");
      // Of someone else's branch, and newer.
      keep(3, "elsewhere", Buffer.from("not a report"));
      // Of a fork whose branch has the same name. GitLab runs that in the project of the fork.
      if (forgeName === "GitHub") keep(4, "main", Buffer.from("not a report"), "pull_request");
      sim.dashboard.addScript(zoneId, script("https://chat.example/c.js"));
      assert.match(await week(), /Compared with the last report\./);
      const changes = JSON.stringify(report().changes);
      assert.match(changes, /chat\.example/);
      assert.doesNotMatch(changes, /js\.payments/);
    });

    it("says what was refused", async () => {
      const path = forgeName === "GitHub" ? /report\.yml\/runs/ : /\/jobs$/;
      forge.next(path, { status: 403 });
      const { code, output } = await job();
      assert.equal(code, 1);
      assert.match(output, /was answered with 403\. Check the token\./);
    });

    async function job(): Promise<Line> {
      if (forgeName === "GitLab") return runGitlabJob(ci, "report", "main", { PAGE_GUARD_BASE_URL: sim.url });
      const { code = 0, output } = await runGithubJob(ci, "report", "report", {
        name: "schedule",
        env: { PAGE_GUARD_BASE_URL: sim.url },
      });
      return { code, output };
    }

    async function week(): Promise<string> {
      const { code, output } = await job();
      assert.equal(code, 0, output);
      return output;
    }

    /** The folder that the job has kept. */
    function kept(): string {
      const folder = mkdtempSync(join(ci.folder, "kept-"));
      assert.ok(ci.fetch(forgeName === "GitHub" ? "report" : "gitlab report", folder));
      return forgeName === "GitHub" ? folder : join(folder, "report");
    }

    function report() {
      return JSON.parse(readFileSync(join(kept(), "report.json"), "utf8"));
    }

    /** As the forge has it a week later: GitHub as an archive of the folder's files, GitLab by their names. */
    function keep(run: number, branch: string, file?: Buffer, event = "schedule"): void {
      const folder = kept();
      if (forgeName === "GitHub") execFileSync("zip", ["-qr", "../report.zip", "."], { cwd: folder });
      const path = forgeName === "GitHub" ? "../report.zip" : "report.json";
      forge.board.reports.unshift({ run, branch, file: file ?? readFileSync(join(folder, path)) });
      const ended = new Date(0);
      const runs = forge.board.runs["report.yml"] ?? [];
      forge.board.runs["report.yml"] = [{ id: run, ended, branch, event }, ...runs];
    }

    function push(change: (desk: string) => void): void {
      const desk = ci.clone();
      change(desk);
      ci.git(desk, "add", "--all");
      ci.git(desk, "commit", "--quiet", "--message", "Change");
      ci.git(desk, "push", "--quiet", "origin", "HEAD:refs/heads/main");
    }
  });
}

function script(url: string) {
  return {
    url,
    status: "active",
    host: "shop.example.com",
    first_page_url: "https://shop.example.com/checkout",
  };
}
