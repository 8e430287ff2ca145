import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Simulator, startSimulator } from "../../provider/src/simulator";
import { eventOf, PlayedPulumi } from "../cli/support/played-pulumi";
import { Ci } from "../engine/support/ci";
import { runGithubJob, workflow } from "../engine/support/github-job";
import { gitlabFile, runGitlabJob } from "../engine/support/gitlab-job";
import { type StateBucket, startStateBucket } from "../engine/support/state-bucket";
import { type ForgeServer, startForge } from "../forge/forge-server";

const pipelines = resolve(__dirname, "../../examples/pipelines");
const machines = [1, 2] as const;
// The first machine has a and c, the second one b and d.
const waves = { a: 1, b: 1, c: 2, d: 3 };
const idOf = (name: string): string => name.repeat(32);
const asking = {
  can_admins_bypass: false,
  protection_rules: [
    {
      type: "required_reviewers",
      prevent_self_review: true,
      reviewers: [{ type: "User", reviewer: { login: "bob" } }],
    },
  ],
  deployment_branch_policy: { protected_branches: true },
};

for (const forgeName of ["GitHub", "GitLab"] as const) {
  describe(`examples/pipelines on ${forgeName}: a fleet on two machines`, () => {
    let sim: Simulator;
    let forge: ForgeServer;
    let bucket: StateBucket;
    let pulumi: PlayedPulumi;
    let ci: Ci;
    let seen = 0;

    before(async () => {
      sim = await startSimulator();
      forge = await startForge();
      bucket = await startStateBucket();
      const folder = mkdtempSync(join(tmpdir(), "page-guard-fleet-ci-"));
      pulumi = new PlayedPulumi({ folder });
      const env = { ...pulumi.env, HOME: folder, TMPDIR: folder, PULUMI_HOME: folder, NO_COLOR: "1" };
      ci = new Ci({ folder, project: folder, pulumiHome: folder, backend: folder, env }, sim, forge, bucket);
      for (const name of Object.keys(waves)) sim.zones.seed(idOf(name), { policies: [] });
      forge.board.environments["production"] = asking;
      const desk = ci.clone();
      const zones = Object.entries(waves).map(
        ([name, wave]) => `- { id: "${idOf(name)}", name: ${name}, wave: ${wave} }\n`,
      );
      writeFileSync(join(desk, "zones.yaml"), zones.join(""));
      writeFileSync(join(desk, "package-lock.json"), '{ "lockfileVersion": 3, "packages": {} }');
      writeFileSync(join(desk, "package.json"), '{ "name": "shops" }');
      cpSync(join(pipelines, "shell"), join(desk, "pipelines"), { recursive: true });
      mkdirSync(join(desk, ".github/actions"), { recursive: true });
      cpSync(join(pipelines, "github/setup"), join(desk, ".github/actions/setup"), { recursive: true });
      ci.git(desk, "add", "--all");
      ci.git(desk, "commit", "--quiet", "--message", "Begin");
      ci.git(desk, "push", "--quiet", "origin", "HEAD:refs/heads/main", "HEAD:refs/heads/feature");
      const inputs = {
        description: "checkout",
        action: "log",
        expression: "true",
        value: "script-src 'self'",
      };
      const urn = "urn:pulumi:@stack@::fleet::pulumi-nodejs:dynamic/page-guard:CspPolicy::csp";
      pulumi.previews(eventOf("create", urn, { zoneId: idOf("@stack@"), ...inputs }));
      pulumi.remembers([]);
      pulumi.remembersUpdates();
      const settings = {
        ...{ urn: "urn:pulumi:@stack@::fleet::pulumi-nodejs:dynamic/page-guard:PageGuardSettings::watch" },
        ...{ type: "pulumi-nodejs:dynamic/page-guard:PageGuardSettings", id: idOf("@stack@"), custom: true },
        inputs: { zoneId: idOf("@stack@"), enabled: sim.zone(idOf("a")).settings.enabled },
      };
      pulumi.exports(JSON.stringify({ version: 3, deployment: { manifest: {}, resources: [settings] } }));
    });

    after(async () => {
      for (const token of ci?.hidden ?? []) assert.ok(!ci.said.includes(token), "a token was shown");
      assert.deepEqual(bucket?.denied, []);
      await sim?.stop();
      await forge?.stop();
      await bucket?.stop();
      if (ci) rmSync(ci.place.folder, { recursive: true, force: true });
    });

    it("previews each zone on one machine, and has one comment for all", async () => {
      const parts = [];
      for (const machine of machines) {
        assert.equal((await job("pull-request", "preview", machine)).code, 0, ci.said);
        parts.push(stacks("preview"));
      }
      assert.deepEqual(parts, [
        ["a", "c"],
        ["b", "d"],
      ]);
      const { code, output } = await job("pull-request", "comment");
      assert.equal(code, 0, output);
      const [{ body = "" } = {}, ...more] = forge.board.comments;
      assert.deepEqual(more, []);
      for (const name of Object.keys(waves)) assert.match(body, new RegExp(`\\| \`${name}\` \\|`));
    });

    it("applies what each machine has planned, and begins a wave when all machines have done the one before; rest does all later ones", async () => {
      for (const machine of machines) assert.equal((await job("apply", "plan", machine)).code, 0, ci.said);
      assert.equal((await job("apply", "review")).code, 0, ci.said);
      stacks("up");

      const one = forgeName === "GitHub" ? "wave-1" : "wave 1";
      const two = forgeName === "GitHub" ? "wave-2" : "wave 2";
      assert.equal((await job("apply", one, 1)).code, 0, ci.said);
      assert.deepEqual(stacks("up"), ["a"]);
      // As someone could start it by hand: the other machine has not applied b.
      const early = await job("apply", two, 1);
      assert.equal(early.code, 2, early.output);
      assert.match(early.output, /c +2 +look +waits: b is not done/);
      // GitHub starts no job of the next wave then.
      if (forgeName === "GitHub") assert.equal((await job("apply", "rest", 2)).code, undefined);
      assert.deepEqual(stacks("up"), []);

      assert.equal((await job("apply", one, 2)).code, 0, ci.said);
      assert.deepEqual(stacks("up"), ["b"]);
      for (const machine of machines) assert.equal((await job("apply", two, machine)).code, 0, ci.said);
      assert.deepEqual(stacks("up"), ["c"], "the second machine has no zone in this wave");

      const inputs = { "unreviewed-migration": "d" };
      const [first, second] = [await job("apply", "rest", 1), await job("apply", "rest", 2, inputs)];
      assert.deepEqual([first.code, second.code], [0, 0], ci.said);
      assert.match(first.output, /a +1 +ok +done already\nc +2 +ok +done already\n/);
      assert.match(second.output, /b +1 +ok +done already\nd +3 +ok +applied\n/);
      assert.deepEqual(stacks("up"), ["d"]);
      assert.equal(pulumi.lastEnv()["UNREVIEWED_MIGRATION"], "d");
    });

    it("given another machine's plan in place of its own, then a machine applies nothing", async () => {
      const folder = mkdtempSync(join(ci.folder, "swapped-"));
      assert.ok(ci.fetch(forgeName === "GitHub" ? "approved-2" : "gitlab plan 2", folder));
      const from = join(folder, forgeName === "GitHub" ? "" : "fleet", "2-of-2/approved");
      const to = join(folder, forgeName === "GitHub" ? "" : "fleet", "1-of-2/approved");
      cpSync(from, to, { recursive: true });
      ci.keep(forgeName === "GitHub" ? "approved-1" : "gitlab plan 1", folder, ["1-of-2", "fleet"]);
      const { code, output } = await job("apply", forgeName === "GitHub" ? "wave-1" : "wave 1", 1);
      assert.equal(code, 2, output);
      assert.match(output, /a +1 +look +not approved: the manifest does not have it/);
      assert.deepEqual(stacks("up"), []);
    });

    it("each night: has one issue for the drift of all machines, which a machine that cannot check leaves open", async () => {
      const issues = () =>
        forge.board.issues.map(({ title, isOpen }) => `${isOpen ? "open" : "closed"}: ${title}`);
      const night = async (): Promise<readonly (number | undefined)[]> => {
        const codes: (number | undefined)[] = [];
        for (const machine of machines) codes.push((await job("drift", "drift", machine)).code);
        assert.equal((await job("drift", "issue")).code, 0, ci.said);
        return codes;
      };
      // Of a calm night without an issue: test/cli/forge.test.ts.
      const { id } = sim.dashboard.putPolicy(idOf("b"), { description: "Landing page", expression: "true" });
      assert.deepEqual(await night(), [0, 0]);
      assert.deepEqual(issues(), ["open: Drift in fleet"]);
      assert.match(forge.board.issues[0]?.body ?? "", /b +1 +look +1 difference/);
      sim.dashboard.deletePolicy(idOf("b"), id);
      sim.faults.add({ kind: "status", status: 403, zoneId: idOf("c") });
      assert.deepEqual(await night(), [1, 0]);
      assert.deepEqual(issues(), ["open: Drift in fleet"]);
      assert.match(forge.board.issues[0]?.body ?? "", /c +2 +FAILED/);
      assert.doesNotMatch(forge.board.issues[0]?.body ?? "", /difference/);
      sim.faults.clear();
      assert.deepEqual(await night(), [0, 0]);
      assert.deepEqual(issues(), ["closed: Drift in fleet"]);
    });

    async function job(
      name: string,
      jobName: string,
      machine: number = 1,
      inputs: Readonly<Record<string, string>> = {},
    ): Promise<{ readonly code: number | undefined; readonly output: string }> {
      const env = { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_SERVICE: "page_guard" };
      const isRequest = name === "pull-request";
      if (forgeName === "GitLab") {
        const node = { CI_NODE_INDEX: `${machine}`, CI_NODE_TOTAL: `${machines.length}` };
        // What someone types who starts the job by hand.
        const typed = { UNREVIEWED_MIGRATION: inputs["unreviewed-migration"] };
        const given = { ...env, ...node, ...typed };
        return runGitlabJob(ci, jobName, isRequest ? "feature" : "main", given, "fleet.gitlab-ci");
      }
      const repository = { full_name: "shop/infra" };
      return runGithubJob(ci, `fleet/${name}`, jobName, {
        ...{ env, inputs },
        machine: [machine, machines.length],
        ...(isRequest && {
          merge: { remote: ci.remote, branch: "feature" },
          payload: { pull_request: { number: 7, head: { repo: repository }, user: { login: "ann" } } },
        }),
      });
    }

    /** Those that the command has run for since the last question. */
    function stacks(command: "preview" | "up"): string[] {
      const calls = pulumi.calls();
      const fresh = calls.slice(seen).filter((call) => call.startsWith(`${command} `));
      seen = calls.length;
      return [...new Set(fresh.map((call) => /--stack[= ](\w+)/.exec(call)?.[1] ?? call))].sort();
    }
  });
}

