import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { CommandError } from "../command-error";
import { readBytes } from "../read-text";
import type { Session } from "../session";
import { boardsOf, type ForgeText } from "./board";
import { ForgeClient } from "./client";
import { type Forge, type JobApproval, noApproval } from "./forge";

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
    issues: (title) =>
      board({
        ...{ ...common, name: `the issues of ${repository}`, schema: issue, title },
        ...{ path: `${repo}/issues`, pathOf: (id) => `${repo}/issues/${id}` },
        query: "state=open&sort=created&direction=asc",
        closed: { state: "closed", state_reason: "completed" },
      }),
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

const environmentSchema = z.looseObject({
  can_admins_bypass: z.boolean().optional(),
  protection_rules: z
    .array(
      z.looseObject({
        type: z.string(),
        prevent_self_review: z.boolean().optional(),
        reviewers: z.array(z.unknown()).optional(),
      }),
    )
    .optional(),
  deployment_branch_policy: z.looseObject({}).nullish(),
});

/** The required reviewers of an environment. Needs the permission `actions: read`. */
async function githubApproval(
  client: ForgeClient,
  repository: string,
  environment: string,
): Promise<JobApproval> {
  const name = forTerminal(environment, 100);
  const path = `/repos/${repository}/environments/${encodeURIComponent(environment)}`;
  const found = await client.find(path, environmentSchema, {
    403: `the token may not read the environment ${name} of ${repository}, so nobody knows whether its jobs wait for approval. Give the job the permission "actions: read".`,
    404: `${repository} has no environment ${name}, or the token cannot see it: its jobs start without approval. Create it under Settings, Environments, and give the job the permission "actions: read". In private repositories, environments require GitHub Pro or Team, and required reviewers GitHub Enterprise.`,
  });
  if (typeof found === "string") return noApproval(found);
  const rule = found.protection_rules?.find(
    ({ type, reviewers = [] }) => type === "required_reviewers" && reviewers.length > 0,
  );
  if (rule === undefined) {
    return noApproval(
      `the environment ${name} of ${repository} has no required reviewers: its jobs start without approval. Add some under Settings, Environments, ${name}. In private repositories this requires GitHub Enterprise.`,
    );
  }
  const count = rule.reviewers?.length ?? 0;
  const gaps = [
    found.can_admins_bypass !== false &&
      `administrators may bypass the reviewers of ${name}. Clear "Allow administrators to bypass configured protection rules".`,
    rule.prevent_self_review !== true &&
      `whoever starts a run may approve it. Set "Prevent self-review" in the environment ${name}.`,
    !found.deployment_branch_policy &&
      `jobs of any branch may use it, with their own workflow. Limit the environment ${name} to the branch that is applied.`,
  ];
  return {
    asks: true,
    text: `jobs of the environment ${name} wait for ${count === 1 ? "its reviewer" : `one of ${count} reviewers`}`,
    gaps: gaps.filter((gap) => gap !== false),
  };
}
