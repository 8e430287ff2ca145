import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import type { Ci, Ran } from "./ci";
import { Expressions, type Status } from "./github-expression";

const examples = resolve(__dirname, "../../../examples");
const pipelines = join(examples, "pipelines");

/** The parts of a GitHub workflow that the tests read. */
export interface Workflow {
  readonly on: unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly permissions?: unknown;
  readonly concurrency?: { readonly group: string; readonly "cancel-in-progress": boolean };
  readonly jobs: Readonly<Record<string, Job>>;
}

export interface Job {
  readonly needs?: string;
  readonly if?: string;
  readonly environment?: string;
  readonly concurrency?: Workflow["concurrency"];
  readonly env?: Readonly<Record<string, string>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

export interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

/** Reads a workflow, such as `apply` or `fleet/apply`. */
export function workflow(name: string): Workflow {
  const folder = name.startsWith("fleet/") ? join(examples, "fleet/pipelines") : pipelines;
  return parse(readFileSync(join(folder, "github", `${name.replace("fleet/", "")}.yml`), "utf8"));
}

export function action(file = join(pipelines, "github/setup/action.yml")): Action {
  return parse(readFileSync(file, "utf8"));
}

/** The event for which a GitHub job runs. */
export interface Event {
  readonly name?: "push" | "pull_request" | "schedule" | "workflow_dispatch";
  /** The branch that is merged into main for the job, as `actions/checkout` does for a pull request. */
  readonly merge?: { readonly remote: string; readonly branch: string };
  readonly payload?: object;
  readonly inputs?: Readonly<Record<string, string>>;
  /** Variables of the repository besides those of the backend. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Values that a user has edited in the `env` of the workflow. */
  readonly env?: Readonly<Record<string, string>>;
  /** The ref on which the workflow was started by hand, if not main. */
  readonly ref?: string;
  /** The number of times that the run was started. */
  readonly attempt?: number;
}

interface Before {
  readonly result: Status;
  readonly outputs: Readonly<Record<string, string>>;
}

const writer = "arn:aws:iam::123456789012:role/writer";
const reader = "arn:aws:iam::123456789012:role/reader";

/** The results of the jobs that other jobs need, by CI and name. */
const ended = new WeakMap<Ci, Map<string, Before>>();
let expressions: Promise<Expressions> | undefined;

/** Runs a job. Of an action that it uses, it does only what matters to the tests. */
export async function runGithubJob(ci: Ci, name: string, jobName: string, event: Event = {}): Promise<Ran> {
  const { env = {}, jobs } = workflow(name);
  const job = jobs[jobName];
  assert.ok(job, `${name}.yml has no job ${jobName}`);
  expressions ??= Expressions.load();
  const before = ended.get(ci) ?? new Map<string, Before>();
  ended.set(ci, before);
  const needed = before.get(`${name} ${job.needs}`);
  const run = new GithubJob(ci, job, event, await expressions, needed, { ...env, ...event.env });
  const ran = await run.run();
  before.set(`${name} ${jobName}`, run.before);
  return ran;
}

class GithubJob {
  readonly #contexts: Readonly<Record<string, object>>;
  readonly #steps: Record<string, object> = {};
  readonly #folder: string;
  /** The variables that a login sets for the steps after it. */
  #keys: NodeJS.ProcessEnv = {};
  #workspace = "";
  #output = "";
  #code = 0;
  #status: Status = "success";

