import { Option } from "commander";
import { jsonOf } from "pulumi-page-guard/tools";
import { z } from "zod";
import { CommandError } from "../command-error";
import { readBytes } from "../read-text";
import { forTerminal } from "../reports/escape";
import type { Session } from "../session";
import { UsageError } from "../usage-error";

/** Where comments of a request, or the open issues of a project, are. */
export interface Board {
  /** For messages: `shop/infra#12`. */
  readonly name: string;
  /** New ones are sent to it. */
  readonly path: string;
  /** Of one of them, before its id, if that is not the same. */
  readonly each?: string;
  /** Which are listed: `&state=open`. */
  readonly query?: string;
  /** The field of the text, if that is not `body`. */
  readonly field?: "body" | "description";
}

/** GitHub or GitLab, with the environment of its CI. */
export interface Forge {
  readonly name: "GitHub" | "GitLab";
  readonly baseUrl: string;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What a status means, and what to do. */
  readonly meanings: Readonly<Record<number, string>>;
  readonly edits: "PATCH" | "PUT";
  /** What closes an issue. */
  readonly closed: object;
  /** Login whose texts are ours; undefined where `GET /user` tells it. */
  readonly author: string | undefined;
  /** The pull or merge request of this CI run. */
  number(): number | undefined;
  comments(number: number): Board;
  readonly issues: Board;
  /** Path of what tells who has to approve jobs of an environment. */
  environment(name: string): string;
}

export interface ForgeFlags {
  readonly on?: "github" | "gitlab";
  readonly author?: string;
}

const text = "forge to use (default: the one of this CI run)";
export const onForge = new Option("--on <forge>", text).choices(["github", "gitlab"]);
export const byAuthor = new Option(
  "--author <login>",
  "whose texts are ours (default: github-actions[bot]; on GitLab the owner of the token)",
);

/** The forge of this pipeline, by its environment variables. */
export function forgeOf(session: Session, { on }: ForgeFlags): Forge {
  const isSet = (name: string): boolean => (session.env[name] ?? "") !== "";
  if (on === "github" || (on === undefined && (isSet("GITHUB_ACTIONS") || isSet("GITHUB_REPOSITORY"))))
    return github(session);
  if (on === "gitlab" || isSet("GITLAB_CI") || isSet("CI_PROJECT_ID")) return gitlab(session);
  throw new UsageError(
    "This is neither a GitHub nor a GitLab job. Use --on github and set GITHUB_REPOSITORY and GITHUB_TOKEN, or --on gitlab and set CI_API_V4_URL, CI_PROJECT_ID and GITLAB_TOKEN.",
  );
}

function required({ env }: Session, name: string, form: RegExp, todo: string): string {
  const value = (env[name] ?? "").trim();
  if (!form.test(value)) throw new CommandError(`${name} is not set. ${todo}`);
  return value;
}

const event = z.object({ pull_request: z.object({ number: z.number() }) });

function github(session: Session): Forge {
  const { env } = session;
  const repository = required(session, "GITHUB_REPOSITORY", /^[\w.-]+\/[\w.-]+$/, "Set it to owner/name.");
  const step = "In a workflow, add to the step: env: { GITHUB_TOKEN: $" + "{{ github.token }} }.";
  const token = required(session, "GITHUB_TOKEN", /./, step);
  const root = `/repos/${repository}`;
  const file = env["GITHUB_EVENT_PATH"] ?? "";
  return {
    ...{ name: "GitHub", token, baseUrl: env["GITHUB_API_URL"] || "https://api.github.com", edits: "PATCH" },
    headers: { authorization: `Bearer ${token}`, accept: "application/vnd.github+json" },
    meanings: {
      301: `The repository ${repository} has moved. Set GITHUB_REPOSITORY to its new name.`,
      401: "GITHUB_TOKEN is invalid or expired. Give the job a new one.",
      403: 'The token may not do this. Give the job the permission "pull-requests: write" for a comment, "issues: write" for an issue. A pull request from a fork cannot have it: show the review in the summary of the job instead (page-guard review --summary).',
      404: `${repository} has no such pull request or issue, or the token cannot see it. Check GITHUB_REPOSITORY and the permissions of the job.`,
      410: `Issues are disabled in ${repository}. Enable them under Settings.`,
    },
    closed: { state: "closed", state_reason: "completed" },
    // The token of a workflow may not ask who it is.
    author: "github-actions[bot]",
    number: () =>
      file === ""
        ? undefined
        : event.safeParse(jsonOf(readBytes(session, file).toString("utf8"))).data?.pull_request.number,
    comments: (number) => ({
      ...{ name: `${repository}#${number}`, path: `${root}/issues/${number}/comments` },
      each: `${root}/issues/comments`,
    }),
    issues: { name: `the issues of ${repository}`, path: `${root}/issues`, query: "&state=open" },
    environment: (name) => `${root}/environments/${encodeURIComponent(name)}`,
  };
}

function gitlab(session: Session): Forge {
  const { env } = session;
  const project = required(session, "CI_PROJECT_ID", /./, "Set it to its number, or group/name.");
  const create =
    "Create a project access token with the scope api, and store it as a masked variable of the CI. (CI_JOB_TOKEN may not write notes.)";
  const token = required(session, "GITLAB_TOKEN", /./, create);
  const root = `/projects/${encodeURIComponent(project)}`;
  const iid = Number(env["CI_MERGE_REQUEST_IID"] ?? "");
  return {
    ...{ name: "GitLab", token, baseUrl: env["CI_API_V4_URL"] || "https://gitlab.com/api/v4", edits: "PUT" },
    headers: { "private-token": token },
    meanings: {
      401: "GITLAB_TOKEN is invalid or expired. Create a new one.",
      403: "The token may not do this. It needs the scope api and the role Reporter; the scope read_api is not enough.",
      404: `Project ${forTerminal(project)} has no such merge request or issue, or the token cannot see it. Check CI_PROJECT_ID and the role of the token.`,
    },
    closed: { state_event: "close" },
    author: undefined,
    number: () => (Number.isInteger(iid) && iid > 0 ? iid : undefined),
    comments: (number) => ({
      ...{ name: `${project}!${number}`, path: `${root}/merge_requests/${number}/notes` },
    }),
    issues: {
      ...{ name: `the issues of ${project}`, path: `${root}/issues` },
      ...{ query: "&state=opened", field: "description" },
    },
    environment: (name) => `${root}/protected_environments/${encodeURIComponent(name)}`,
  };
}
