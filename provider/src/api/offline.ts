/** Whether `PAGE_GUARD_OFFLINE` forbids every request. */
export function isOffline(env: NodeJS.ProcessEnv): boolean {
  const value = (env["PAGE_GUARD_OFFLINE"] ?? "").trim().toLowerCase();
  return !["", "0", "false", "no", "off"].includes(value);
}
