import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { CommandError } from "../command-error";
import { readBytes } from "../read-text";
import type { Session } from "../session";
import { ForgeClient, type ForgeClientOptions } from "./client";
import type { Answer, Question } from "./exchange";
import type { Board, Forge, IssueBoard, Written } from "./forge";
import { githubGate } from "./github-gate";
import { ownership } from "./ownership";

const perPage = 100;
/** More than a person reads: what stands behind them is not looked at. */
const mostPages = 400;

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

/** GitHub by its REST interface, with what its CI sets in the environment. */
export function githubForge(session: Session, mostWaitMs: number): Forge {
  const { env } = session;
  const repository = env["GITHUB_REPOSITORY"] ?? "";
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) {
    throw new CommandError("GITHUB_REPOSITORY is not set. It names the repository: owner/name.");
  }
  const token = (env["GITHUB_TOKEN"] ?? "").trim();
  if (token === "") {
    throw new CommandError(
      "GITHUB_TOKEN is not set. In a workflow, give the step: env: { GITHUB_TOKEN: $" +
        "{{ github.token }} }.",
    );
  }
  const baseUrl = env["GITHUB_API_URL"] || "https://api.github.com";
  const options: ForgeClientOptions = {
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
  };
  const client = new ForgeClient(options);
  // Beside the REST interface, on the same host: the token goes to no other.
  const graphql = new ForgeClient({ ...options, baseUrl: baseUrl.replace(/\/v3\/*$/, "") });
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
    gate: (environment) => githubGate(client, repository, environment),
    comments(number): Board {
      return {
        name: `${repository}#${number}`,
        async *list() {
          for await (const one of pages(client, `${repo}/issues/${number}/comments`, comment)) {
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
          for await (const one of pages(client, path, issue)) {
            // The same list holds pull requests.
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

/** Each page is asked for by its number; where the last one is, the `link` header says. A URL of it is never followed. */
async function* pages<T>(client: ForgeClient, path: string, schema: z.ZodType<T>): AsyncIterable<T> {
  const list = `${path}${path.includes("?") ? "&" : "?"}per_page=${perPage}`;
  for (let page = 1; page <= mostPages; page += 1) {
    const { data, headers } = await client.ask(
      { method: "GET", path: `${list}&page=${page}` },
      z.array(schema),
    );
    yield* data;
    const isLast =
      headers["link"] === undefined ? data.length < perPage : !/rel="?next/.test(headers["link"]);
    if (isLast || data.length === 0) return;
  }
}

/** Of a person or of an app: the token of a workflow may not ask `GET /user`. */
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
      "GITHUB_EVENT_PATH names no file that can be read. Give the number of the pull request: --number.",
    );
  }
  const told = event.safeParse(text).data;
  return (
    told?.pull_request?.number ?? (told?.issue?.pull_request ? told.issue.number : undefined) ?? told?.number
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
      return `${answered}: GITHUB_TOKEN is not valid, or no longer.`;
    case 403:
      return `${answered} to ${what}: the token may not do this. Give the job the permission "pull-requests: write" for a comment, "issues: write" for an issue. In a pull request from a fork it cannot have it: show the review in the job's summary instead (page-guard review --summary).`;
    case 404:
      return `${answered} to ${what}: there is no such pull request or issue in ${repository}, or the token does not see it.`;
    case 410:
      return `${answered} to ${what}: issues are switched off in ${repository}.`;
    default:
      return `${answered} to ${what}.`;
  }
}
