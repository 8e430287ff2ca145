import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { parse } from "yaml";
import type { Simulator } from "../../../provider/src/simulator";
import type { ForgeServer } from "../../forge/forge-server";
import { lightly, type Place } from "../../real-engine/engine";
import { spent } from "../../real-engine/spent";

const root = resolve(__dirname, "../../..");
const pipelines = join(root, "examples/pipelines");

/** What the tests read of a workflow of GitHub. */
export interface Workflow {
  readonly on: unknown;
  readonly permissions?: unknown;
  readonly concurrency?: { readonly group: string; readonly "cancel-in-progress": boolean };
  readonly jobs: Readonly<Record<string, Job>>;
}

export interface Job {
  readonly if?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

export function workflow(name: string): Workflow {
  return parse(readFileSync(join(pipelines, "github", `${name}.yml`), "utf8"));
}

/** What a job of GitHub runs for. */
export interface Event {
  /** Branches that are merged into main for the job, as `actions/checkout` gives a pull request. */
  readonly merge?: { readonly remote: string; readonly branch: string };
  readonly payload?: object;
}

export interface Ran {
  /** Of the first line that failed, else 0. Undefined when its condition was not met. */
  readonly code: number | undefined;
  readonly output: string;
  readonly summary: string;
}

const writeToken = "GUARD_WRITE_TOKEN";

/**
 * A CI in small: takes the lines of a workflow's `run:` out of its file and runs each in a shell as GitHub does, in a fresh
 * clone, with what the file puts into its environment and nothing else. Of `uses:` it knows checkout and artefacts.
 */
export class Ci {
  /** `name` to the folder in which an artefact lies. */
  readonly #artefacts = new Map<string, string>();
  readonly #secrets: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly remote: string;
  /** Instead of npm's own, which take most of a second to find what lies there, or that there is nothing to install. */
  readonly #quickNpm: string;
  readonly #hasMet = { npm: false, npx: false };
  /** All that any job has said. */
  said = "";

