import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { CommandError } from "../command-error";
import { readBytes } from "../read-text";
import type { Session } from "../session";
import { ForgeClient, perPage } from "./client";
import type { Answer, Board, Forge, IssueBoard, Question, Written } from "./forge";
import { githubApproval } from "./github-approval";
import { ownership } from "./keep-one";

const written = z.object({
  body: z.string().nullish(),
  html_url: z.string().optional(),
  user: z.object({ login: z.string() }).nullish(),
});
const comment = written.extend({ id: z.number() });
const issue = written.extend({ number: z.number(), pull_request: z.unknown().optional() });
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
    session,
    token,
    baseUrl,
    urlFrom: "GITHUB_API_URL",
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
    },
    explain: (answer, question) => explain(answer, question, repository),
    mostWaitMs,
  });
  const graphql = client.at(baseUrl.replace(/\/v3\/*$/, ""));
  const repo = `/repos/${repository}`;
  const isOurs = ownership(session, () => ownerOf(graphql));

  function show(one: z.infer<typeof written>, id: number): Written {
    return { id, body: one.body ?? "", isOurs: () => isOurs(one.user?.login), url: one.html_url };
  }

  return {
    get number() {
      return numberOf(session, env["GITHUB_EVENT_PATH"]);
    },
    fit: (body) => body,
    jobApproval: (environment) => githubApproval(client, repository, environment),
    comments(number): Board {
      return {
        name: `${repository}#${number}`,
        async *list() {
          for await (const one of client.pages(`${repo}/issues/${number}/comments`, comment, hasNext)) {
            yield show(one, one.id);
          }
        },
        async add(body) {
          const path = `${repo}/issues/${number}/comments`;
          const { data } = await client.ask({ method: "POST", path, body: { body } }, comment);
          return show(data, data.id);
        },
        async edit(id, body) {
          const path = `${repo}/issues/comments/${id}`;
          const { data } = await client.ask({ method: "PATCH", path, body: { body } }, comment);
          return show(data, data.id);
        },
      };
    },
    issues(title): IssueBoard {
      const change = async (id: number, body: object): Promise<Written> => {
        const { data } = await client.ask({ method: "PATCH", path: `${repo}/issues/${id}`, body }, issue);
        return show(data, data.number);
      };
      return {
        name: `the issues of ${repository}`,
        async *list() {
          const path = `${repo}/issues?state=open&sort=created&direction=asc`;
          for await (const one of client.pages(path, issue, hasNext)) {
            // The list has pull requests, too.
            if (one.pull_request === undefined) yield show(one, one.number);
          }
        },
        async add(body) {
          const path = `${repo}/issues`;
          const { data } = await client.ask({ method: "POST", path, body: { title, body } }, issue);
          return show(data, data.number);
        },
        edit: (id, body) => change(id, { body }),
        async close(id) {
          await change(id, { state: "closed", state_reason: "completed" });
        },
      };
    },
  };
}

function hasNext({ link }: Answer["headers"], count: number): boolean {
  return link === undefined ? count === perPage : /rel="?next/.test(link);
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

function explain({ status, body }: Answer, { method, path }: Question, repository: string): string {
  const said = z.object({ message: z.string() }).safeParse(jsonOf(body)).data?.message;
  const answered = `GitHub answered ${status}${said === undefined ? "" : ` (${forTerminal(said)})`}`;
  const what = `${method} ${forTerminal(path.replace(/\?.*$/, ""))}`;
  switch (status) {
    case 301:
    case 302:
    case 307:
    case 308:
      return `${answered} to ${what}: the repository ${repository} has moved. Set GITHUB_REPOSITORY to its new name.`;
    case 401:
      return `${answered}: GITHUB_TOKEN is invalid or expired.`;
    case 403:
      return `${answered} to ${what}: the token may not do this. Give the job the permission "pull-requests: write" for a comment, "issues: write" for an issue. A pull request from a fork cannot have it: show the review in the summary of the job instead (page-guard review --summary).`;
    case 404:
      return `${answered} to ${what}: ${repository} has no such pull request or issue, or the token cannot see it.`;
    case 410:
      return `${answered} to ${what}: issues are disabled in ${repository}.`;
    default:
      return `${answered} to ${what}.`;
  }
}