describe("The machines of a fleet", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-machines-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("are as many in each job of a workflow, cut each other off in none, and share the limit of the token", () => {
    for (const name of ["fleet/pull-request", "fleet/apply", "fleet/drift"]) {
      const parts = Object.values(workflow(name).jobs).filter(({ steps }) =>
        steps.some(({ run }) => run?.includes("fleet.sh")),
      );
      for (const { strategy } of parts) {
        assert.deepEqual(strategy?.matrix.shard, [1, 2, 3, 4], name);
        assert.equal(strategy["fail-fast"], false, name);
      }
    }
    const ofGitlab = Object.values(gitlabFile("fleet.gitlab-ci").jobs);
    for (const { parallel, script = "" } of ofGitlab)
      assert.equal(parallel, [script].flat().join().includes("fleet.sh") ? 4 : undefined);
    writeFileSync(join(folder, "npx"), '#!/bin/sh\nshift 2\necho "$*"\n', { mode: 0o755 });
    writeFileSync(join(folder, "npm"), "#!/bin/sh\n", { mode: 0o755 });
    for (const [what, expected] of [
      [
        "preview",
        "fleet preview --zones z --shard 3/4 --share 1/4 --max-impact 0 --markdown fleet/3-of-4/review.md",
      ],
      [
        "wave-12",
        "fleet apply --zones z --shard 3/4 --share 1/4 --approved fleet/3-of-4/approved --wait 20 --wave 12",
      ],
      ["rest", "fleet apply --zones z --shard 3/4 --share 1/4 --approved fleet/3-of-4/approved --wait 20"],
    ] as const) {
      const env = { PATH: `${folder}:${process.env["PATH"]}`, ZONES: "z", SHARD: "3/4" };
      const script = join(pipelines, "shell/fleet.sh");
      assert.equal(
        execFileSync("sh", [script, what], { cwd: folder, env, encoding: "utf8" }),
        `${expected}\n`,
      );
    }
  });

  it("leave drift for one issue, and fail only where a zone could not be checked", () => {
    for (const [ended, code, left] of [
      [0, 0, "no-drift.txt"],
      [2, 0, "drift.txt"],
      [1, 1, "drift.txt"],
    ] as const) {
      writeFileSync(join(folder, "npx"), `#!/bin/sh\necho table\nexit ${ended}\n`, { mode: 0o755 });
      const env = {
        PATH: `${folder}:${process.env["PATH"]}`,
        ZONES: "z",
        CI_NODE_INDEX: "1",
        CI_NODE_TOTAL: "2",
      };
      const { status } = spawnSync("sh", [join(pipelines, "shell/fleet.sh"), "drift"], { cwd: folder, env });
      assert.equal(status, code);
      assert.equal(readFileSync(join(folder, "fleet/1-of-2", left), "utf8"), "table\n");
      rmSync(join(folder, "fleet"), { recursive: true });
    }
  });

  it("given one that left nothing, then the comment and the issue name it, and no issue is closed", () => {
    put("1-of-2/no-drift.txt", "fine\n");
    joined();
    assert.equal(read("drift.txt"), "Machine 2 of 2 left no result: its job says why.");
    put("2-of-2/no-drift.txt", "fine\n");
    joined();
    assert.equal(read("drift.txt"), "");
    put("2-of-2/drift.txt", "b  look\n");
    put("2-of-2/review.md", review("b", ""));
    joined();
    assert.equal(read("drift.txt"), "b  look\n");
    assert.match(read("review.md"), /\*\*Machine 1 of 2 left no result: its job says why\.\*\*/);
  });

  it("given irreversible steps on one of them, then they come first of all; and there are changes where any has some", () => {
    put("1-of-2/review.md", review("a", ""));
    put("1-of-2/approved/manifest.json", '{ "stacks": [{ "isUnchanged": true }] }');
    put("2-of-2/review.md", review("b", "### Cannot be undone\n\n- **b**: waf, stage finished\n\n"));
    put("2-of-2/approved/manifest.json", '{ "stacks": [] }');
    joined();
    assert.equal(
      read("review.md"),
      "<!-- page-guard:review fleet -->\n## Fleet: preview\n\n**1 zone: a**\n\n**1 zone: b**\n\n### Cannot be undone\n\n- **b**: waf, stage finished\n\n### Zones\n\n| a |\n\n### Zones\n\n| b |\n",
    );
    assert.equal(read("output"), "changes=false\n");
    put("2-of-2/approved/manifest.json", '{ "stacks": [{ "isUnchanged": false }] }');
    joined();
    assert.equal(read("output"), "changes=false\nchanges=true\n");
  });

  function review(name: string, undone: string): string {
    return `<!-- page-guard:review fleet -->\n## Fleet: preview\n\n**1 zone: ${name}**\n\n${undone}### Zones\n\n| ${name} |\n`;
  }

  function put(path: string, text: string): void {
    const file = join(folder, "fleet", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  function read(path: string): string {
    return readFileSync(join(folder, path), "utf8");
  }

  function joined(): void {
    const env = { PATH: process.env["PATH"], GITHUB_OUTPUT: join(folder, "output") };
    execFileSync("sh", [join(pipelines, "shell/fleet-join.sh")], { cwd: folder, env });
  }
});
