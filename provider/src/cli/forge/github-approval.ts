import { z } from "zod";
import { forTerminal } from "../../reports/escape";
import type { ForgeClient } from "./client";
import type { JobApproval } from "./forge";

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
  const question = { method: "GET", path } as const;
  const answer = await client.send(question);
  const closed = (text: string): JobApproval => ({ asks: false, text, gaps: [] });
  if (answer.status === 403) {
    return closed(
      `the token may not read the environment ${name} of ${repository}, so nobody knows whether its jobs wait for approval. Give the job the permission "actions: read".`,
    );
  }
  if (answer.status === 404) {
    return closed(
      `${repository} has no environment ${name}, or the token cannot see it: its jobs start without approval. Create it under Settings, Environments, and give the job the permission "actions: read". In private repositories, environments require GitHub Pro or Team, and required reviewers GitHub Enterprise.`,
    );
  }
  const { data } = client.accept(answer, question, environmentSchema);
  const rule = data.protection_rules?.find(
    ({ type, reviewers = [] }) => type === "required_reviewers" && reviewers.length > 0,
  );
  if (rule === undefined) {
    return closed(
      `the environment ${name} of ${repository} has no required reviewers: its jobs start without approval. Add some under Settings, Environments, ${name}. In private repositories this requires GitHub Enterprise.`,
    );
  }
  const count = rule.reviewers?.length ?? 0;
  const gaps = [
    data.can_admins_bypass !== false &&
      `administrators may bypass the reviewers of ${name}. Clear "Allow administrators to bypass configured protection rules".`,
    rule.prevent_self_review !== true &&
      `whoever starts a run may approve it. Set "Prevent self-review" in the environment ${name}.`,
    !data.deployment_branch_policy &&
      `jobs of any branch may use it, with their own workflow. Limit the environment ${name} to the branch that is applied.`,
  ];
  return {
    asks: true,
    text: `jobs of the environment ${name} wait for ${count === 1 ? "its reviewer" : `one of ${count} reviewers`}`,
    gaps: gaps.filter((gap) => gap !== false),
  };
}
