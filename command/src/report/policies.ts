import { hostsOf, impact, lintBy, parse, seenItems } from "page-guard-csp";
import { type ItemsInUse, type Policy, reportsViolations as reports } from "pulumi-page-guard/tools";
import type { AuditPolicy, AuditReport } from "../reports/audit/report-data";
import type { DeclaredPolicy } from "../state/declared-zone";
import { hasSecret, opened } from "../state/secrets";

/** Hosts that are named of what a policy blocks; the counts are of all. */
const mostHosts = 100;

/** What is known of a policy besides the zone's own answer. */
interface PolicyContext {
  /** Undefined: scripts and connections could not be read. */
  readonly items: ItemsInUse | undefined;
  readonly declared: DeclaredPolicy | undefined;
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
  return {
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
