import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { type Step, workflow } from "../../engine/support/github-job";
import { gitlabFile } from "../../engine/support/gitlab-job";

const root = resolve(__dirname, "../../..");
const scriptsOfPackage = join(root, "command/ci");
const gitlab = gitlabFile();

describe("The scripts of the pipelines", () => {
  const folder = mkdtempSync(join(tmpdir(), "page-guard-scripts-"));
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
      cwd,
      encoding: "utf8",
      env: { PATH: pathWith(programs), ...env },
    });
  const printArguments = 'printf "%s\\n" "$@"';
  const approveNothing = 'echo "{ \\"steps\\": [] }" > approved.json';

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
