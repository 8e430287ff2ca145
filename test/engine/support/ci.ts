import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { type Simulator, startSimulator } from "../../../simulator/src";
import { type ForgeServer, startForge } from "../../command/forge/forge-server";
import { writeFiles } from "../consumers/support/installation";
import { engine, lightly, newPlace, type Place, runPulumi } from "../real-engine/engine";
import { type StateBucket, startStateBucket } from "./state-bucket";

const root = resolve(__dirname, "../../..");

export interface Ran {
  /** Exit code of the first line that failed, else 0. Undefined if the condition of the job was not met. */
  readonly code: number | undefined;
  readonly output: string;
  readonly summary: string;
}

export interface Line {
  readonly code: number;
  readonly output: string;
}

/** Secrets of the GitHub repository and of its environments, as docs/pipelines.md lists them. */
export interface Secrets {
  readonly repository: Readonly<Record<string, string>>;
  readonly plan: Readonly<Record<string, string>>;
  readonly production: Readonly<Record<string, string>>;
}

export const manifest = { name: "shop", version: "1.0.0", private: true };

export function lockOf(packages: object): string {
  return JSON.stringify({ ...manifest, lockfileVersion: 3, requires: true, packages });
}

const writeToken = "GUARD_WRITE_TOKEN";
const branchOfRequest = "page-guard/inventory";

/**
 * A small CI: takes the lines of a workflow from its file and runs each in a shell like GitHub and GitLab do, in a fresh
 * clone, and only with the environment that the file defines. The state is in a bucket. A job logs in with a role and gets
 * the role's key for the bucket.
 */
export class Ci {
  /** The folder of each artefact, by its name. */
  readonly #artefacts = new Map<string, string>();
  readonly secrets: Secrets;
  readonly folder: string;
  readonly remote: string;
  /** Replaces npm and npx, which take most of a second to find a command, or to find that nothing is to be installed. */
  readonly #quickNpm: string;
  #hasMetNpx = false;
  /** The output of all jobs of a test. */
  said = "";
  /** Ann's clone. */
  readonly desk: string;

