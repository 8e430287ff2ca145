import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import type { Ci, Line } from "./ci";

const examples = resolve(__dirname, "../../../examples");
const files = { "gitlab-ci": "pipelines/gitlab/gitlab-ci.yml", fleet: "fleet/pipelines/fleet.gitlab-ci.yml" };

type Name = keyof typeof files;

/** The parts of a GitLab CI file that the tests read. */
export interface GitlabFile {
  readonly variables: Readonly<Record<string, string>>;
  readonly default: GitlabJob & { readonly image: { readonly name: string } };
  readonly jobs: Readonly<Record<string, GitlabJob>>;
}

export interface GitlabJob {
  readonly needs?: readonly string[];
  readonly environment?: { readonly name: string };
  readonly before_script?: readonly string[];
  readonly script?: string | readonly string[];
  readonly artifacts?: { readonly paths: readonly string[] };
}

export function gitlabFile(name: Name = "gitlab-ci"): GitlabFile {
  const text = readFileSync(join(examples, files[name]), "utf8");
  const { stages: _, workflow: __, variables = {}, default: ofAll, ...jobs } = parse(text);
  return { variables, default: ofAll, jobs };
}

/** Runs a job for merge request 7 or for main, with the variables of its project, and none of GitHub. */
export async function runGitlabJob(
  ci: Ci,
  jobName: string,
  branch = "main",
  more: NodeJS.ProcessEnv = {},
  name: Name = "gitlab-ci",
): Promise<Line> {
  const { variables, default: ofAll, jobs } = gitlabFile(name);
  const job = jobs[jobName] ?? assert.fail(jobName);
  const workspace = ci.clone();
  ci.git(workspace, "switch", "--quiet", branch);
  for (const needed of job.needs ?? []) ci.fetch(`gitlab ${needed}`, workspace);
  const expand = (text: string) => text.replace(/\$(\w+)/g, (_all, name: string) => variables[name] ?? "");
  const environment = expand(job.environment?.name ?? "");
  const lines = [...(job.before_script ?? ofAll.before_script ?? []), job.script ?? []].flat();
  ci.head();
  const ended = await ci.line(lines.join("\n"), workspace, {
    ...variables,
    ...variablesOf(ci, environment, branch === "main"),
    CI_COMMIT_REF_NAME: branch,
    CI_DEFAULT_BRANCH: "main",
    CI_COMMIT_SHA: ci.git(workspace, "rev-parse", "HEAD").trim(),
    ...more,
  });
  ci.keep(`gitlab ${jobName}`, workspace, job.artifacts?.paths ?? []);
  return ended;
}

/** Variables of the project for an environment, as docs/pipelines.md lists them. */
function variablesOf({ forge, secrets }: Ci, environment: string, isProtected: boolean): NodeJS.ProcessEnv {
  const { GITLAB_TOKEN, ...predefined } = forge.gitlab();
  const { GUARD_READ_TOKEN, ...backend } = secrets.repository;
  const role = "arn:aws:iam::123456789012:role";
  const ofAll = {
    ...predefined,
    ...backend,
    PAGE_GUARD_API_TOKEN: GUARD_READ_TOKEN,
    AWS_ROLE_ARN: `${role}/reader`,
    // The claims of the job: the role that may write trusts only main.
    AWS_ID_TOKEN: isProtected ? "reader writer" : "reader",
  };
  if (environment === "notes") return { ...ofAll, GITLAB_TOKEN };
  if (environment === "runs") return { ...predefined, GITLAB_TOKEN };
  if (!isProtected) return ofAll;
  const { PAGE_GUARD_APPROVAL_KEY, REPORT_RUNS_KEY } = secrets.plan;
  switch (environment) {
    case "gate":
      return { ...ofAll, GITLAB_TOKEN };
    case "inventory":
      return { ...predefined, GITLAB_TOKEN };
    case "plan":
      return {
        ...ofAll,
        PAGE_GUARD_APPROVAL_KEY,
        REPORT_RUNS_KEY,
        PAGE_GUARD_API_TOKEN: secrets.plan["GUARD_READ_TOKEN"],
      };
    case "production":
      return {
        ...ofAll,
        PAGE_GUARD_APPROVAL_KEY,
        AWS_ROLE_ARN: `${role}/writer`,
        PAGE_GUARD_API_TOKEN: secrets.production["GUARD_WRITE_TOKEN"],
      };
    default:
      return ofAll;
  }
}
