import type { Policy } from "pulumi-page-guard/tools";

/** Whether browsers block what a policy does not allow. A policy with any action but `allow` only logs. */
export function isEnforced({ enabled, action }: Pick<Policy, "enabled" | "action">): boolean {
  return enabled && action === "allow";
}
