import { Option } from "commander";
import { parseJson, sendOnce } from "pulumi-page-guard/tools";
import * as z from "zod";
import { forTerminal } from "../documents/escape";
import { CommandError } from "../shared/command-error";
import { readBytes } from "../shared/read-text";
import type { Session } from "../shared/session";
import { UsageError } from "../shared/usage-error";

/** The list of comments on a pull or merge request, or of the open issues of a project. */
export interface Board {
  /** Name in messages, such as `shop/infra#12`. */
  readonly name: string;
  /** Path of the list. New comments or issues are posted to this path. */
  readonly path: string;
  /** Path to which the id of an item is appended. If undefined, this is `path`. */
  readonly each?: string;
  /** Filter of the list: `&state=open`. */
  readonly query?: string;
  /** Field that contains the text of an item. If undefined, this is `body`. */
  readonly field?: "body" | "description";
  /** Path for replies. If set, news is also posted as a reply, because nobody is notified of an edit. */
  readonly talk?: "comments" | "notes";
}

export interface Forge {
  readonly name: "GitHub" | "GitLab";
  readonly baseUrl: string;
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Explanations of HTTP statuses, each with advice. */
  readonly meanings: Readonly<Record<number, string>>;
  readonly edits: "PATCH" | "PUT";
  /** Request body that closes an issue. */
  readonly closed: object;
  /** Login that posts our comments and issues. If undefined, `GET /user` returns the login. */
  readonly author: string | undefined;
  /** Path of the repository or project. */
  readonly root: string;
  /** Returns the number of this CI run's pull or merge request. */
  number(): number | undefined;
  comments(number: number): Board;
  readonly issues: Board;
}

export interface ForgeFlags {
  readonly on?: "github" | "gitlab";
  readonly author?: string;
}

const text = "forge to use (default: the one of this CI run)";
export const onForge = new Option("--on <forge>", text).choices(["github", "gitlab"]);
const login =
  "login that posts the comment or issue (default: github-actions[bot]; on GitLab, the owner of the token)";
export const byAuthor = new Option("--author <login>", login);

/** Returns the forge of this pipeline, from the flag or else from the environment variables. */
export function chooseForge(session: Session, { on }: ForgeFlags): Forge {
  const runsOn = (forge: typeof on, ...names: readonly string[]) =>
    on === undefined ? names.some((name) => session.env[name]) : on === forge;
  if (runsOn("github", "GITHUB_ACTIONS", "GITHUB_REPOSITORY")) return github(session);
  if (runsOn("gitlab", "GITLAB_CI", "CI_PROJECT_ID")) return gitlab(session);
  throw new UsageError(
    "This is neither a GitHub nor a GitLab job. Use --on github and set GITHUB_REPOSITORY and GITHUB_TOKEN, or --on gitlab and set CI_API_V4_URL, CI_PROJECT_ID and GITLAB_TOKEN.",
  );
}

/** Form of a token that a header can carry. */
const tokenForm = /^[!-~]+$/;

function required(env: Session["env"], name: string, form: RegExp, todo: string): string {
  const value = (env[name] ?? "").trim();
  if (value === "") throw new CommandError(`${name} is not set. ${todo}`);
  if (!form.test(value)) throw new CommandError(`${name} is malformed. ${todo}`);
  return value;
}

const requestOf = z
  .object({ pull_request: z.object({ number: z.number() }) })
  .transform((event) => event.pull_request.number);

function github({ env, cwd }: Session): Forge {
  const repository = required(env, "GITHUB_REPOSITORY", /^[\w.-]+\/[\w.-]+$/, "Set it to owner/name.");
  const step = "In a workflow, add to the step: env: { GITHUB_TOKEN: $" + "{{ github.token }} }.";
  const token = required(env, "GITHUB_TOKEN", tokenForm, step);
  const root = `/repos/${repository}`;
  const file = env["GITHUB_EVENT_PATH"];
  return {
    name: "GitHub",
    token,
    baseUrl: env["GITHUB_API_URL"] || "https://api.github.com",
    edits: "PATCH",
    headers: { authorization: `Bearer ${token}`, accept: "application/vnd.github+json" },
    meanings: {
      301: `The repository ${repository} has moved. Set GITHUB_REPOSITORY to its new name.`,
      401: "GITHUB_TOKEN is invalid or expired. Give the job a new one.",
      403: 'The token may not do this. Give the job the permission "pull-requests: write" for a comment, or "issues: write" for an issue. A job for a pull request from a fork cannot have this permission. Show the review in the summary of the job instead (page-guard review --summary).',
      404: `${repository} has no such pull request or issue, or the token cannot see it. Check GITHUB_REPOSITORY and the permissions of the job.`,
      410: `Switch on issues in the settings of ${repository}.`,
    },
    closed: { state: "closed", state_reason: "completed" },
    // The token of a workflow may not request `GET /user`.
    author: "github-actions[bot]",
    root,
    number: () => (file ? requestOf.safeParse(parseJson(`${readBytes({ cwd }, file)}`)).data : undefined),
    comments: (number) => ({
      name: `${repository}#${number}`,
      path: `${root}/issues/${number}/comments`,
      each: `${root}/issues/comments`,
    }),
    issues: {
      name: `the issues of ${repository}`,
      path: `${root}/issues`,
      query: "&state=open",
      talk: "comments",
    },
  };
}

