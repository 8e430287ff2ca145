import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../../..");
const pipelines = join(root, "examples/pipelines");
const gitlabFiles = ["gitlab/gitlab-ci.yml", "../fleet/pipelines/fleet.gitlab-ci.yml"] as const;

describe("examples/pipelines/gitlab", () => {
  const folder = mkdtempSync(join(tmpdir(), "page-guard-gitlab-"));
  before(() => {
    execFileSync("git", ["init", "--quiet", "--initial-branch=main"], { cwd: folder });
    execFileSync("git", ["remote", "add", "origin", "git@gitlab.example:shop/infra.git"], { cwd: folder });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Evaluates GitLab's rules for the `.gitlab-ci.yml` in the folder. */
  function gitlabList(...flags: readonly string[]) {
    // The linter needs a newer Node than this package, only because of this function.
    const union = "Set.prototype.union ??= function (other) { return new Set([...this, ...other]); };";
    const bin = join(root, "node_modules/gitlab-ci-local/dist/index.js");
    const script = `data:text/javascript,${encodeURIComponent(union)}`;
    const args = ["--import", script, bin, ...(flags.length === 0 ? ["--list"] : flags)];
    return spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  }

  it("has files that match GitLab's schema", () => {
    const file = join(folder, ".gitlab-ci.yml");
    for (const name of gitlabFiles) {
      copyFileSync(join(pipelines, name), file);
      const { status, stdout, stderr } = gitlabList();
      assert.equal(status, 0, stderr);
      assert.match(stdout, /\bplan\b/);
    }
    writeFileSync(file, `${readFileSync(file, "utf8")}  wrong: 1\n`);
    assert.match(gitlabList().stderr, /'wrong' property is not expected/);
  });

  it("has for a fleet one chain of jobs per pipeline, in which comment and issue also run after a failed job", () => {
    copyFileSync(join(pipelines, "../fleet/pipelines/fleet.gitlab-ci.yml"), join(folder, ".gitlab-ci.yml"));
    const jobsOf = (variables: Readonly<Record<string, string>>): readonly string[] => {
      const given = Object.entries(variables).map(([name, value]) => `--variable=${name}=${value}`);
      const list = ["--list-csv", "--ignore-predefined-vars=CI_PIPELINE_SOURCE"];
      const { stdout, stderr } = gitlabList(...list, ...given);
      const [, ...rows] = stdout.slice(stdout.indexOf("name;stage;")).trimEnd().split("\n");
      assert.ok(rows.length > 0, stdout + stderr);
      return rows.map((row) => {
        const [name, , when, , , needs] = row.split(";");
        return `${name} ${when} ${needs}`;
      });
    };
    const source = (name: string) => ({ CI_PIPELINE_SOURCE: name });
    const push = { ...source("push"), CI_COMMIT_BRANCH: "main", CI_DEFAULT_BRANCH: "main" };
    assert.deepEqual(jobsOf(push), ["plan on_success ", "apply manual [plan]"]);
    const after = ["drift is over on_success [drift]", "drift is there on_failure [drift]"];
    assert.deepEqual(jobsOf(source("schedule")), ["drift on_success ", ...after]);
    const own = { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "1", CI_MERGE_REQUEST_PROJECT_ID: "1" };
    const merge = jobsOf({ ...source("merge_request_event"), ...own });
    assert.deepEqual(merge, ["preview on_success ", "comment always [preview]"]);
  });
});