  constructor(
    private readonly ci: Ci,
    private readonly job: Job,
    private readonly event: Event,
    private readonly expressions: Expressions,
    needed: Before | undefined,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    const { payload = {}, merge, inputs = {}, vars = {}, attempt = 1 } = event;
    const head = ci.head();
    const isFork = merge !== undefined && merge.remote !== ci.remote;
    const { environment } = job;
    const of = (name: string | undefined) =>
      name === "plan" || name === "production" ? ci.secrets[name] : {};
    this.#folder = mkdtempSync(join(ci.folder, "job-"));
    writeFileSync(join(this.#folder, "event.json"), JSON.stringify(payload));
    this.#contexts = {
      github: {
        repository: "shop/infra",
        token: ci.forge.github(isFork ? "read" : "installation")["GITHUB_TOKEN"],
        event: { repository: { default_branch: "main" }, ...payload },
        event_name: event.name ?? (merge ? "pull_request" : "push"),
        ref: event.ref ?? (merge ? "refs/pull/7/merge" : "refs/heads/main"),
        ref_name: merge ? "7/merge" : "main",
        base_ref: merge ? "main" : "",
        sha: head,
        run_attempt: attempt,
      },
      secrets: isFork ? {} : { ...ci.secrets.repository, ...of(environment) },
      vars: isFork
        ? {}
        : {
            AWS_ROLE_ARN: environment === "production" ? writer : reader,
            AWS_REGION: "eu-central-1",
            PAGE_GUARD_BASE_URL: ci.sim.url,
            ...vars,
          },
      inputs,
      needs: needed === undefined || job.needs === undefined ? {} : { [job.needs]: needed },
      steps: this.#steps,
      env: {},
    };
    const isNeeded = job.needs !== undefined;
    this.#status = isNeeded ? (needed?.result ?? assert.fail(`${job.needs} was not run`)) : "success";
  }

  get before(): Before {
    const outputs = Object.entries(this.job.outputs ?? {}).map(([key, text]) => [
      key,
      this.expressions.substitute(text, this.#contexts),
    ]);
    return { result: this.#status, outputs: Object.fromEntries(outputs) };
  }

  async run(): Promise<Ran> {
    if (!this.expressions.holds(this.job.if, this.#contexts, this.#status)) {
      this.#status = "skipped";
      return { code: undefined, output: "", summary: "" };
    }
    this.#status = "success";
    const env = this.#substitute({ ...this.env, ...this.job.env }, this.#contexts);
    const contexts = { ...this.#contexts, env };
    for (const step of this.job.steps) await this.#step(step, contexts);
    const summary = join(this.#folder, "summary.md");
    const text = existsSync(summary) ? readFileSync(summary, "utf8") : "";
    return { code: this.#code, output: this.#output, summary: text };
  }

  async #step(step: Step, contexts: Readonly<Record<string, object>>): Promise<void> {
    if (!this.expressions.holds(step.if, contexts, this.#status)) return;
    const given = this.#substitute(step.with ?? {}, contexts);
    if (step.uses?.startsWith("./")) return this.#composite(step.uses, given, contexts);
    if (step.uses !== undefined) this.#use(step.uses.replace(/@.*$/, ""), given);
    if (step.run === undefined) return;
    const outputs = join(this.#folder, `output-${step.id}`);
    const { code, output } = await this.ci.line(step.run, this.#workspace, {
      ...this.#runner(contexts),
      GITHUB_OUTPUT: outputs,
      ...this.#keys,
      ...contexts["env"],
      ...this.#substitute(step.env ?? {}, contexts),
    });
    this.#output += output;
    if (code !== 0) this.#fail(code);
    if (step.id === undefined || !existsSync(outputs)) return;
    const lines = readFileSync(outputs, "utf8").trim().split("\n");
    this.#steps[step.id] = { outputs: Object.fromEntries(lines.map((line) => line.split("="))) };
  }

  /** The variables that the runner sets for each line. */
  #runner({ github = {} }: Readonly<Record<string, object>>): NodeJS.ProcessEnv {
    const { GITHUB_TOKEN: _, ...variables } = this.ci.forge.github();
    const of = (name: string): string => String(Reflect.get(github, name));
    return {
      ...variables,
      GITHUB_EVENT_PATH: join(this.#folder, "event.json"),
      GITHUB_STEP_SUMMARY: join(this.#folder, "summary.md"),
      GITHUB_REF_NAME: of("ref_name"),
      GITHUB_SHA: of("sha"),
      GITHUB_RUN_ATTEMPT: of("run_attempt"),
    };
  }

  async #composite(
    uses: string,
    given: Readonly<Record<string, string>>,
    contexts: Readonly<Record<string, object>>,
  ): Promise<void> {
    const { inputs, runs } = action(join(this.#workspace, uses, "action.yml"));
    for (const name of Object.keys(given)) assert.ok(name in inputs, `${uses} has no input ${name}`);
    const defaults = Object.entries(inputs).map(([name, one]) => [name, one.default ?? ""]);
    const own = { github: contexts["github"] ?? {}, env: contexts["env"] ?? {}, steps: {} };
    const inside = { ...own, inputs: { ...Object.fromEntries(defaults), ...given } };
    for (const step of runs.steps) await this.#step(step, inside);
  }

  #use(name: string, given: Readonly<Record<string, string>>): void {
    const { ci } = this;
    switch (name) {
      case "actions/checkout":
        this.#checkOut(given["ref"]);
        return;
      case "actions/upload-artifact": {
        const paths = (given["path"] ?? "").trim().split("\n");
        const only = join(this.#workspace, paths[0] ?? "");
        // An artefact of a single folder has the files in it.
        const isFolder =
          paths.length === 1 && statSync(only, { throwIfNoEntry: false })?.isDirectory() === true;
        const kept = isFolder
          ? ci.keep(given["name"] ?? "", only, readdirSync(only))
          : ci.keep(given["name"] ?? "", this.#workspace, paths);
        if (kept.length === 0 && given["if-no-files-found"] !== "ignore") this.#fail(1);
        return;
      }
      case "actions/download-artifact":
        if (!ci.fetch(given["name"] ?? "", join(this.#workspace, given["path"] ?? ""))) this.#fail(1);
        return;
      case "aws-actions/configure-aws-credentials": {
        const isWriter = given["role-to-assume"] === writer;
        // The trust policy of the role says the same.
        assert.equal(isWriter, this.job.environment === "production");
        this.#keys = ci.bucket.keysOf(isWriter ? "writer" : "reader");
        return;
      }
      case "actions/setup-node":
      case "pulumi/actions":
        return;
      default:
        assert.fail(`the CI of the tests does not know ${name}`);
    }
  }

  #checkOut(ref: string | undefined): void {
    const { merge } = this.event;
    this.#workspace = this.ci.clone();
    if (ref !== undefined) this.ci.git(this.#workspace, "checkout", "--quiet", ref);
    else if (merge) {
      this.ci.git(this.#workspace, "fetch", "--quiet", merge.remote, merge.branch);
      this.ci.git(this.#workspace, "merge", "--quiet", "--no-ff", "--no-edit", "FETCH_HEAD");
    }
  }

  #fail(code: number): void {
    if (this.#code === 0) this.#code = code;
    this.#status = "failure";
  }

  #substitute(
    texts: Readonly<Record<string, unknown>>,
    contexts: Readonly<Record<string, object>>,
  ): Record<string, string> {
    return Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, this.expressions.substitute(String(text), contexts)]),
    );
  }
}
