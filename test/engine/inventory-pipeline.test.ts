import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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
const branch = "page-guard/inventory";
const file = "inventory/shop.yaml";

for (const forgeName of ["GitHub", "GitLab"] as const) {
  describe(`examples/pipelines on ${forgeName}: the inventory, each night`, () => {
    let sim: Simulator;
    let forge: ForgeServer;
    let bucket: StateBucket;
    let ci: Ci;
    /** Ann's clone. */
    let desk: string;

    before(async () => {
      sim = await startSimulator();
      forge = await startForge();
      bucket = await startStateBucket();
      ci = new Ci(await newPlace(), sim, forge, bucket);
    });

    after(async () => {
      await sim?.stop();
      await forge?.stop();
      await bucket?.stop();
      if (ci) rmSync(ci.place.folder, { recursive: true, force: true });
    });

    beforeEach(() => {
      sim.zones.seed(zoneId, { scripts: [script("https://js.payments.example/v3/pay.js")], policies: [] });
      forge.board.requests.length = 0;
      rmSync(ci.remote, { recursive: true, force: true });
      ci.git(ci.folder, "init", "--bare", "--quiet", "--initial-branch=main", ci.remote);
      desk = ci.clone();
      writeFileSync(join(desk, "package-lock.json"), '{ "lockfileVersion": 3, "packages": {} }');
      writeFileSync(join(desk, "package.json"), '{ "name": "shop" }');
      writeFileSync(join(desk, "zones.yaml"), `- id: ${zoneId}\n  name: shop\n`);
      cpSync(join(pipelines, "shell"), join(desk, "pipelines"), { recursive: true });
      pushed("main", "The shop");
    });

    afterEach("no token was shown, no zone was changed", function () {
      for (const token of ci.hidden) assert.ok(!ci.said.includes(token), "a token was shown");
      for (const kind of ["installation", "person"] as const)
        assert.ok(
          !ci.said.includes(forge.github(kind)["GITHUB_TOKEN"] ?? "?"),
          "a token of the forge was shown",
        );
      assert.deepEqual(sim.changing(), []);
      if (this.currentTest?.state === "failed") process.stderr.write(ci.said);
      ci.said = "";
    });

    it("opens one request for what is new, adds to it what comes later, and keeps what people write there", async () => {
      await night(/Opened /);
      assert.equal(forge.board.requests.length, 1);
      assert.match(forge.board.requests[0]?.body ?? "", /js\.payments\.example\/v3\/pay\.js/);
      assert.match(onBranch(branch), /match: "https:\/\/js\.payments\.example\/v3\/pay\.js"/);
      assert.throws(() => onBranch("main"));

      const first = ci.git(ci.remote, "rev-parse", branch);
      await night(/Nothing new\./);
      assert.equal(ci.git(ci.remote, "rev-parse", branch), first);

      people(branch, (text) => text.replace('purpose: ""', "purpose: card form # Ann"));
      sim.dashboard.addScript(zoneId, script("https://chat.example/c.js"));
      await night(/Edited /);
      assert.equal(forge.board.requests.length, 1);
      assert.match(onBranch(branch), /card form # Ann[\s\S]*chat\.example/);
      assert.match(forge.board.requests[0]?.body ?? "", /chat\.example/);
    });

    it("starts again from main once the request is merged as one commit, whatever became of its branch", async () => {
      await night(/Opened /);
      squash();
      people("main", (text) => text.replace('owner: ""', "owner: Ann"));
      await night(/Nothing new\./);
      sim.dashboard.addScript(zoneId, script("https://chat.example/c.js"));
      await night(/Opened /);
      assert.match(onBranch(branch), /owner: Ann[\s\S]*chat\.example/);
      assert.deepEqual(
        forge.board.requests.map(({ isOpen }) => isOpen),
        [false, true],
      );
    });

    it("takes what main has by now, and stops where that is in conflict with people's edits", async () => {
      await night(/Opened /);
      const other = join(desk, "inventory/blog.yaml");
      ci.git(desk, "checkout", "--quiet", "main");
      mkdirSync(join(desk, "inventory"), { recursive: true });
      writeFileSync(other, "- match: https://blog.example/b.js\n");
      pushed("main", "Another inventory");
      sim.dashboard.addScript(zoneId, script("https://chat.example/c.js"));
      await night(/Edited /);
      assert.equal(
        ci.git(ci.remote, "show", `${branch}:inventory/blog.yaml`),
        "- match: https://blog.example/b.js\n",
      );

      people("main", () => "- match: https://else.example/\n");
      const before = ci.git(ci.remote, "rev-parse", branch);
      const { code, output } = await job();
      assert.notEqual(code, 0);
      assert.match(output, /main cannot be merged into page-guard\/inventory\. Merge it there by hand/);
      assert.equal(ci.git(ci.remote, "rev-parse", branch), before);
    });

    it("adds what could be read of the other zones, and fails", async () => {
      writeFileSync(
        join(desk, "zones.yaml"),
        `- { id: ${zoneId}, name: shop }\n- { id: ${"b".repeat(32)}, name: gone }\n`,
      );
      pushed("main", "Another zone");
      const { code, output } = await job();
      assert.notEqual(code, 0);
      assert.match(output, /Opened .*\n.*Not all zones could be read/);
      assert.match(onBranch(branch), /pay\.js/);
    });

    it("does nothing where there is no list of zones", async () => {
      rmSync(join(desk, "zones.yaml"));
      pushed("main", "No inventory");
      await night(/There is no zones\.yaml, so no inventory is kept\.\n[\s\S]*Nothing new\./);
      assert.deepEqual(forge.board.requests, []);
    });

    it("runs nothing of the branch, and follows no link in it", async () => {
      await night(/Opened /);
      people(
        branch,
        (text) => text,
        () => {
          for (const name of readdirSync(join(desk, "pipelines")))
            writeFileSync(join(desk, "pipelines", name), "exit 77\n");
        },
      );
      sim.dashboard.addScript(zoneId, script("https://chat.example/c.js"));
      await night(/Edited /);
      people(
        branch,
        (text) => text,
        () => symlinkSync("../zones.yaml", join(desk, "inventory/zones.yaml")),
      );
      const { code, output } = await job();
      assert.notEqual(code, 0);
      assert.match(output, /may hold files only/);
    });

    async function job(): Promise<Line> {
      if (forgeName === "GitLab")
        return runGitlabJob(ci, "inventory", "main", { PAGE_GUARD_BASE_URL: sim.url });
      const { code = 0, output } = await runGithubJob(ci, "inventory", "inventory", {
        name: "schedule",
        env: { PAGE_GUARD_BASE_URL: sim.url },
      });
      return { code, output };
    }

    async function night(said: RegExp): Promise<void> {
      const { code, output } = await job();
      assert.equal(code, 0, output);
      assert.match(output, said);
    }

    function onBranch(name: string): string {
      return ci.git(ci.remote, "show", `${name}:${file}`);
    }

    function pushed(name: string, message: string): void {
      ci.git(desk, "add", "--all");
      ci.git(desk, "commit", "--quiet", "--message", message);
      ci.git(desk, "push", "--quiet", "origin", `HEAD:refs/heads/${name}`);
    }

    /** Someone edits the inventory on a branch. */
    function people(name: string, edit: (text: string) => string, more = () => {}): void {
      ci.git(desk, "fetch", "--quiet", "origin");
      ci.git(desk, "checkout", "--quiet", "--force", "--detach", `origin/${name}`);
      const path = join(desk, file);
      writeFileSync(path, edit(existsSync(path) ? readFileSync(path, "utf8") : ""));
      more();
      pushed(name, "Fill in");
      ci.git(desk, "checkout", "--quiet", "--force", "-B", "main", "origin/main");
      if (name === "main") ci.git(desk, "pull", "--quiet", "origin", "main");
    }

    function squash(): void {
      ci.git(desk, "fetch", "--quiet", "origin");
      ci.git(desk, "checkout", "--quiet", "-B", "main", "origin/main");
      ci.git(desk, "merge", "--quiet", "--squash", `origin/${branch}`);
      pushed("main", "Inventory");
      for (const request of forge.board.requests) request.isOpen = false;
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
