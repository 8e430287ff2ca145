import assert from "node:assert/strict";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Simulator, startSimulator } from "../../simulator/src";
import { type ForgeServer, startForge } from "../command/forge/forge-server";
import { engine, newPlace, runPulumi } from "./real-engine/engine";
import { Ci } from "./support/ci";
import { type Event, runGithubJob } from "./support/github-job";
import { runGitlabJob } from "./support/gitlab-job";
import { type StateBucket, startStateBucket } from "./support/state-bucket";

const pipelines = resolve(__dirname, "../../examples/pipelines");
const zones = {
  "shop-test": "8f14e45fceea167a5a36dedd4bea2543",
  "shop-de": "c9f0f895fb98ab9159f51fd0297e236d",
};

const program = (host: string) => `
const pulumi = require("@pulumi/pulumi");
const { CspPolicy } = require("pulumi-page-guard");
new CspPolicy("checkout", {
  zoneId: ${JSON.stringify(zones)}[pulumi.getStack()],
  description: "checkout",
  action: "log",
  expression: "true",
  value: "script-src 'self' https://${host}",
});
`;

describe("On the engine: examples/fleet/pipelines, line by line", () => {
  let sim: Simulator;
  let forge: ForgeServer;
  let bucket: StateBucket;
  let ci: Ci;
  /** Ann's clone. */
  let desk: string;

  before(async () => {
    await engine();
    sim = await startSimulator();
    for (const id of Object.values(zones)) sim.zones.seed(id, { scripts: 0, connections: 0, cookies: 0 });
    forge = await startForge();
    bucket = await startStateBucket();
    ci = new Ci(await newPlace(), sim, forge, bucket);
    desk = ci.clone();
    const manifest = { name: "shop", version: "1.0.0", private: true };
    const lock = { ...manifest, lockfileVersion: 3, requires: true, packages: { "": manifest } };
    for (const [name, text] of [
      ["Pulumi.yaml", "name: shop\nmain: index.js\nruntime: nodejs\n"],
      ["package.json", JSON.stringify(manifest)],
      ["package-lock.json", JSON.stringify(lock)],
      [".gitignore", "node_modules\n"],
      [
        "zones.yaml",
        Object.entries(zones)
          .map(([name, id], at) => `- { id: "${id}", name: ${name}, wave: ${at + 1} }\n`)
          .join(""),
      ],
    ] as const)
      writeFileSync(join(desk, name), text);
    mkdirSync(join(desk, ".github/actions"), { recursive: true });
    cpSync(join(pipelines, "github/setup"), join(desk, ".github/actions/setup"), { recursive: true });
    const login = {
      ...{ PULUMI_BACKEND_URL: bucket.url, PULUMI_CONFIG_PASSPHRASE: "the passphrase of production" },
      ...{ ...bucket.logins, ...bucket.keysOf("writer") },
    };
    for (const name of Object.keys(zones)) {
      for (const args of [
        ["stack", "init", name, "--no-select"],
        ["config", "set", "page-guard:baseUrl", sim.url, "--stack", name],
      ]) {
        const place = { ...ci.place, project: desk };
        const { code, output } = await runPulumi(place, [...args, "--non-interactive"], login).ended;
        assert.equal(code, 0, output);
      }
    }
    push("main", "js.payments.example");
  });

  after(async () => {
    await sim?.stop();
    await forge?.stop();
    await bucket?.stop();
    if (ci) rmSync(ci.place.folder, { recursive: true, force: true });
  });

  afterEach("no token was shown, and no job has tried what its key does not allow", function () {
    for (const token of ci.hidden) assert.ok(!ci.said.includes(token), "a token was shown");
    if (this.currentTest?.state === "failed") process.stderr.write(ci.said);
    ci.said = "";
    assert.deepEqual(bucket.denied.splice(0), []);
  });

  const policies = () =>
    Object.values(zones).map((id) => sim.zone(id).policies.map(({ value }) => /https:\S+/.exec(value)?.[0]));
  const watched = () =>
    forge.board.issues.map(({ title, isOpen }) => `${isOpen ? "open" : "closed"}: ${title}`);

  it("on GitHub: one comment for all zones, an approval of both that is applied wave by wave, one issue at night", async () => {
    const job = async (
      name: string,
      jobName: string,
      expected: number,
      event: Event = {},
    ): Promise<string> => {
      const { code, output } = await runGithubJob(ci, `fleet/${name}`, jobName, event);
      assert.equal(code, expected, output);
      return output;
    };
    const from = { head: { repo: { full_name: "shop/infra" } }, user: { login: "ann" } };
    const pull: Event = {
      merge: { remote: ci.remote, branch: "main" },
      payload: { pull_request: { number: 7, ...from } },
    };
    await job("pull-request", "preview", 0, pull);
    await job("pull-request", "comment", 0, pull);
    assert.equal(forge.board.comments.length, 1);
    assert.match(forge.board.comments[0]?.body ?? "", /2 zones: 2 ok[\s\S]*the same in 2 zones/);

    assert.match(await job("apply", "plan", 2), /no protected environment production is visible/);
    forge.board.environments["production"] = {
      can_admins_bypass: false,
      protection_rules: [
        { type: "required_reviewers", prevent_self_review: true, reviewers: [{ type: "User" }] },
      ],
      deployment_branch_policy: { protected_branches: true },
    };
    await job("apply", "plan", 0);
    assert.deepEqual(policies(), [[], []]);
    assert.match(await job("apply", "apply", 0), /shop-test +1 +ok +applied\nshop-de +2 +ok +applied/);
    assert.deepEqual(policies(), [["https://js.payments.example"], ["https://js.payments.example"]]);

    await job("drift", "drift", 0);
    assert.deepEqual(watched(), []);
    const { id } = sim.dashboard.putPolicy(zones["shop-de"], { description: "By night", expression: "true" });
    await job("drift", "drift", 2);
    assert.deepEqual(watched(), ["open: Zones differ from their stacks"]);
    assert.match(forge.board.issues[0]?.body ?? "", /By night/);
    sim.dashboard.deletePolicy(zones["shop-de"], id);
    await job("drift", "drift", 0);
    assert.deepEqual(watched(), ["closed: Zones differ from their stacks"]);
  });

  it("on GitLab: the same", async () => {
    const job = async (name: string, expected = 0, branch = "main"): Promise<string> => {
      const { code, output } = await runGitlabJob(ci, name, branch, {}, "fleet");
      assert.equal(code, expected, output);
      return output;
    };
    push("chat", "js.gitlab.example");
    forge.board.comments.length = 0;
    forge.board.issues.length = 0;
    await job("preview", 0, "chat");
    await job("comment", 0, "chat");
    assert.equal(forge.board.comments.length, 1);
    assert.match(forge.board.comments[0]?.body ?? "", /2 zones: 2 ok/);
    push("main", "js.gitlab.example");
    await job("plan");
    assert.match(await job("apply"), /shop-test +1 +ok +applied\nshop-de +2 +ok +applied/);
    assert.deepEqual(policies(), [["https://js.gitlab.example"], ["https://js.gitlab.example"]]);
    sim.dashboard.putPolicy(zones["shop-de"], { description: "By night", expression: "true" });
    await job("drift", 2);
    await job("drift is there");
    assert.match(forge.board.issues[0]?.body ?? "", /By night/);
    await job("drift is over");
    assert.deepEqual(watched(), ["closed: Zones differ from their stacks"]);
  });

  function push(branch: string, host: string): void {
    writeFileSync(join(desk, "index.js"), program(host));
    ci.git(desk, "add", "--all");
    ci.git(desk, "commit", "--quiet", "--allow-empty", "--message", "Another program");
    ci.git(desk, "push", "--quiet", "origin", `HEAD:${branch}`);
  }
});
