import { z } from "zod";
import { jsonOf } from "../../text/json-of";
import { CommandError } from "../command-error";
import { readBytes } from "../read-text";
import type { Session } from "../session";
import { boardsOf, type ForgeText } from "./board";
import { ForgeClient } from "./client";
import type { Forge } from "./forge";
import { githubApproval } from "./github-approval";

const written = z.object({
  body: z.string().nullish(),
  html_url: z.string().optional(),
  user: z.object({ login: z.string() }).nullish(),
});
type Written = z.output<typeof written>;
const textOf = (id: number, { body, html_url: url, user }: Written): ForgeText => ({
  ...{ id, body: body ?? "", url, author: user?.login },
});
const comment = written.extend({ id: z.number() }).transform((one) => textOf(one.id, one));
const issue = written
  .extend({ number: z.number(), pull_request: z.unknown().optional() })
  // The list has pull requests, too.
  .transform((one) => textOf(one.number, one.pull_request === undefined ? one : { ...one, user: undefined }));
const viewer = z.object({ data: z.object({ viewer: z.object({ login: z.string() }) }) });
const event = z.object({
  number: z.number().optional(),
  pull_request: z.object({ number: z.number() }).optional(),
  issue: z.object({ number: z.number(), pull_request: z.unknown() }).optional(),
});

/** GitHub by its REST API, with the environment of its CI. */
export function githubForge(session: Session, mostWaitMs: number): Forge {
  const { env } = session;
  const repository = env["GITHUB_REPOSITORY"] ?? "";
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) {
    throw new CommandError("GITHUB_REPOSITORY is not set. Set it to owner/name.");
  }
  const token = (env["GITHUB_TOKEN"] ?? "").trim();
  if (token === "") {
    throw new CommandError(
      "GITHUB_TOKEN is not set. In a workflow, add to the step: env: { GITHUB_TOKEN: $" +
        "{{ github.token }} }.",
    );
  }
  const baseUrl = env["GITHUB_API_URL"] || "https://api.github.com";
  const client = new ForgeClient({
    ...{ session, name: "GitHub", token, baseUrl, urlFrom: "GITHUB_API_URL", mostWaitMs },
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
    },
    meanings: meaningsIn(repository),
  });
  const graphql = client.at(baseUrl.replace(/\/v3\/*$/, ""));
  const repo = `/repos/${repository}`;
  const board = boardsOf(session, client, () => ownerOf(graphql));
  const common = { edits: "PATCH", field: "body" } as const;
  return {
    get number() {
      return numberOf(session, env["GITHUB_EVENT_PATH"]);
    },
    fit: (body) => body,
    jobApproval: (environment) => githubApproval(client, repository, environment),
    comments: (number) =>
      board({
        ...{ ...common, name: `${repository}#${number}`, schema: comment },
        path: `${repo}/issues/${number}/comments`,
        pathOf: (id) => `${repo}/issues/comments/${id}`,
      }),
    issues(title) {
      const issues = board({
        ...{ ...common, name: `the issues of ${repository}`, schema: issue, title },
        path: `${repo}/issues`,
        query: "state=open&sort=created&direction=asc",
        pathOf: (id) => `${repo}/issues/${id}`,
      });
      return { ...issues, close: (id) => issues.change(id, { state: "closed", state_reason: "completed" }) };
    },
  };
}

/** A person or an app: the token of a workflow may not call `GET /user`. */
async function ownerOf(client: ForgeClient): Promise<string | undefined> {
  const body = { query: "query { viewer { login } }" };
  const answer = await client.send({ method: "POST", path: "/graphql", body, isRead: true });
  return viewer.safeParse(jsonOf(answer.body)).data?.data.viewer.login;
}

function numberOf(session: Session, file: string | undefined): number | undefined {
  if (file === undefined || file === "") return undefined;
  let text: unknown;
  try {
    text = JSON.parse(readBytes(session, file).toString("utf8"));
  } catch {
    throw new CommandError(
      "Failed to read the file of GITHUB_EVENT_PATH. Give the number of the pull request with --number.",
    );
  }
  const found = event.safeParse(text).data;
  return (
    found?.pull_request?.number ??
    (found?.issue?.pull_request ? found.issue.number : undefined) ??
    found?.number
  );
}

function meaningsIn(repository: string): Readonly<Record<number, string>> {
  const moved = `The repository ${repository} has moved. Set GITHUB_REPOSITORY to its new name.`;
  return {
    ...{ 301: moved, 302: moved, 307: moved, 308: moved },
    401: "GITHUB_TOKEN is invalid or expired. Give the job a new one.",
    403: 'The token may not do this. Give the job the permission "pull-requests: write" for a comment, "issues: write" for an issue. A pull request from a fork cannot have it: show the review in the summary of the job instead (page-guard review --summary).',
    404: `${repository} has no such pull request or issue, or the token cannot see it. Check GITHUB_REPOSITORY and the permissions of the job.`,
    410: `Issues are disabled in ${repository}. Enable them under Settings.`,
  };
}
