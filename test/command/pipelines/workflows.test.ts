import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { action, type Job, type Step, workflow } from "../../engine/support/github-job";
import { type GitlabJob, gitlabFile } from "../../engine/support/gitlab-job";
import { faultsOf } from "./github-faults";

const root = resolve(__dirname, "../../..");
const pipelines = join(root, "examples/pipelines");
const scriptsOfPackage = join(root, "command/ci");
const names = readdirSync(join(pipelines, "github"))
  .filter((file) => file.endsWith(".yml"))
  .map((file) => file.replace(/\.yml$/, ""));
const textOf = (path: string): string => readFileSync(join(pipelines, path), "utf8");
const files = [...names.map((name) => `github/${name}.yml`), "github/setup/action.yml"];
const jobs: readonly (readonly [string, Job])[] = names.flatMap((name) =>
  Object.entries(workflow(name).jobs).map(([job, one]) => [`${name} ${job}`, one] as const),
);
const gitlab = gitlabFile();
const gitlabJobs = Object.entries(gitlab.jobs);
const runs = /(?:preview|plan|apply|preview-without-secrets)\.sh/;

describe("examples/pipelines", () => {
  it("and the release have workflows without faults, according to GitHub's parser", async () => {
    for (const file of files) assert.deepEqual(await faultsOf(file, textOf(file)), []);
    const release = ".github/workflows/release.yml";
    assert.deepEqual(await faultsOf(release, readFileSync(join(root, release), "utf8")), []);
    const wrong =
      "on: push\njobs: { a: { runs-on: x, environment: '$" + "{{ env.X }}', steps: [{ run: x, wiht: 1 }] } }";
    assert.deepEqual(await faultsOf("a.yml", wrong), [
      "a.yml (Line: 2, Col: 39): Unrecognized named-value: 'env'",
      "a.yml (Line: 2, Col: 73): Unexpected value 'wiht'",
    ]);
  });

  it("has as many lines to copy for one stack as the guide says, and at most 350", () => {
    const lines = (paths: readonly string[]) =>
      paths.reduce((sum, path) => sum + textOf(path).trimEnd().split("\n").length, 0);
    const github = lines(files);
    const onGitlab = lines(["gitlab/gitlab-ci.yml"]);
    assert.ok(github <= 350 && onGitlab <= 350, `${github}, ${onGitlab}`);
    const guide = readFileSync(join(root, "docs/pipelines.md"), "utf8");
    const said = `For one stack, you copy ${github} lines on GitHub, or ${onGitlab} on GitLab.`;
    assert.ok(guide.includes(said), said);
  });

  it("gives each job only the permissions that it needs", () => {
    const given = jobs.map(([name, { environment, permissions }]) => [name, [environment, permissions]]);
    const apply = { actions: "read", contents: "read", "id-token": "write" };
    assert.deepEqual(Object.fromEntries(given), {
      "apply apply": ["production", apply],
      "apply plan": ["plan", apply],
      "drift drift": ["plan", { contents: "read", "id-token": "write", issues: "write" }],
      "heartbeat heartbeat": [undefined, { actions: "read", contents: "read", issues: "write" }],
      "inventory inventory": ["plan", { contents: "read", issues: "write" }],
      "inventory request": [undefined, { contents: "write", "pull-requests": "write" }],
      "pull-request comment": [undefined, { contents: "read", "pull-requests": "write" }],
      "pull-request fork": [undefined, { contents: "read" }],
      "pull-request preview": [undefined, { contents: "read", "id-token": "write" }],
      "report keep": [undefined, { contents: "write" }],
      "report report": ["plan", { contents: "read", issues: "write" }],
    });
    for (const name of names) {
      const { on, permissions } = workflow(name);
      assert.deepEqual(permissions, {}, name);
      assert.doesNotMatch(JSON.stringify(on), /pull_request_target|workflow_run/, name);
    }
    for (const [name, { steps }] of jobs) {
      for (const { uses, with: given } of steps) {
        if (uses?.startsWith("actions/checkout@")) assert.equal(given?.["persist-credentials"], false, name);
      }
    }
    const { fork } = workflow("pull-request").jobs;
    assert.doesNotMatch(JSON.stringify(fork?.steps), /\$\{\{(?! vars\.REVIEW_DAYS )/);
  });

  it("gives the approval key only to jobs of plan and production, the write token only to jobs of production, and no secrets of main to pull requests", () => {
    for (const [name, { environment, steps }] of jobs) {
      const text = JSON.stringify(steps);
      assert.equal(/WRITE_TOKEN/.test(text), environment === "production", name);
      assert.equal(/APPROVAL_KEY/.test(text), /^apply /.test(name), name);
    }
    // On GitLab, the file passes no secrets to jobs. The environment of a job determines them.
    const ofGitlab = gitlabJobs.map(([name, { environment }]) => [name, environment?.name]);
    assert.deepEqual(Object.fromEntries(ofGitlab), {
      preview: undefined,
      comment: "notes",
      "preview from a fork": undefined,
      gate: "gate",
      plan: "plan",
      apply: "$ENVIRONMENT",
      drift: "plan",
      issue: "notes",
      inventory: "plan",
      "inventory issue": "notes",
      "inventory chain": "plan",
      "inventory request": "inventory",
      "nightly keep": "runs",
      report: "plan",
      keep: "runs",
      "report issue": "notes",
      "report chain": "plan",
      heartbeat: "notes",
    });
  });

  it("checks each scheduled workflow in the heartbeat, and gives no secrets to the job that pushes stored files", () => {
    const watched = workflow("heartbeat").jobs["heartbeat"]?.steps.flatMap(
      ({ run = "" }) => /heartbeat\.sh \d+ (\w+)\.yml$/.exec(run)?.[1] ?? [],
    );
    const scheduled = names.filter((name) => /"schedule"/.test(JSON.stringify(workflow(name).on)));
    assert.deepEqual(
      watched,
      scheduled.filter((name) => name !== "heartbeat"),
    );
    for (const [name, job] of Object.entries({ report: "keep", inventory: "request" }))
      assert.doesNotMatch(JSON.stringify(workflow(name).jobs[job]), /secrets\./);
  });

  it("gives the job's token to no command or job that runs the program, unless the token can only read", () => {
    for (const [name, { steps, permissions = {} }] of jobs) {
      const withToken = steps.filter(({ env = {} }) => "GITHUB_TOKEN" in env).map(({ run }) => run);
      for (const line of withToken) {
        assert.match(
          line ?? "",
          /^(?:sh node_modules\/page-guard\/ci\/(?:gate|issue|heartbeat|inventory-request|keep)\.sh|npx --no-install page-guard comment )/,
          name,
        );
      }
      if (!steps.some(({ run }) => runs.test(run ?? ""))) continue;
      const writes = Object.entries(permissions).filter(([, may]) => may === "write");
      // Only a login by OIDC is allowed.
      assert.deepEqual(
        writes.filter(([what]) => what !== "id-token"),
        [],
        name,
      );
    }
    for (const [name, { environment, script = [] }] of gitlabJobs) {
      if (!runs.test([script].flat().join("\n"))) continue;
      assert.ok(environment?.name !== "notes" && environment?.name !== "gate", name);
    }
    const { steps } = workflow("pull-request").jobs["comment"] ?? assert.fail();
    const checkout = steps.find(({ uses }) => uses?.startsWith("actions/checkout@"));
    assert.equal(checkout?.with?.["ref"], "$" + "{{ github.base_ref }}");
  });

  it("pins each action to one commit with its version in a comment, and the engine to one version", () => {
    const pinned = new Map<string, Set<string>>();
    for (const file of files) {
      for (const [, used = ""] of textOf(file).matchAll(/uses: (.*)/g)) {
        if (used === "./.github/actions/setup") continue;
        const [, name = "", commit] =
          /^([\w./-]+)@([0-9a-f]{40} # v\d+\.\d+\.\d+)$/.exec(used) ?? assert.fail(`${file}: ${used}`);
        pinned.set(name, (pinned.get(name) ?? new Set()).add(commit ?? ""));
      }
    }
    for (const [name, commits] of pinned) assert.equal(commits.size, 1, name);
    const engine = action().runs.steps.find(({ uses }) => uses?.startsWith("pulumi/actions@"));
    const version = String(engine?.with?.["pulumi-version"]);
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.equal(gitlab.default.image.name, `pulumi/pulumi-nodejs:${version}`);
  });

  it("sets the base URL in each workflow with a token of the service, so that no program sends the token elsewhere", () => {
    const fleet = readdirSync(join(root, "examples/fleet/pipelines/github")).map((file) => `fleet/${file}`);
    const all = [...names, ...fleet.map((file) => file.replace(/\.yml$/, ""))];
    const asking = all.filter((name) => JSON.stringify(workflow(name)).includes("PAGE_GUARD_API_TOKEN"));
    assert.ok(asking.length > 6, String(asking));
    for (const name of asking)
      assert.match(workflow(name).env?.["PAGE_GUARD_BASE_URL"] ?? "", /^\$\{\{ vars\.\w+ \}\}$/, name);
  });

  it("names stack and environment in one place", () => {
    for (const file of [...files, "gitlab/gitlab-ci.yml"]) {
      const lines = textOf(file)
        .split("\n")
        .filter((line) => /\bproduction\b/.test(line.replace(/#.*/, "")));
      const expected = [
        ...(/^ {2}STACK:/m.test(textOf(file)) ? [/^ {2}STACK: production$/] : []),
        ...(/^ {2}ENVIRONMENT:/m.test(textOf(file)) ? [/^ {2}ENVIRONMENT: (&environment )?production$/] : []),
      ];
      assert.equal(lines.length, expected.length, lines.join("\n"));
      lines.forEach((line, index) => {
        assert.match(line, expected[index] ?? /^$/, file);
      });
    }
    const usingStack = jobs.filter(([, { steps }]) => /\$STACK/.test(JSON.stringify(steps)));
    for (const [name] of usingStack) assert.ok(workflow(name.split(" ")[0] ?? "").env?.["STACK"], name);
  });

  it("cancels no apply, and runs applies of a stack one after the other; a copy for another stack does not wait", () => {
    for (const name of ["apply", "drift", "pull-request", "inventory", "report"]) {
      assert.deepEqual(workflow(name).concurrency, {
        group: "$" + "{{ github.workflow_ref }}",
        "cancel-in-progress": name.endsWith("pull-request"),
      });
    }
    // Jobs that push recorded runs run one at a time.
    const pushing = [workflow("inventory").jobs["request"], workflow("report").jobs["keep"]];
    for (const job of pushing)
      assert.deepEqual(job?.concurrency, { group: "page-guard-runs", "cancel-in-progress": false });
    for (const name of ["keep", "nightly keep"])
      assert.equal(Reflect.get(gitlab.jobs[name] ?? {}, "resource_group"), "page-guard-runs");
  });

  it("can be started by hand, and keeps the approved files as long as an approval may wait", () => {
    for (const name of ["apply", "drift", "heartbeat", "inventory", "report"]) {
      const { on } = workflow(name);
      assert.ok(typeof on === "object" && on !== null && "workflow_dispatch" in on, name);
    }
    const kept = jobs.flatMap(([, { steps }]) =>
      steps.filter(({ uses }) => uses?.startsWith("actions/upload-artifact@")),
    );
    const days = kept.map(({ with: given }) => [given?.["name"], given?.["retention-days"]]);
    const variable = "$" + "{{ vars.REVIEW_DAYS || 14 }}";
    assert.deepEqual(days.toSorted(), [
      ["approved", variable],
      ["inventory", 90],
      ["kept", 90],
      ["review", variable],
      ["review", variable],
      ["review", variable],
    ]);
    const plan = JSON.stringify(workflow("apply").jobs["plan"]?.steps);
    assert.match(plan, /"path":"review\.html\\nundo"/);
    assert.deepEqual(gitlab.jobs["plan"]?.artifacts?.paths, ["approved.json", "review.html", "undo"]);
    for (const [name, { artifacts }] of gitlabJobs) {
      const kept = /^(preview|plan)/.test(name) ? "14 days" : "90 days";
      if (artifacts) assert.equal(Reflect.get(artifacts, "expire_in"), kept, name);
    }
  });

  it("runs only single-line commands without text from outside, whose scripts exist", () => {
    const linesOf = (steps: readonly Step[]): readonly string[] => steps.flatMap(({ run = [] }) => run);
    const ofGithub = [...jobs.flatMap(([, { steps }]) => linesOf(steps)), ...linesOf(action().runs.steps)];
    const scriptsOf = ({ before_script = [], script = [] }: GitlabJob) => [before_script, script].flat();
    const ofGitlab = [gitlab.default, ...Object.values(gitlab.jobs)].flatMap(scriptsOf);
    const scripts = readdirSync(scriptsOfPackage);
    const line =
      /^(?:npm ci --ignore-scripts|test -z "\$POLICY_PACK" \|\| npm ci --ignore-scripts --prefix "\$POLICY_PACK"|npx --no-install page-guard comment --markdown [\w./]+|git fetch --quiet origin "[\w+/*:-]+"|test ! -e red|(?:(?:exec )?sh|\.) node_modules\/page-guard\/ci\/([\w-]+\.sh)(?: (?:"[\w $]+"|[\w./-]+))*(?: \|\| touch red)?)$/;
    const used = [...ofGithub, ...ofGitlab].map((one) => (line.exec(one) ?? assert.fail(one))[1]);
    assert.deepEqual(
      [...new Set(["environment.sh", "git.sh", ...used.filter((script) => script !== undefined)])].sort(),
      scripts.filter((file) => file.endsWith(".sh")).sort(),
    );
    for (const script of scripts.filter((file) => file.endsWith(".sh"))) {
      execFileSync("sh", ["-n", join(scriptsOfPackage, script)]);
      // npx would download a package of that name if it is not installed.
      const text = readFileSync(join(scriptsOfPackage, script), "utf8");
      assert.doesNotMatch(text, /npx (?!--no-install page-guard )/, script);
    }
  });
});