  /** Starts a CI with empty zones. The project with these files is in Ann's clone, and not pushed yet. */
  static async begin(zones: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<Ci> {
    await engine();
    const sim = await startSimulator();
    for (const id of zones) sim.zones.seed(id, { scripts: 0, connections: 0, cookies: 0 });
    const ci = new Ci(await newPlace(), sim, await startForge(), await startStateBucket());
    ci.furnish(ci.desk, {
      "Pulumi.yaml": "name: shop\nmain: index.js\nruntime: nodejs\n",
      ".gitignore": "node_modules\n",
      ...files,
    });
    return ci;
  }

  /** Starts a CI for jobs that run no engine. */
  static async withoutEngine(): Promise<Ci> {
    const folder = mkdtempSync(join(tmpdir(), "page-guard-ci-"));
    const env = { ...process.env, HOME: folder, TMPDIR: folder, PULUMI_HOME: folder, NO_COLOR: "1" };
    const place = { folder, project: folder, pulumiHome: folder, backend: folder, env };
    return new Ci(place, await startSimulator(), await startForge(), await startStateBucket());
  }

  /** Writes the files that all jobs need, and these files, into a clone. */
  furnish(clone: string, files: Readonly<Record<string, string>>): void {
    const needed = {
      "package.json": JSON.stringify(manifest),
      "package-lock.json": lockOf({ "": manifest }),
    };
    writeFiles(clone, { ...needed, ...files });
    const setup = join(root, "examples/pipelines/github/setup");
    cpSync(setup, join(clone, ".github/actions/setup"), { recursive: true });
  }

  /** Stops everything that it has started. */
  async end(): Promise<void> {
    await Promise.all([this.sim.stop(), this.forge.stop(), this.bucket.stop()]);
    rmSync(this.place.folder, { recursive: true, force: true });
  }

  /** Checks after each test that no token was shown, and that no job exceeded the rights of its key. */
  judge({ currentTest }: Mocha.Context): void {
    for (const token of this.hidden) assert.ok(!this.said.includes(token), "a token was shown");
    if (currentTest?.state === "failed") process.stderr.write(this.said);
    this.said = "";
    assert.deepEqual(this.bucket.denied.splice(0), []);
  }

  /** Runs the engine in Ann's clone, with a key that may write. */
  async ann(...args: readonly string[]): Promise<void> {
    const place = { ...this.place, project: this.desk };
    const { PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE } = this.secrets.repository;
    const env = { PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE, ...this.bucket.logins };
    const keys = this.bucket.keysOf("writer");
    const { code, output } = await runPulumi(place, [...args, "--non-interactive"], { ...env, ...keys })
      .ended;
    assert.equal(code, 0, output);
  }

  /** Commits this program and everything else in Ann's clone. */
  commit(text: string): void {
    writeFileSync(join(this.desk, "index.js"), text);
    this.git(this.desk, "add", "--all");
    this.git(this.desk, "commit", "--quiet", "--allow-empty", "--message", "Another program");
  }

  push(branch = "main"): void {
    this.git(this.desk, "push", "--quiet", "origin", `HEAD:${branch}`);
  }

  constructor(
    readonly place: Place,
    readonly sim: Simulator,
    readonly forge: ForgeServer,
    readonly bucket: StateBucket,
  ) {
    this.folder = join(place.folder, "ci");
    this.remote = join(this.folder, "shop.git");
    mkdirSync(this.folder);
    // The clones below this folder find here the packages that `npm ci` would install.
    symlinkSync(join(root, "node_modules"), join(this.folder, "node_modules"));
    this.#quickNpm = join(this.folder, "bin");
    const real = execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim();
    const found = join(root, "node_modules/.bin");
    const scripts = {
      npx: `#!/bin/sh\n[ "$1" = --no-install ] || exit 9\nname=$2\nshift 2\nexec "${found}/$name" "$@"\n`,
      npm: `#!/bin/sh
case "$*" in
ci|"ci --ignore-scripts") [ -f package-lock.json ] && if [ ! -e node_modules ]; then ln -s "${join(root, "node_modules")}" node_modules; fi ;;
"run --if-present check") if grep -q '"check"' package.json; then exec "${real}" "$@"; fi ;;
*) exec "${real}" "$@" ;;
esac\n`,
    };
    const scriptOfGh = join(this.folder, "gh");
    mkdirSync(scriptOfGh);
    symlinkSync(join(__dirname, "gh.mjs"), join(scriptOfGh, "gh"));
    for (const [name, script] of Object.entries(scripts)) {
      mkdirSync(join(this.#quickNpm, name), { recursive: true });
      writeFileSync(join(this.#quickNpm, name, name), script, { mode: 0o755 });
    }
    const token = () => randomBytes(20).toString("hex");
    const key = { PAGE_GUARD_APPROVAL_KEY: token() };
    this.secrets = {
      repository: {
        GUARD_READ_TOKEN: token(),
        PULUMI_BACKEND_URL: bucket.url,
        PULUMI_CONFIG_PASSPHRASE: "the passphrase of production",
      },
      plan: { ...key, GUARD_READ_TOKEN: token(), REPORT_RUNS_KEY: token() },
      production: { ...key, [writeToken]: token() },
    };
    this.initRemote();
    this.desk = this.clone();
  }

  /** Creates an empty repository, which opens a merge request like GitLab if a push asks for one. */
  initRemote(): void {
    this.git(this.folder, "init", "--bare", "--quiet", "--initial-branch=main", this.remote);
    this.git(this.remote, "config", "receive.advertisePushOptions", "true");
    const { CI_API_V4_URL, CI_PROJECT_ID, GITLAB_TOKEN } = this.forge.gitlab();
    writeFileSync(
      join(this.remote, "hooks/post-receive"),
      `#!/bin/sh
option() { env | sed -n "s/^GIT_PUSH_OPTION_[0-9]*=merge_request.$1//p"; }
[ -z "$(env | grep merge_request.create)" ] || printf '{"title":"%s","source_branch":"${branchOfRequest}","target_branch":"%s"}' "$(option title=)" "$(option target=)" |
  curl --silent --output /dev/null --header "PRIVATE-TOKEN: ${GITLAB_TOKEN}" --header "content-type: application/json" \\
    --data @- "${CI_API_V4_URL}/projects/${CI_PROJECT_ID}/merge_requests"
`,
      { mode: 0o755 },
    );
  }

  /** Values that no output may contain. */
  get hidden(): readonly string[] {
    return Object.values(this.secrets).flatMap((secrets: Readonly<Record<string, string>>) =>
      Object.entries(secrets).flatMap(([name, value]) => (name.endsWith("URL") ? [] : [value])),
    );
  }

  git(cwd: string, ...args: readonly string[]): string {
    const who = ["-c", "user.name=Ann", "-c", "user.email=ann@shop.example"];
    const options = { cwd, encoding: "utf8", stdio: "pipe" } as const;
    return execFileSync("git", [...who, ...args], options);
  }

  /** Clones a repository and checks out main, if that exists. */
  clone(remote = this.remote): string {
    const folder = mkdtempSync(join(this.folder, "clone-"));
    this.git(this.folder, "clone", "--quiet", remote, folder);
    return folder;
  }

  /** Returns the commit of a branch, and also tells the forge. */
  head(branch = "main"): string {
    const commit = this.git(this.remote, "rev-parse", branch).trim();
    this.forge.board.heads[branch] = commit;
    return commit;
  }

  /**
   * Runs one script like a runner; the first one with npm's own `npx`. Checks that a job with a read token changes no
   * zone, and that a job without a token sends no request.
   */
  async line(line: string, cwd: string, given: NodeJS.ProcessEnv): Promise<Line> {
    const { PATH, HOME, TMPDIR, PULUMI_HOME, NO_COLOR } = this.place.env;
    const token = given["PAGE_GUARD_API_TOKEN"] ?? "";
    const before = { requests: this.sim.journal.length, changes: this.sim.changing().length };
    this.sim.token = token === "" ? randomBytes(20).toString("hex") : token;
    const quick = (["npm", "npx"] as const).filter((name) => name === "npm" || this.#hasMetNpx);
    this.#hasMetNpx ||= !/^npm /.test(line);
    const folders = [...quick.map((name) => join(this.#quickNpm, name)), join(this.folder, "gh"), PATH];
    const child = spawn("bash", ["-e", "-c", `exec 2>&1\n${line}`], {
      cwd,
      env: {
        PATH: folders.join(delimiter),
        HOME,
        TMPDIR,
        PULUMI_HOME,
        NO_COLOR,
        ...lightly,
        CI: "true",
        ...this.bucket.logins,
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        GIT_TERMINAL_PROMPT: "0",
        npm_config_offline: "true",
        npm_config_update_notifier: "false",
        ...given,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output, [ended]] = await Promise.all([text(child.stdout), once(child, "close")]);
    const code = Number(ended ?? 1);
    this.said += `\n$ ${line}\n${output}(exit ${code})\n`;
    const mayWrite = token === this.secrets.production[writeToken];
    if (!mayWrite) assert.equal(this.sim.changing().length, before.changes, line);
    if (token === "") assert.equal(this.sim.journal.length, before.requests, line);
    return { code, output };
  }

  /** Stores those of these files and folders that exist as an artefact, and returns their paths. Without a file there is no artefact, as on GitHub. */
  keep(name: string, workspace: string, paths: readonly string[]): readonly string[] {
    const folder = mkdtempSync(join(this.folder, "artefact-"));
    const there = paths.filter((path) => hasFile(join(workspace, path)));
    for (const path of there) cpSync(join(workspace, path), join(folder, path), { recursive: true });
    if (there.length > 0) this.#artefacts.set(name, folder);
    else this.#artefacts.delete(name);
    return there;
  }

  /** Copies an artefact into a folder. Returns false if there is none. */
  fetch(name: string, folder: string): boolean {
    const from = this.#artefacts.get(name);
    if (from !== undefined) cpSync(from, folder, { recursive: true });
    return from !== undefined;
  }
}

function hasFile(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return existsSync(path);
  return readdirSync(path, { recursive: true, withFileTypes: true }).some((one) => !one.isDirectory());
}
