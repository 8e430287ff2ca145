import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { CommandError } from "../command-error";
import type { Session } from "../session";
import { withoutQuickActions } from "./body";
import { ForgeClient } from "./client";
import type { Answer, Board, Forge, IssueBoard, Question, Written } from "./forge";
import { gitlabApproval } from "./gitlab-approval";
import { ownership } from "./keep-one";

const author = z.object({ id: z.number() }).nullish();
const note = z.object({ id: z.number(), body: z.string().nullish(), author, system: z.boolean().optional() });
const issue = z.object({
  iid: z.number(),
  description: z.string().nullish(),
  author,
  web_url: z.string().optional(),
});

/** GitLab by its REST API, with the environment of its CI. */
export function gitlabForge(session: Session, mostWaitMs: number): Forge {
  const { env } = session;
  const project = env["CI_PROJECT_ID"] ?? "";
  if (project === "") {
    throw new CommandError(
      "CI_PROJECT_ID is not set. Set it to the number of the project, or to group/name.",
    );
  }
  const token = (env["GITLAB_TOKEN"] ?? "").trim();
  if (token === "") {
    throw new CommandError(
      "GITLAB_TOKEN is not set. Create a project access token with the scope api, and store it as a masked variable of the CI. (CI_JOB_TOKEN may not write notes.)",
    );
  }
  const client = new ForgeClient({
    session,
    token,
    baseUrl: env["CI_API_V4_URL"] || "https://gitlab.com/api/v4",
    urlFrom: "CI_API_V4_URL",
    headers: { "private-token": token },
    explain: (answer, question) => explain(answer, question, project),
    mostWaitMs,
  });
  const at = `/projects/${encodeURIComponent(project)}`;
  const isOurs = ownership(session, async () => {
    const { body } = await client.send({ method: "GET", path: "/user" });
    return z.object({ id: z.number() }).safeParse(jsonOf(body)).data?.id;
  });

  function showNote(one: z.infer<typeof note>): Written {
    const isNote = one.system !== true;
    return { id: one.id, body: one.body ?? "", isOurs: async () => isNote && (await isOurs(one.author?.id)) };
  }
  function showIssue(one: z.infer<typeof issue>): Written {
    const { iid: id, description, web_url: url } = one;
    return { id, body: description ?? "", isOurs: () => isOurs(one.author?.id), url };
  }

  return {
    get number() {
      const iid = Number(env["CI_MERGE_REQUEST_IID"] ?? "");
      return Number.isInteger(iid) && iid > 0 ? iid : undefined;
    },
    fit: withoutQuickActions,
    jobApproval: (environment) => gitlabApproval(client, project, environment),
    comments(number): Board {
      const notes = `${at}/merge_requests/${number}/notes`;
      return {
        name: `${project}!${number}`,
        async *list() {
          for await (const one of client.pages(`${notes}?sort=asc&order_by=created_at`, note, hasNext)) {
            yield showNote(one);
          }
        },
        async add(body) {
          return showNote((await client.ask({ method: "POST", path: notes, body: { body } }, note)).data);
        },
        async edit(id, body) {
          const path = `${notes}/${id}`;
          return showNote((await client.ask({ method: "PUT", path, body: { body } }, note)).data);
        },
      };
    },
    issues(title): IssueBoard {
      const change = async (id: number, body: object): Promise<Written> =>
        showIssue((await client.ask({ method: "PUT", path: `${at}/issues/${id}`, body }, issue)).data);
      return {
        name: `the issues of ${project}`,
        async *list() {
          const path = `${at}/issues?state=opened&sort=asc&order_by=created_at`;
          for await (const one of client.pages(path, issue, hasNext)) yield showIssue(one);
        },
        async add(description) {
          const body = { title, description };
          return showIssue((await client.ask({ method: "POST", path: `${at}/issues`, body }, issue)).data);
        },
        edit: (id, description) => change(id, { description }),
        async close(id) {
          await change(id, { state_event: "close" });
        },
      };
    },
  };
}

function hasNext(headers: Answer["headers"]): boolean {
  return (headers["x-next-page"] ?? "") !== "";
}

function explain({ status, body }: Answer, { method, path }: Question, project: string): string {
  const said = z.object({ message: z.unknown(), error: z.unknown() }).partial().safeParse(jsonOf(body)).data;
  const text = said?.message ?? said?.error;
  const told = typeof text === "string" ? ` (${forTerminal(text)})` : "";
  const answered = `GitLab answered ${status}${told}`;
  const what = `${method} ${forTerminal(path.replace(/\?.*$/, ""))}`;
  switch (status) {
    case 401:
      return `${answered}: GITLAB_TOKEN is invalid or expired.`;
    case 403:
      return `${answered} to ${what}: the token may not do this. It needs the scope api and the role Reporter; the scope read_api is not enough.`;
    case 404:
      return `${answered} to ${what}: project ${forTerminal(project)} has no such merge request or issue, or the token cannot see it.`;
    default:
      return `${answered} to ${what}.`;
  }
}
