import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { CommandError } from "../command-error";
import type { Session } from "../session";
import { boardsOf, type ForgeText } from "./board";
import { withoutQuickActions } from "./body";
import { ForgeClient } from "./client";
import type { Forge } from "./forge";
import { gitlabApproval } from "./gitlab-approval";

const author = z.object({ id: z.number() }).nullish();
const note = z
  .object({ id: z.number(), body: z.string().nullish(), author, system: z.boolean().optional() })
  .transform(({ id, body, author: by, system }): ForgeText => {
    return { id, body: body ?? "", author: system ? undefined : by?.id };
  });
const issue = z
  .object({ iid: z.number(), description: z.string().nullish(), author, web_url: z.string().optional() })
  .transform(({ iid: id, description, author: by, web_url: url }): ForgeText => {
    return { id, body: description ?? "", author: by?.id, url };
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
    ...{ session, name: "GitLab", token, urlFrom: "CI_API_V4_URL", mostWaitMs },
    baseUrl: env["CI_API_V4_URL"] || "https://gitlab.com/api/v4",
    headers: { "private-token": token },
    meanings: {
      401: "GITLAB_TOKEN is invalid or expired. Create a new one.",
      403: "The token may not do this. It needs the scope api and the role Reporter; the scope read_api is not enough.",
      404: `Project ${forTerminal(project)} has no such merge request or issue, or the token cannot see it. Check CI_PROJECT_ID and the role of the token.`,
    },
  });
  const at = `/projects/${encodeURIComponent(project)}`;
  const board = boardsOf(session, client, async () => {
    const { body } = await client.send({ method: "GET", path: "/user" });
    return z.object({ id: z.number() }).safeParse(jsonOf(body)).data?.id;
  });
  return {
    get number() {
      const iid = Number(env["CI_MERGE_REQUEST_IID"] ?? "");
      return Number.isInteger(iid) && iid > 0 ? iid : undefined;
    },
    fit: withoutQuickActions,
    jobApproval: (environment) => gitlabApproval(client, project, environment),
    comments(number) {
      const path = `${at}/merge_requests/${number}/notes`;
      return board({
        ...{ name: `${project}!${number}`, schema: note, edits: "PUT", field: "body" },
        ...{ path, query: "sort=asc&order_by=created_at", pathOf: (id) => `${path}/${id}` },
      });
    },
    issues(title) {
      const path = `${at}/issues`;
      const issues = board({
        ...{ name: `the issues of ${project}`, schema: issue, edits: "PUT", field: "description", title },
        ...{ path, query: "state=opened&sort=asc&order_by=created_at", pathOf: (id) => `${path}/${id}` },
      });
      return { ...issues, close: (id) => issues.change(id, { state_event: "close" }) };
    },
  };
}
