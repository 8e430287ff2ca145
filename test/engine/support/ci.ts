import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { Simulator } from "../../../simulator/src";
import type { ForgeServer } from "../../command/forge/forge-server";
import { lightly, type Place } from "../real-engine/engine";
import { spent } from "../real-engine/spent";
import type { StateBucket } from "./state-bucket";

const root = resolve(__dirname, "../../..");

export interface Ran {
  /** Of the first line that failed, else 0. Undefined when its condition was not met. */
  readonly code: number | undefined;
  readonly output: string;
  readonly summary: string;
}

export interface Line {
  readonly code: number;
  readonly output: string;
}

/** Secrets of GitHub by where they are, as docs/pipelines.md lays it out. */
export interface Secrets {
  readonly repository: Readonly<Record<string, string>>;
  readonly plan: Readonly<Record<string, string>>;
  readonly production: Readonly<Record<string, string>>;
}

const writeToken = "GUARD_WRITE_TOKEN";
const branchOfRequest = "page-guard/inventory";

/**
 * A CI in small: takes the lines of a workflow out of its file and runs each in a shell as GitHub and GitLab do, in a
 * fresh clone, with what the file puts into its environment and nothing else. The state is in a bucket, to which a job
 * has the key of the role that it logs in as.
 */
export class Ci {
  /** The folder in which an artefact lies, by its name. */
  readonly #artefacts = new Map<string, string>();
  readonly secrets: Secrets;
  readonly folder: string;
  readonly remote: string;
  /** Instead of npm's own, which take most of a second to find what lies there, or that there is nothing to install. */
  readonly #quickNpm: string;
  #hasMetNpx = false;
  /** All that any job has said. */
  said = "";

  constructor(
    readonly place: Place,
    readonly sim: Simulator,
    readonly forge: ForgeServer,
    readonly bucket: StateBucket,
  ) {
    this.folder = join(place.folder, "ci");
    this.remote = join(this.folder, "shop.git");
    mkdirSync(this.folder);
    // Found from every clone below: the packages that `npm ci` would install there.
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
      plan: { ...key, GUARD_READ_TOKEN: token() },
      production: { ...key, [writeToken]: token() },
    };
    this.initRemote();
  }

  /** An empty repository, which opens a merge request where a push asks for one, as GitLab does. */
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

  /** What nobody may be shown. */
  get hidden(): readonly string[] {
    return Object.values(this.secrets).flatMap((secrets: Readonly<Record<string, string>>) =>
      Object.entries(secrets).flatMap(([name, value]) => (name.endsWith("URL") ? [] : [value])),
    );
  }

  git(cwd: string, ...args: readonly string[]): string {
    const who = ["-c", "user.name=Ann", "-c", "user.email=ann@shop.example"];
    return execFileSync("git", [...who, ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** A clone, with main checked out where there is one. */
  clone(remote = this.remote): string {
    const folder = mkdtempSync(join(this.folder, "clone-"));
    this.git(this.folder, "clone", "--quiet", remote, folder);
    return folder;
  }

  /** The commit of a branch. The forge learns of it. */
  head(branch = "main"): string {
    const commit = this.git(this.remote, "rev-parse", branch).trim();
    this.forge.board.heads[branch] = commit;
    return commit;
  }

  /**
   * One script, as a runner starts it; the first one with npm's own `npx`. A job that may only read
   * changes nothing in any zone; one that has no token asks nothing.
   */
  async line(line: string, cwd: string, given: NodeJS.ProcessEnv): Promise<Line> {
    const { PATH, HOME, TMPDIR, PULUMI_HOME, NO_COLOR } = this.place.env;
    const token = given["PAGE_GUARD_API_TOKEN"] ?? "";
    const before = { requests: this.sim.journal.length, changes: this.sim.changing().length };
    this.sim.token = token === "" ? randomBytes(20).toString("hex") : token;
    const started = performance.now();
    const quick = (["npm", "npx"] as const).filter((name) => name === "npm" || this.#hasMetNpx);
    this.#hasMetNpx ||= !/^npm /.test(line);
    const path = [...quick.map((name) => join(this.#quickNpm, name)), join(this.folder, "gh"), PATH].join(
      delimiter,
    );
    const child = spawn("bash", ["-e", "-c", line], {
      cwd,
      env: {
        ...{ PATH: path, HOME, TMPDIR, PULUMI_HOME, NO_COLOR, ...lightly, CI: "true" },
        ...this.bucket.logins,
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        GIT_TERMINAL_PROMPT: "0",
        npm_config_offline: "true",
        npm_config_update_notifier: "false",
        ...given,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part: string) => {
        output += part;
      });
    }
    const code = await new Promise<number>((done, reject) => {
      child.on("error", reject);
      child.on("close", (ended) => done(ended ?? 1));
    });
    spent(line.startsWith("npm ") ? "npm" : "engine", performance.now() - started);
    this.said += `\n$ ${line}\n${output}(exit ${code})\n`;
    const mayWrite = token === this.secrets.production[writeToken];
    if (!mayWrite) assert.equal(this.sim.changing().length, before.changes, line);
    if (token === "") assert.equal(this.sim.journal.length, before.requests, line);
    return { code, output };
  }

  /** Keeps those of these files and folders that are there. */
  keep(name: string, workspace: string, paths: readonly string[]): readonly string[] {
    const folder = mkdtempSync(join(this.folder, "artefact-"));
    const there = paths.filter((path) => existsSync(join(workspace, path)));
    for (const path of there) cpSync(join(workspace, path), join(folder, path), { recursive: true });
    if (there.length > 0) this.#artefacts.set(name, folder);
    return there;
  }

  /** Puts an artefact into a folder; false where there is none. */
  fetch(name: string, folder: string): boolean {
    const from = this.#artefacts.get(name);
    if (from !== undefined) cpSync(from, folder, { recursive: true });
    return from !== undefined;
  }
}
