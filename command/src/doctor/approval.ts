import { switchesOn } from "pulumi-page-guard/tools";
import * as z from "zod";
import { forTerminal } from "../documents/escape";
import { ask, type Forge } from "../forge/forges";
import type { Session } from "../shared/session";
import { type Check, fine, stops, warning, warnings } from "./check";

const count = z.number().nullish();
const rule = z.object({ prevent_self_review: z.boolean(), reviewers: z.array(z.unknown()) }).partial();
/** The fields of a GitHub environment or a protected GitLab environment that the check reads. */
const environmentSchema = z
  .object({
    can_admins_bypass: z.boolean(),
    protection_rules: z.array(rule),
    deployment_branch_policy: z.object({}).nullable(),
    deploy_access_levels: z.array(z.object({ access_level: count })),
    required_approval_count: count,
    approval_rules: z.array(z.object({ required_approvals: count })).nullable(),
  })
  .partial();

const name = "approval";

/** Checks whether jobs of an environment wait for approval by a second person. */
export async function approvalChecks(session: Session, forge: Forge, environment: string) {
  const isGithub = forge.name === "GitHub";
  const where = isGithub
    ? "see Settings, Environments; required reviewers in private repositories need GitHub Enterprise, and the job needs the permission actions: read"
    : "see Settings, CI/CD, Protected environments; this needs GitLab Premium, and a token with the scope read_api and the role Maintainer";
  const shown = forTerminal(environment, 100);
  const collection = isGithub ? "environments" : "protected_environments";
  const path = `${forge.root}/${collection}/${encodeURIComponent(environment)}`;
  const { data, status } = await ask(session, forge, ["GET", path], environmentSchema, [403, 404]);
  if (status !== 200) return [nobody(session, `no protected environment ${shown} is visible (${where}).`)];
  const reviewed = data.protection_rules?.find(({ reviewers = [] }) => reviewers.length > 0);
  // Access level 0 means "No one".
  const asks = reviewed ?? data.deploy_access_levels?.find(({ access_level }) => access_level !== 0);
  if (!asks) return [nobody(session, `jobs of ${shown} can start without anybody's approval (${where}).`)];
  const approvals = [
    data.required_approval_count,
    ...(data.approval_rules ?? []).map((one) => one.required_approvals),
  ];
  const how = isGithub ? "wait for a reviewer" : "can be started only by people who may deploy to it";
  return [
    fine(name, `jobs of ${shown} ${how}`),
    ...warnings(name, {
      "administrators may bypass the reviewers.": isGithub && data.can_admins_bypass !== false,
      'whoever starts a run may approve it. Set "Prevent self-review".':
        isGithub && reviewed?.prevent_self_review !== true,
      "jobs of any branch may use the environment. Limit it to the branch that is applied.":
        isGithub && !data.deployment_branch_policy,
      "no second person has to approve. Add an approval rule.":
        !isGithub && !approvals.some((one) => (one ?? 0) > 0),
    }),
  ];
}

function nobody({ env }: Session, text: string): Check {
  return switchesOn(env["PAGE_GUARD_ALLOW_UNREVIEWED"])
    ? warning(
        name,
        `${text} PAGE_GUARD_ALLOW_UNREVIEWED is set, so plans are applied without approval; a plan with a WAF migration also needs --allow unreviewed-migration=STACK.`,
      )
    : stops(name, `${text} To apply without approval, set PAGE_GUARD_ALLOW_UNREVIEWED=1 for all jobs.`);
}
