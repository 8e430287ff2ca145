import { isSwitchedOn } from "../../text/switched-on";
import type { Forge } from "../forge/forge";
import { type Check, fine, stops, warning } from "./check";

const name = "approval";

/** Whether a person has to agree before a job of this environment runs. */
export async function approvalChecks(
  forge: Forge,
  environment: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly Check[]> {
  const { asks, text, gaps } = await forge.gate(environment);
  if (asks) return [fine(name, text), ...gaps.map((gap) => warning(name, gap))];
  if (isSwitchedOn(env["PAGE_GUARD_ALLOW_UNREVIEWED"])) {
    return [
      warning(
        name,
        `${text} PAGE_GUARD_ALLOW_UNREVIEWED is set, so plans are applied all the same; one with a WAF migration takes --allow unreviewed-migration=STACK.`,
      ),
    ];
  }
  return [stops(name, `${text} To apply without approval, set PAGE_GUARD_ALLOW_UNREVIEWED=1 for all jobs.`)];
}
