import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import type { ForgeClient } from "./client";
import { type JobApproval, noApproval } from "./forge";

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
export async function githubApproval(
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
