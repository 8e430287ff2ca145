import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { CommandError } from "../command-error";
import type { Session } from "../session";
import { boardsOf, type ForgeText } from "./board";
import { withoutQuickActions } from "./body";
import { ForgeClient } from "./client";
import { type Forge, type JobApproval, noApproval } from "./forge";

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
      return board({
        ...{ name: `the issues of ${project}`, schema: issue, edits: "PUT", field: "description", title },
        ...{ path, query: "state=opened&sort=asc&order_by=created_at", pathOf: (id) => `${path}/${id}` },
        closed: { state_event: "close" },
      });
    },
  };
}

const protectedSchema = z.looseObject({
  deploy_access_levels: z.array(
    z.looseObject({
      access_level: z.number().nullish(),
      access_level_description: z.string().nullish(),
    }),
  ),
  required_approval_count: z.number().nullish(),
  approval_rules: z.array(z.looseObject({ required_approvals: z.number().nullish() })).nullish(),
});

/** The access level "No one". */
const nobody = 0;

/** Who may start the jobs of a protected environment. Needs a token with the role Maintainer. */
async function gitlabApproval(
  client: ForgeClient,
  project: string,
  environment: string,
): Promise<JobApproval> {
  const name = forTerminal(environment, 100);
  const path = `/projects/${encodeURIComponent(project)}/protected_environments/${encodeURIComponent(environment)}`;
  const found = await client.find(path, protectedSchema, {
    403: `the token may not read the protected environment ${name}, so nobody knows who may start its jobs. GITLAB_TOKEN needs the scope read_api and the role Maintainer.`,
    404: `the environment ${name} is not protected in this project: whoever may push may start its jobs. Protect it under Settings, CI/CD, Protected environments (GitLab Premium). Protection by the group is not visible here.`,
  });
  if (typeof found === "string") return noApproval(found);
  const starters = found.deploy_access_levels.filter(({ access_level }) => access_level !== nobody);
  if (starters.length === 0) {
    return noApproval(
      `nobody may start jobs of the environment ${name}. Allow someone to deploy under Settings, CI/CD, Protected environments.`,
    );
  }
  const who = starters
    .slice(0, 5)
    .map(({ access_level_description: name }) => forTerminal(name ?? "others", 60))
    .join(", ");
  const isApproved =
    (found.required_approval_count ?? 0) > 0 ||
    (found.approval_rules ?? []).some(({ required_approvals: count }) => (count ?? 0) > 0);
  return {
    asks: true,
    text: `the environment ${name} is protected; its jobs may be started by ${who}`,
    gaps: isApproved
      ? []
      : [
          `no second person has to approve a deployment to ${name}: any of ${who} may apply what they merged. Add an approval rule.`,
        ],
  };
}
