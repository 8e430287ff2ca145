import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
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
  const folder = mkdtempSync(join(tmpdir(), "page-guard-workflows-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Returns a PATH that begins with these programs, each a shell script. */
  const pathWith = (programs: Readonly<Record<string, string>>): string => {
    const bin = mkdtempSync(join(folder, "bin-"));
    for (const [name, lines] of Object.entries(programs))
      writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
    return `${bin}:${process.env["PATH"]}`;
  };

  /** Runs a script of the package for a stack, with these programs on its PATH and these variables. Returns its output. */
  const runScript = (
    name: string,
    programs: Readonly<Record<string, string>>,
    env: NodeJS.ProcessEnv = {},
    { cwd = folder, stack = "production" } = {},
  ): string =>
    execFileSync("sh", [join(scriptsOfPackage, name), stack], {
      ...{ cwd, encoding: "utf8" },
      env: { PATH: pathWith(programs), ...env },
    });
  const printArguments = 'printf "%s\\n" "$@"';
  const approveNothing = 'echo "{ \\"steps\\": [] }" > approved.json';

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
    assert.ok(
      guide.includes(`For one stack, you copy ${github} lines on GitHub, or ${onGitlab} on GitLab.`),
      `${github}, ${onGitlab}`,
    );
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
    for (const [name, job] of [
      ["report", "keep"],
      ["inventory", "request"],
    ] as const)
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

  it("keeps an issue about drift for each stack, so that a stack without drift does not close the issue of another", () => {
    const ofGithub = workflow("drift").jobs["drift"]?.steps.find(({ run }) => run?.includes("issue.sh"))?.run;
    writeFileSync(join(folder, "drift.md"), "");
    for (const line of [ofGithub ?? "", `${gitlab.jobs["issue"]?.script}`]) {
      const env = { PATH: pathWith({ npx: printArguments }), STACK: "staging" };
      const script = line.replace("node_modules/page-guard/ci", scriptsOfPackage);
      const args = execFileSync("sh", ["-c", script], { cwd: folder, env, encoding: "utf8" }).split("\n");
      assert.equal(args[args.indexOf("--key") + 1], "drift staging");
    }
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
    for (const [name, { artifacts }] of gitlabJobs)
      if (artifacts)
        assert.equal(
          Reflect.get(artifacts, "expire_in"),
          /^(preview|plan)/.test(name) ? "14 days" : "90 days",
          name,
        );
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
      assert.doesNotMatch(
        readFileSync(join(scriptsOfPackage, script), "utf8"),
        /npx (?!--no-install page-guard )/,
        script,
      );
    }
  });

  it("publishes the files of a release that are not published yet, by paths that npm does not take for a repository", () => {
    const release = parse(readFileSync(join(root, ".github/workflows/release.yml"), "utf8"));
    const { run } = release.jobs.publish.steps.find((step: Step) => step.run !== undefined);
    const npm =
      'case "$1 $2" in "view page-guard@1.2.3") echo 1.2.3 ;; view*) exit 1 ;; *) echo "$2" ;; esac';
    const env = { PATH: pathWith({ npm }), TAG: "v1.2.3" };
    const published = execFileSync("bash", ["-e", "-c", run], { env, encoding: "utf8" }).trim().split("\n");
    const expected = ["page-guard-csp", "pulumi-page-guard", "page-guard-simulator"];
    // `npm publish release/x.tgz` would fetch the repository release/x.tgz of GitHub.
    assert.deepEqual(
      published,
      expected.map((name) => `./release/${name}-1.2.3.tgz`),
    );
  });

  it("replaces the shell by the command that applies, because a forge that cancels a job signals only the shell", () => {
    const place = mkdtempSync(join(folder, "signal-"));
    mkdirSync(join(place, "node_modules/.bin"), { recursive: true });
    mkdirSync(join(place, "node_modules/page-guard"));
    cpSync(scriptsOfPackage, join(place, "node_modules/page-guard/ci"), { recursive: true });
    const env = { PATH: pathWith({ node: "echo $$", npx: "echo $$" }), STACK: "production" };
    writeFileSync(join(place, "node_modules/.bin/page-guard"), "#!/bin/sh\necho $$\n", { mode: 0o755 });
    const lines = [
      ...[workflow("apply"), workflow("fleet/apply")].map(({ jobs }) => jobs["apply"]?.steps.at(-1)?.run),
      ...[gitlab, gitlabFile("fleet")].map(({ jobs }) => [jobs["apply"]?.script].flat().at(-1)),
    ];
    for (const line of lines) {
      writeFileSync(join(place, "step.sh"), `${line}\n`);
      const { pid, stdout } = spawnSync("bash", ["-e", "step.sh"], { cwd: place, env, encoding: "utf8" });
      assert.equal(stdout, `${pid}\n`, line);
    }
  });

  it("passes the confirmation of a migration as one stack name, whatever was typed", () => {
    const given = (typed: string): string[] => {
      const env = { UNREVIEWED_MIGRATION: typed };
      const args = runScript("apply.sh", { node: printArguments }, env).trimEnd().split("\n");
      return args.slice(args.indexOf("20m") + 1).slice(0, 2);
    };
    assert.equal(given("")[0], "--");
    for (const [typed, word] of [
      ["production", "production"],
      ["production,unknown-zone", "production"],
      ["x --allow no-change", "x --allow no-change"],
    ] as const)
      assert.deepEqual(given(typed), ["--allow", `unreviewed-migration=${word}`]);
  });

  it("passes --refresh to the preview and to the update only if someone asks for it", () => {
    const command = `${printArguments}; ${approveNothing}`;
    const programs = { npm: "", npx: command, node: command };
    for (const script of ["plan.sh", "apply.sh"])
      for (const REFRESH of ["", "1"]) {
        const args = runScript(script, programs, { REFRESH }).split("\n");
        assert.equal(args.includes("--refresh"), REFRESH === "1", script);
      }
    assert.equal(gitlab.variables["REFRESH"], "");
  });

  it("replaces an undo folder of an earlier run, and says when there is nothing to apply", () => {
    const cwd = mkdtempSync(join(folder, "again-"));
    // Like the command, refuses a folder that exists.
    const npx = `while [ "$1" != --undo ]; do shift; done
if [ -e "$2" ]; then exit 1; fi
mkdir "$2"
echo "$RUN" > "$2/UNDO.md"
echo "{ \\"steps\\": $STEPS }" > approved.json`;
    for (const [RUN, STEPS, said] of [
      ["first", "[{}]", ""],
      ["second", "[]", "Nothing to do: leave the job apply as it is.\n"],
    ] as const) {
      assert.equal(runScript("plan.sh", { npm: "", npx }, { RUN, STEPS }, { cwd }), said);
      assert.equal(readFileSync(join(cwd, "undo/UNDO.md"), "utf8"), `${RUN}\n`);
    }
  });

  it("asks the forge's public API about the last runs if the CI sets no other address", () => {
    const curl = `for url; do :; done; echo "$url" > url.txt; echo '{ "workflow_runs": [] }'`;
    const PATH = pathWith({ curl, npx: "" });
    const github = { GITHUB_TOKEN: "the-token", GITHUB_REPOSITORY: "shop/infra" };
    const onGitlab = { GITLAB_TOKEN: "the-token", CI_PROJECT_ID: "7", CI_DEFAULT_BRANCH: "main" };
    const path = "/repos/shop/infra/actions/workflows/drift.yml/runs?";
    for (const [env, url] of [
      [github, `https://api.github.com${path}`],
      [{ ...github, GITHUB_API_URL: "https://git.example/v3" }, `https://git.example/v3${path}`],
      [onGitlab, "https://gitlab.com/api/v4/projects/7/pipelines?"],
    ] as const) {
      const heartbeat = [join(scriptsOfPackage, "heartbeat.sh"), "2", "drift.yml"];
      execFileSync("sh", heartbeat, { cwd: folder, env: { PATH, ...env } });
      assert.ok(readFileSync(join(folder, "url.txt"), "utf8").startsWith(url), url);
    }
  });

  it("gives no secrets of the job to the program's check, and to a program from outside", () => {
    const names = [
      ...["PAGE_GUARD_API_TOKEN", "PAGE_GUARD_APPROVAL_KEY", "GUARD_WRITE_TOKEN", "REPORT_RUNS_KEY"],
      ...["PULUMI_CONFIG_PASSPHRASE", "PULUMI_BACKEND_URL", "PULUMI_ACCESS_TOKEN", "PULUMI_ID_TOKEN"],
      ...["AWS_SECRET_ACCESS_KEY", "AWS_ID_TOKEN", "GITHUB_TOKEN", "GITLAB_TOKEN", "NODE_AUTH_TOKEN"],
    ];
    const secrets = Object.fromEntries(names.map((name) => [name, "secret"]));
    const others = { HOME: "/ci", HTTPS_PROXY: "http://proxy", npm_config_x: "--a 'b' \"c\"\nLANG=d $e" };
    for (const script of ["plan.sh", "preview.sh", "preview-without-secrets.sh"]) {
      const cwd = mkdtempSync(join(folder, "check-"));
      writeFileSync(join(cwd, "Pulumi.yaml"), "name: shop\n");
      const isOutside = script === "preview-without-secrets.sh";
      const see = "env >> seen.txt";
      const npx = isOutside ? see : approveNothing;
      runScript(script, { npm: see, npx, pulumi: see }, { ...secrets, ...others }, { cwd });
      const seen = readFileSync(join(cwd, "seen.txt"), "utf8");
      assert.doesNotMatch(seen, /=secret$/m, script);
      for (const [name, value] of Object.entries(others))
        assert.ok(seen.includes(`${name}=${value}\n`), name);
    }
  });

  it("keeps the lines of a night behind a line that somebody wrote in UTF-16", () => {
    const place = mkdtempSync(join(folder, "keep-"));
    const sh = (line: string) => execFileSync("sh", ["-ec", line], { cwd: place, encoding: "utf8" });
    const by = "git -c user.name=Ann -c user.email=ann@shop.example";
    const odd = Buffer.concat([Buffer.from("{}\n"), Buffer.from("{}\r\n", "utf16le")]);
    sh('git init -q --bare remote && git init -q && git remote add origin "$PWD/remote"');
    mkdirSync(join(place, "runs"));
    writeFileSync(join(place, "runs/2026-11.jsonl"), odd);
    sh(`git add runs && ${by} commit -qm "By hand" && git push -q origin HEAD:refs/heads/page-guard-runs`);
    mkdirSync(join(place, "kept/runs"), { recursive: true });
    sh("git rev-parse HEAD > kept/runs/unpacked.txt");
    writeFileSync(
      join(place, "kept/runs/2026-11.jsonl"),
      Buffer.concat([odd, Buffer.from('\n{"n":1}\n{"n":2}\n')]),
    );
    rmSync(join(place, "runs"), { recursive: true });
    sh(`sh ${join(scriptsOfPackage, "keep.sh")}`);
    const kept = sh("git -C remote show page-guard-runs:runs/2026-11.jsonl");
    assert.deepEqual(kept.split("\n").slice(-3), ['{"n":1}', '{"n":2}', ""]);
    assert.ok(kept.startsWith(`${odd}`));
  });

  it("passes the login token in a file and not as an argument, which other processes could read", () => {
    const PATH = pathWith({
      pulumi: 'printf "%s\\n" "$@" > args.txt; shift 6; cat "$(echo "$1" | sed s,file://,,)" > token.txt',
    });
    const place = mkdtempSync(join(folder, "login-"));
    execFileSync("sh", ["-c", `. ${join(scriptsOfPackage, "login.sh")}`], {
      cwd: place,
      env: { PATH, PULUMI_ORGANIZATION: "shop", PULUMI_USER: "ci", PULUMI_ID_TOKEN: "the-token" },
    });
    const args = readFileSync(join(place, "args.txt"), "utf8");
    assert.doesNotMatch(args, /the-token/);
    assert.equal(readFileSync(join(place, "token.txt"), "utf8"), "the-token");
  });

  it("removes secrets from the settings of a stack for the preview of a fork", () => {
    const settings = `encryptionsalt: v1:abc:def
"secretsprovider": >-
  awskms://alias/shop
config:
  page-guard:apiToken:
    secure: v1:one
  shop:zoneId: 00014e45fceea167a5a36dedd4bea2543
  shop:number: 007
  shop:hosts:
    - a.example
    - secure: v1:two
    -
      secure: v1:three # of the shop
    - { "secure": "v1:four" }
  shop:nested:
    key: &secret
      secure: >-
        v1:five
    again: *secret
    plain: 1
    secure: a word
`;
    const programs = { pulumi: "", npm: "", npx: 'cp "$STACK_SETTINGS" given.yaml' };
    const gone = "secret, not known here";
    for (const [stack, project, text, file] of [
      ["production", "Pulumi.yaml", "name: shop", "Pulumi.production.yaml"],
      ["shop-org/production", "Pulumi.yaml", "name: shop", "Pulumi.production.yaml"],
      ["production", "Pulumi.yml", "name: shop", "Pulumi.production.yml"],
      ["production", "Pulumi.yaml", "{ name: shop, stackConfigDir: a/b }", "a/b/Pulumi.production.yaml"],
      ["production", "Pulumi.yaml", "{ name: shop, config: a }", "a/Pulumi.production.yaml"],
    ] as const) {
      const cwd = mkdtempSync(join(folder, "fork-"));
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, project), text);
      writeFileSync(join(cwd, file), settings);
      runScript("preview-without-secrets.sh", programs, {}, { stack, cwd });
      // The preview gets a copy. The file in the repository stays unchanged.
      assert.equal(readFileSync(join(cwd, file), "utf8"), settings);
      assert.deepEqual(parse(readFileSync(join(cwd, "given.yaml"), "utf8"), { schema: "failsafe" }), {
        config: {
          "page-guard:apiToken": gone,
          "shop:zoneId": "00014e45fceea167a5a36dedd4bea2543",
          "shop:number": "007",
          "shop:hosts": ["a.example", gone, gone, gone],
          "shop:nested": { key: gone, again: gone, plain: "1", secure: "a word" },
        },
      });
    }
  });
});
