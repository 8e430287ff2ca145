import { isSwitchedOn } from "../text/from-outside";

/** Whether `PAGE_GUARD_OFFLINE` forbids every request. */
export function isOffline(env: NodeJS.ProcessEnv): boolean {
  return isSwitchedOn(env["PAGE_GUARD_OFFLINE"]);
}
