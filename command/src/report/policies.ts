import { hostsOf, impact, lintBy, parse, seenItems, unseenKinds } from "page-guard-csp";
import {
  dayMs,
  type ItemsInUse,
  type Policy,
  plural,
  reportsViolations as reports,
} from "pulumi-page-guard/tools";
import type { AuditPolicy, AuditReport } from "../reports/audit/report-data";
import type { DeclaredPolicy } from "../state/declared-zone";
import { hasSecret, opened } from "../state/secrets";

/** Advice of the service for production, where the program asks for no other number. */
const usualLogDays = 7;

/** Hosts that are named of what a policy blocks; the counts are of all. */
const mostHosts = 100;

/** What is known of a policy besides the zone's own answer. */
export interface PolicyContext {
  /** Undefined: scripts and connections could not be read. */
  readonly items: ItemsInUse | undefined;
  readonly declared: DeclaredPolicy | undefined;
  readonly now: number;
  /** The same policy in an earlier report, and when that was made. */
  readonly earlier: { readonly policy: AuditPolicy; readonly madeAt: string } | undefined;
  readonly threshold: number;
}

/** What a policy allows, blocks and still lacks. */
export function auditPolicy(policy: Policy, context: PolicyContext): AuditPolicy {
  const { declared } = context;
  const hidden = declared ? hiddenFields(declared) : [];
  const isTextHidden = hidden.includes("value") || hidden.includes("expression");
  const loggingSince = loggingSinceOf(policy, context);
  const lint = isTextHidden ? [] : lintBy(policy.value);
  const found = isTextHidden ? null : impactOf(policy, context);
  const { policyId: id, enabled, action } = policy;
  const shown = (field: "description" | "expression" | "value"): string =>
    hidden.includes(field) ? "[secret]" : policy[field];
  const audited = {
    id,
    description: shown("description"),
    action,
    enabled,
    expression: shown("expression"),
    value: shown("value"),
    allows: isTextHidden
      ? []
      : parse(policy.value).directives.map(({ name, values }) => ({ directive: name, sources: [...values] })),
    declaredBy: declared ? `${declared.resource.kind} ${declared.resource.name}` : null,
    lint: lint.map(({ ruleId, severity, message }) => ({ rule: ruleId, severity, message })),
    loggingSince: loggingSince ?? null,
    impact: found,
  };
  return { ...audited, ready: reports(action) ? readiness(audited, policy, context) : null };
}

function impactOf({ value, expression }: Policy, { items, threshold }: PolicyContext): AuditPolicy["impact"] {
  if (items === undefined) return null;
  const seen = seenItems(items.scripts, items.connections);
  const found = impact(value, seen, { hosts: hostsOf(expression), threshold });
  return {
    examined: found.checkedCount,
    breaks: found.breaks,
    keepsOut: found.keepsOut,
    letsIn: new Set(found.letsIn.flatMap((one) => one.items)).size,
    isPartial: items.isPartial,
    hosts: found.groups
      .slice(0, mostHosts)
      .map(({ host, breaks, keepsOut, url, reason }) => ({ host, breaks, keepsOut, url, reason })),
  };
}

type Answer = NonNullable<AuditPolicy["ready"]>["answer"];

/** Whether a policy that only logs can be enforced, and why not. */
function readiness(
  { lint, loggingSince, impact: found }: Omit<AuditPolicy, "ready">,
  { enabled, value }: Policy,
  { declared, now }: PolicyContext,
): AuditPolicy["ready"] {
  const minimum = minimumLogDays(declared);
  const days = loggingSince === null ? minimum : Math.floor((now - Date.parse(loggingSince)) / dayMs);
  const lost = found ? found.breaks.scripts + found.breaks.connections : 0;
  const grave = lint.filter(({ severity }) => severity === "high").map(({ rule }) => rule);
  const all: readonly (readonly [isSo: boolean, answer: Answer, reason: string])[] = [
    [!enabled, "no", "It is switched off, so nothing is logged."],
    [
      loggingSince === null,
      "unknown",
      "It is not known since when it logs: give the state of its stack (--stack, --state) or an earlier report (--since).",
    ],
    [
      days < minimum,
      "no",
      `It has logged for ${plural(days, "day")}; ${plural(minimum, "day")} are the minimum.`,
    ],
    [found === null, "unknown", "What it would block could not be checked."],
    [
      lost > 0,
      "no",
      `It would block ${plural(lost, "script or connection", "scripts and connections")} in use.`,
    ],
    [!!found?.letsIn, "no", `It lets in ${plural(found?.letsIn ?? 0, "malicious item")}.`],
    [found?.examined === 0, "unknown", "Nothing was seen on its hosts, so what it would block is not known."],
    [!!found?.isPartial, "unknown", "The service does not show everything that is in use."],
    [grave.length > 0, "no", `Lint: ${grave.join(", ")}.`],
  ];
  const against = all.filter(([isSo]) => isSo);
  const isRefused = against.some(([, answer]) => answer === "no");
  const unseen = unseenKinds(value);
  const note = `It also restricts what the service does not list: ${unseen.join(", ")}.`;
  return {
    answer: isRefused ? "no" : against.length > 0 ? "unknown" : "yes",
    reasons: [...against.map(([, , reason]) => reason), ...(unseen.length > 0 ? [note] : [])],
  };
}

/** As the state has it; else it has logged at least since the first report that shows the very policy. */
function loggingSinceOf(policy: Policy, { declared, earlier }: PolicyContext): string | undefined {
  if (!reports(policy.action) || !policy.enabled) return undefined;
  const recorded = declared && recordedLog(declared);
  if (recorded !== undefined) return recorded;
  const fields = ["action", "enabled", "expression", "value"] as const;
  if (!earlier || fields.some((field) => earlier.policy[field] !== policy[field])) return undefined;
  return earlier.policy.loggingSince ?? earlier.madeAt;
}

function recordedLog({ resource, path }: DeclaredPolicy): string | undefined {
  const since = opened(resource.outputs["loggingSince"]);
  const [, key] = /^policies\.(.*)\.$/s.exec(path) ?? [];
  const own = key === undefined ? since : Object.getOwnPropertyDescriptor(Object(since), key)?.value;
  return typeof own === "string" && !Number.isNaN(Date.parse(own)) ? own : undefined;
}

function minimumLogDays(declared: DeclaredPolicy | undefined): number {
  const days = opened(declared?.resource.inputs["minimumLogDays"]);
  return typeof days === "number" ? days : usualLogDays;
}

/** What the stack keeps secret is not shown. */
function hiddenFields({ args }: DeclaredPolicy): readonly string[] {
  const isHidden = (name: string): boolean => hasSecret(args[name]);
  return [
    ...["description", "expression"].filter(isHidden),
    ...(isHidden("value") || isHidden("directives") ? ["value"] : []),
  ];
}

/** By zone and id. */
export function earlierPolicies(since: AuditReport | undefined, zoneId: string) {
  const policies = since?.data.zones.find(({ id }) => id === zoneId)?.policies ?? [];
  const madeAt = since?.head.madeAt ?? "";
  return new Map(policies.map((policy) => [policy.id, { policy, madeAt }]));
}
