import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import type { ForgeClient } from "./client";
import { type JobApproval, noApproval } from "./forge";

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
export async function gitlabApproval(
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
