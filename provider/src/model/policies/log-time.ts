import { onlyAllowsMore } from "page-guard-csp";
import { pluralize } from "../../text/shown";
import { isSameField } from "../compare";
import { type Finding, makeError } from "../finding";
import type { Properties } from "../properties";
import { isText } from "../unknown";
import { declaredText, type RecordedPolicy } from "./declared-policy";

/** Fields of a policy that determine how long it has been logging. */
export interface Logged extends Pick<RecordedPolicy, "action" | "expression" | "enabled" | "value"> {
  readonly loggingSince?: string | undefined;
}

/**
 * Returns the time (ISO 8601) at which the policy began to log with its current content. The time is reset if the policy is
 * switched on, changes to `log`, selects other pages, or forbids something that it allowed before. A policy with the action
 * `allow` keeps the time at which it last began to log. A disabled policy with another action has no time.
 */
export function loggingSince(now: number, before: Logged, after: Logged): string | undefined {
  const isLogging = onlyReports(after.action) && (after.enabled ?? true);
  if (!isLogging) return after.action === "allow" ? before.loggingSince : undefined;
  return before.loggingSince !== undefined && continues(before, after)
    ? before.loggingSince
    : new Date(now).toISOString();
}

/** Whether an action reports violations of the policy and blocks nothing. */
export function onlyReports(action: unknown): boolean {
  return action === "log" || action === "add_reporting_directives";
}

function continues(before: Logged, after: Logged): boolean {
  return (
    onlyReports(before.action) &&
    (before.enabled ?? true) &&
    isSameField("policy", "expression", before.expression, after.expression) &&
    onlyAllowsMore(before.value ?? "", after.value ?? "")
  );
}

/** Returns an error if a change from `log` to `allow` comes too early; otherwise an empty list. */
export function tooEarlyFindings(
  now: number,
  days: unknown,
  before: Logged,
  { action, expression, ...declared }: Properties,
): Finding[] {
  if (typeof days !== "number" || !onlyReports(before.action) || action !== "allow") return [];
  // Treats a value that is not known yet as unchanged. The update checks again.
  const known = <Was>(text: unknown, was: Was) => (isText(text) ? text : was);
  const value = known(declaredText(declared), before.value);
  const after = { action: "log", value, expression: known(expression, before.expression) };
  const since = loggingSince(now, before, after) ?? new Date(now).toISOString();
  // With a huge number of days, the policy may never block. 8.64e15 is the last date that JavaScript can express.
  const allowedFrom = Math.min(Date.parse(since) + days * 24 * 60 * 60 * 1000, 8.64e15);
  if (allowedFrom <= now) return [];
  const from = new Date(allowedFrom).toISOString();
  const message =
    since === before.loggingSince
      ? `the policy has logged since ${since}, and minimumLogDays requires ${pluralize(days, "day")} before it may block. You can change it to "allow" from ${from}; until then leave action at "log".`
      : `minimumLogDays requires ${pluralize(days, "day")} in log before the policy may block, and the count starts now. It restarts when a policy is adopted or switched on, selects other pages, or forbids more than before. Apply it with action "log" first. If you do this now, you can change it to "allow" from ${from}.`;
  return [makeError("action", "csp-too-early", message)];
}