function gitlab({ env }: Session): Forge {
  const project = required(env, "CI_PROJECT_ID", /./, "Set it to its number, or group/name.");
  const create =
    "Create a project access token with the scope api, and store it as a masked CI variable. (CI_JOB_TOKEN may not write notes.)";
  const token = required(env, "GITLAB_TOKEN", tokenForm, create);
  const root = `/projects/${encodeURIComponent(project)}`;
  return {
    name: "GitLab",
    token,
    baseUrl: env["CI_API_V4_URL"] || "https://gitlab.com/api/v4",
    edits: "PUT",
    headers: { "private-token": token },
    meanings: {
      401: "GITLAB_TOKEN is invalid or expired. Create a new one.",
      403: "The token may not do this. It needs the scope api and the role Reporter; the scope read_api is not enough.",
      404: `Project ${forTerminal(project)} has no such merge request or issue, or the token cannot see it. Check CI_PROJECT_ID and the role of the token.`,
    },
    closed: { state_event: "close" },
    author: undefined,
    root,
    number: () => Number(env["CI_MERGE_REQUEST_IID"]) || undefined,
    comments: (number) => ({ name: `${project}!${number}`, path: `${root}/merge_requests/${number}/notes` }),
    issues: {
      name: `the issues of ${project}`,
      path: `${root}/issues`,
      query: "&state=opened",
      field: "description",
      talk: "notes",
    },
  };
}

/** Sends one request without retries or redirects. @throws CommandError unless the status is 2xx or one of `also`. */
export async function ask<T>(
  { env }: Session,
  { name, baseUrl, token, headers, meanings }: Forge,
  [method, path, body]: readonly ["GET" | "POST" | "PATCH" | "PUT", string, object?],
  schema: z.ZodType<T>,
  also: readonly number[] = [],
): Promise<{ readonly data: T; readonly status: number; readonly hasNext: boolean }> {
  const sent = await sendOnce(env, token, {
    method,
    url: baseUrl.replace(/\/+$/, "") + path,
    body: body && JSON.stringify(body),
    headers: { "user-agent": "page-guard", "content-type": "application/json", ...headers },
  });
  // The URL is not shown, because it may contain a password.
  if (!sent)
    throw new CommandError(
      `The API URL of ${name} in the environment is not an https URL, or it contains a user name.`,
    );
  const { answer, failure } = sent;
  const failed = `Failed to ${method} ${forTerminal(path.replace(/\?.*$/, ""))} at ${new URL(baseUrl).host}`;
  if (failure) throw new CommandError(`${failed}: ${failure.reason}. Run the job again.`);
  const { status } = answer;
  const json = parseJson(answer.body);
  if ((status < 200 || status > 299) && !also.includes(status)) {
    const parts = z.object({ message: z.unknown(), error: z.unknown(), errors: z.unknown() }).partial();
    const { message, error, errors } = parts.safeParse(json).data ?? {};
    // GitLab sends either `message` or `error`. GitHub sends details in `errors`.
    const reasons = [message ?? error, errors].filter((one) => one !== undefined);
    const texts = reasons.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
    const reason = forTerminal(texts.join(": ")).replace(/^.+/, " ($&)");
    const isLater = status === 429 || status >= 500 || /rate limit/i.test(reason);
    const todo = isLater
      ? "Run the job again later."
      : (meanings[status] ?? "Read this response, and check the URL of the API.");
    throw new CommandError(`${failed}: ${name} responded with ${status}${reason}. ${todo}`);
  }
  // A proxy can respond with a status in `also` and a body of its own, so the body is ignored for the statuses in `also`.
  const { data } = schema.safeParse(also.includes(status) ? {} : json);
  if (data === undefined)
    throw new CommandError(
      `${failed}: the response does not have the documented form. Check that this is the URL of the API.`,
    );
  return { data, status, hasNext: /rel="next"/.test(answer.headers["link"] ?? "") };
}