  constructor(
    readonly place: Place,
    readonly sim: Simulator,
    readonly forge: ForgeServer,
  ) {
    this.folder = join(place.folder, "ci");
    this.remote = join(this.folder, "shop.git");
    mkdirSync(this.folder);
    // Found from every clone below: the packages that `npm ci` would install there.
    symlinkSync(join(root, "node_modules"), join(this.folder, "node_modules"));
    this.#quickNpm = join(this.folder, "bin");
    const found = join(root, "node_modules/.bin");
    const scripts = {
      npx: `#!/bin/sh\nname=$1\nshift\nexec "${found}/$name" "$@"\n`,
      npm: '#!/bin/sh\n[ "$*" = ci ] && [ -f package-lock.json ]\n',
    };
    for (const [name, script] of Object.entries(scripts)) {
      mkdirSync(join(this.#quickNpm, name), { recursive: true });
      writeFileSync(join(this.#quickNpm, name, name), script, { mode: 0o755 });
    }
    const token = () => randomBytes(20).toString("hex");
    this.#secrets = {
      GUARD_READ_TOKEN: token(),
      [writeToken]: token(),
      PAGE_GUARD_APPROVAL_KEY: token(),
      PULUMI_BACKEND_URL: `file://${place.backend}`,
      PULUMI_CONFIG_PASSPHRASE: "the passphrase of production",
    };
    this.git(this.folder, "init", "--bare", "--quiet", "--initial-branch=main", this.remote);
  }

  /** What nobody may be shown. */
  get hidden(): readonly string[] {
    return Object.entries(this.#secrets).flatMap(([name, value]) => (name.endsWith("URL") ? [] : [value]));
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

  /** Runs a job of a workflow. A job that may only read changes nothing in any zone; one that has no token asks nothing. */
  async job(name: string, jobName: string, event: Event = {}): Promise<Ran> {
    const job = workflow(name).jobs[jobName];
    assert.ok(job, `${name}.yml has no job ${jobName}`);
    const payload = event.payload ?? {};
    const isFork = event.merge !== undefined && event.merge.remote !== this.remote;
    const context = {
      github: {
        repository: "shop/infra",
        token: this.forge.github(isFork ? "read" : "installation")["GITHUB_TOKEN"],
        event: payload,
      },
      secrets: isFork
        ? {}
        : { ...this.#secrets, ...(job.environment !== "production" && { [writeToken]: "" }) },
    };
    if (job.if !== undefined && !holds(job.if, context)) return { code: undefined, output: "", summary: "" };
    const workspace = this.clone();
    if (event.merge) {
      this.git(workspace, "fetch", "--quiet", event.merge.remote, event.merge.branch);
      this.git(workspace, "merge", "--quiet", "--no-ff", "--no-edit", "FETCH_HEAD");
    }
    const summary = join(mkdtempSync(join(this.folder, "job-")), "summary.md");
    const eventFile = join(summary, "../event.json");
    writeFileSync(eventFile, JSON.stringify(payload));
    const { GITHUB_TOKEN: _, ...github } = this.forge.github();
    let output = "";
    let code = 0;
    for (const step of job.steps) {
      if (code !== 0 && step.if !== "always()") continue;
      if (step.uses?.startsWith("actions/upload-artifact@")) this.#upload(workspace, step);
      if (step.uses?.startsWith("actions/download-artifact@")) this.#download(workspace, step);
      if (step.run === undefined) continue;
      const given = Object.fromEntries(
        Object.entries(step.env ?? {}).map(([key, text]) => [key, substituted(text, context)]),
      );
      const ended = await this.#line(step.run, workspace, {
        ...github,
        GITHUB_EVENT_PATH: eventFile,
        GITHUB_STEP_SUMMARY: summary,
        ...given,
      });
      output += ended.output;
      code = ended.code;
    }
    const shown = existsSync(summary) ? readFileSync(summary, "utf8") : "";
    return { code, output, summary: shown };
  }

  /** A job of GitLab's file for merge request 7: with what its project has as variables, and nothing of GitHub. */
  async gitlab(jobName: string, branch: string): Promise<number> {
    const file: Record<string, { script?: readonly string[] }> = parse(
      readFileSync(join(pipelines, "gitlab/gitlab-ci.yml"), "utf8"),
    );
    const workspace = this.clone();
    this.git(workspace, "switch", "--quiet", branch);
    for (const line of file[jobName]?.script ?? assert.fail(jobName)) {
      const {
        GUARD_READ_TOKEN: PAGE_GUARD_API_TOKEN,
        PULUMI_BACKEND_URL,
        PULUMI_CONFIG_PASSPHRASE,
      } = this.#secrets;
      const { code } = await this.#line(line, workspace, {
        ...this.forge.gitlab(),
        ...{ PAGE_GUARD_API_TOKEN, PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE },
      });
      if (code !== 0) return code;
    }
    return 0;
  }

  /** One line, as GitHub's runner starts it; the first of each kind with npm's own `npm` and `npx`. */
  async #line(
    line: string,
    cwd: string,
    given: NodeJS.ProcessEnv,
  ): Promise<{ code: number; output: string }> {
    const { PATH, HOME, TMPDIR, PULUMI_HOME, NO_COLOR } = this.place.env;
    const token = given["PAGE_GUARD_API_TOKEN"] ?? "";
    const before = { requests: this.sim.journal.length, changes: this.sim.changing().length };
    this.sim.token = token === "" ? randomBytes(20).toString("hex") : token;
    const started = performance.now();
    const needed = line.startsWith("npm ") ? "npm" : "npx";
    const path = this.#hasMet[needed] ? `${join(this.#quickNpm, needed)}${delimiter}${PATH}` : PATH;
    this.#hasMet[needed] = true;
    const child = spawn("bash", ["-e", "-c", line], {
      cwd,
      env: {
        ...{ PATH: path, HOME, TMPDIR, PULUMI_HOME, NO_COLOR, ...lightly, CI: "true" },
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
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
    spent(needed === "npm" ? "npm" : "engine", performance.now() - started);
    this.said += `\n$ ${line}\n${output}(exit ${code})\n`;
    if (token !== this.#secrets[writeToken]) assert.equal(this.sim.changing().length, before.changes, line);
    if (token === "") assert.equal(this.sim.journal.length, before.requests, line);
    return { code, output };
  }

  #upload(workspace: string, { with: given = {} }: Step): void {
    const file = join(workspace, String(given["path"]));
    if (!existsSync(file)) {
      assert.equal(given["if-no-files-found"], "ignore", `${file} is to be kept, and is not there`);
      return;
    }
    const folder = mkdtempSync(join(this.folder, "artefact-"));
    cpSync(file, join(folder, String(given["path"])));
    this.#artefacts.set(String(given["name"]), folder);
  }

  #download(workspace: string, { with: given = {} }: Step): void {
    const folder = this.#artefacts.get(String(given["name"]));
    assert.ok(folder, `no artefact ${given["name"]}`);
    cpSync(folder, workspace, { recursive: true });
  }
}

/** The value of an expression like `github.event.pull_request.number`; empty where there is none, as on GitHub. */
function found(path: string, context: object): string {
  let value: unknown = context;
  for (const key of path.split(".")) {
    value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  }
  return value === undefined ? "" : String(value);
}

function substituted(text: string, context: object): string {
  return text.replace(/\$\{\{ (\S+) \}\}/g, (_all, path: string) => found(path, context));
}

function holds(condition: string, context: object): boolean {
  const [, left = "", operator, right = ""] = /^(\S+) (==|!=) (\S+)$/.exec(condition) ?? [];
  assert.ok(operator, `the condition ${condition} is more than this CI understands`);
  return (found(left, context) === found(right, context)) === (operator === "==");
}
