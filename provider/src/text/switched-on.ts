/** Whether an environment variable that is a switch is on. */
export function isSwitchedOn(value: string | undefined): boolean {
  return !["", "0", "false", "no", "off"].includes((value ?? "").trim().toLowerCase());
}
