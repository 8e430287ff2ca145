import type { Policy } from "../../api/client-types";
import type { Answer } from "../effect";
import type { Properties } from "../properties";
import { isText } from "../unknown";

/** Whether a policy is enforced: browsers block what it does not allow. With any action but `allow`, a policy only logs. */
export function isEnforced({ enabled, action }: Pick<Policy, "enabled" | "action">): boolean {
  return enforces({ enabled, action }) === "yes";
}

/** Whether a declared policy is enforced: `maybe` if the deciding value is secret or not known yet. */
export function enforces({ action, enabled = true }: Properties): Answer {
  if (enabled === false || (isText(action) && action !== "allow")) return "no";
  return action === "allow" && enabled === true ? "yes" : "maybe";
}
