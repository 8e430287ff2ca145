import { z } from "pulumi-page-guard/tools";
import { ask, ForgeRefusal } from "../forge/ask";
import type { Forge } from "../forge/forges";
import { forTerminal } from "../reports/escape";
import type { Session } from "../session";

/** Of an environment of GitHub, of a protected environment of GitLab. */
const environmentSchema = z
  .object({
    can_admins_bypass: z.boolean(),
    protection_rules: z.array(
      z.object({ prevent_self_review: z.boolean(), reviewers: z.array(z.unknown()) }).partial(),
    ),
    deployment_branch_policy: z.object({}).nullable(),
    deploy_access_levels: z.array(z.object({ access_level: z.number().nullish() })),
    required_approval_count: z.number().nullable(),
    approval_rules: z.array(z.object({ required_approvals: z.number().nullish() })).nullable(),
  })
  .partial();

/** Whether jobs of an environment wait for a person (`asks`), what to do if not, and the ways around a second person. */
export async function jobApproval(session: Session, forge: Forge, environment: string) {
  const name = forTerminal(environment, 100);
  const isGithub = forge.name === "GitHub";
  const where = isGithub
    ? "Settings, Environments; in private repositories, required reviewers need GitHub Enterprise; the job needs the permission actions: read"
    : "Settings, CI/CD, Protected environments; needs GitLab Premium, the token read_api and the role Maintainer";
  try {
    const { data } = await ask(session, forge, ["GET", forge.environment(environment)], environmentSchema);
    const rule = data.protection_rules?.find(({ reviewers = [] }) => reviewers.length > 0);
    const counts = [
      data.required_approval_count,
      ...(data.approval_rules ?? []).map((one) => one.required_approvals),
    ];
    const gaps = isGithub
      ? [
          data.can_admins_bypass !== false && "administrators may bypass the reviewers.",
          rule?.prevent_self_review !== true &&
            'whoever starts a run may approve it. Set "Prevent self-review".',
          !data.deployment_branch_policy &&
            "jobs of any branch may use it. Limit it to the branch that is applied.",
        ]
      : [
          !counts.some((count) => (count ?? 0) > 0) &&
            "no second person has to approve. Add an approval rule.",
        ];
    // The access level 0 is "No one".
    const asks = rule ?? data.deploy_access_levels?.find(({ access_level }) => access_level !== 0);
    if (asks === undefined)
      return { asks: false, text: `jobs of ${name} need nobody's approval to start (${where}).`, gaps: [] };
    const how = isGithub
      ? "wait for a reviewer"
      : "are started by those who may deploy to it, and nobody else";
    return { asks: true, text: `jobs of ${name} ${how}`, gaps: gaps.filter((gap) => gap !== false) };
  } catch (error) {
    if (!(error instanceof ForgeRefusal) || ![403, 404].includes(error.status)) throw error;
    return { asks: false, text: `no protected environment ${name} is visible (${where}).`, gaps: [] };
  }
}
