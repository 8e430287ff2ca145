import type { Policy } from "pulumi-page-guard/tools";

/** Whether a policy is enforced: browsers then block what it does not allow. With any action but `allow`, a policy only logs. */
export function isEnforced({ enabled, action }: Pick<Policy, "enabled" | "action">): boolean {
  return enabled && action === "allow";
}
