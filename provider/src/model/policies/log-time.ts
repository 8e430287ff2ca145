import { onlyAllowsMore } from "page-guard-csp";
import { plural } from "../../text/shown";
import { isSameField } from "../compare";
import { errorOn, type Finding } from "../finding";
import type { Properties } from "../properties";
import { isUnknown } from "../unknown";
import { declaredText, type RecordedPolicy } from "./declared-policy";

/** Fields of a policy that decide since when its log counts. */
export interface Logged extends Pick<RecordedPolicy, "action" | "expression" | "enabled" | "value"> {
  readonly loggingSince?: string | undefined;
}

/**
 * Returns the time since when the policy has logged its current content, ISO 8601. It starts again if the policy is switched
 * on, changes to `log`, selects other pages, or forbids something that it allowed before. A policy in `allow` keeps the time of
 * its log.
 */
export function loggingSince(now: number, before: Logged, after: Logged): string | undefined {
  const isLogging = reports(after.action) && (after.enabled ?? true);
  if (!isLogging) return after.action === "allow" ? before.loggingSince : undefined;
  return before.loggingSince !== undefined && continues(before, after)
    ? before.loggingSince
    : new Date(now).toISOString();
}

/** Actions that report what the policy does not allow, and block nothing. */
export function reports(action: unknown): boolean {
  return action === "log" || action === "add_reporting_directives";
}

function continues(before: Logged, after: Logged): boolean {
  return (
    reports(before.action) &&
    (before.enabled ?? true) &&
    isSameField("policy", "expression", before.expression, after.expression) &&
    onlyAllowsMore(before.value ?? "", after.value ?? "")
  );
}

/** Returns an error if a change from `log` to `allow` comes too early; empty if the policy has logged long enough. */
export function tooEarlyFindings(
  now: number,
  days: unknown,
  before: Logged,
  { action, expression, ...declared }: Properties,
): Finding[] {
  if (typeof days !== "number" || !reports(before.action) || action !== "allow") return [];
  // What is not known yet may be as it was: the update decides.
  const known = <Was>(text: unknown, was: Was) => (typeof text === "string" && !isUnknown(text) ? text : was);
  const value = known(declaredText(declared), before.value);
  const after = { action: "log", value, expression: known(expression, before.expression) };
  const since = loggingSince(now, before, after) ?? new Date(now).toISOString();
  const fine = Date.parse(since) + days * 24 * 60 * 60 * 1000;
  if (fine <= now) return [];
  const from = new Date(fine).toISOString();
  const message =
    since === before.loggingSince
      ? `the policy has logged since ${since}, and minimumLogDays requires ${plural(days, "day")} before it may block. You can change it to "allow" from ${from} on; until then leave action at "log".`
      : `minimumLogDays requires ${plural(days, "day")} in log before the policy may block, and this count starts now: it restarts when a policy is adopted or switched on, is for other pages, or forbids more than before. Apply it with action "log" first. If you do this now, you can change it to "allow" from ${from} on.`;
  return [errorOn("action", "csp-too-early", message)];
}
