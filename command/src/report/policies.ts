import { hostsOf, impact, lintBy, parse, seenItems } from "page-guard-csp";
import { engineMarks, type Policy, type ZoneValues } from "pulumi-page-guard/tools";
import type { AuditPolicy } from "../documents/audit/report-data";
import { asRecord, asString } from "../shared/values";
import type { DeclaredPolicy } from "../state/declared-zone";
import { hasSecret, openSecrets } from "../state/secrets";
import type { EarlierZone } from "./earlier";

/** Maximum number of hosts that a report lists for a policy. The counts include all hosts. */
const mostHosts = 100;

interface PolicyContext {
  /** Undefined if scripts and connections could not be read. */
  readonly items: ZoneValues["inUse"];
  readonly declared: DeclaredPolicy | undefined;
  readonly before: EarlierZone | undefined;
  readonly threshold: number;
  /** Whether an enforced policy of the zone upgrades the requests of a page. */
  readonly isUpgraded: (pageUrl: string) => boolean;
}

/** Returns a policy's fields, sources, lint findings and impact for the report, without values that the stack keeps secret. */
export function auditPolicy(policy: Policy, context: PolicyContext): AuditPolicy {
  const { declared } = context;
  const isHidden = (...names: readonly string[]): boolean =>
    declared !== undefined && names.some((name) => hasSecret(declared.args[name]));
  const isTextHidden = isHidden("value", "directives", "expression");
  const { policyId: id, enabled, action, value, expression, description } = policy;
  return {
    id,
    action,
    enabled,
    description: isHidden("description") ? engineMarks.secretText : description,
    expression: isHidden("expression") ? engineMarks.secretText : expression,
    value: isHidden("value", "directives") ? engineMarks.secretText : value,
    allows: isTextHidden
      ? []
      : parse(value).directives.map(({ name, values }) => ({ directive: name, sources: [...values] })),
    declaredBy: declared ? `${declared.resource.kind} ${declared.resource.name}` : null,
    lint: isTextHidden
      ? []
      : lintBy(value).map(({ ruleId, severity, message }) => ({ rule: ruleId, severity, message })),
    loggingSince: findLoggingSince(policy, context) ?? null,
    impact: isTextHidden ? null : auditImpact(policy, context),
  };
}

function auditImpact(
  { value, expression }: Policy,
  { items, threshold, isUpgraded }: PolicyContext,
): AuditPolicy["impact"] {
  if (items === undefined) return null;
  const seen = seenItems(items.scripts, items.connections);
  const found = impact(value, seen, { hosts: hostsOf(expression), threshold, isUpgraded });
  return {
    examined: found.checkedCount,
    breaks: found.breaks,
    keepsOut: found.keepsOut,
    letsIn: new Set(found.letsIn.flatMap((one) => one.items)).size,
    isPartial: items.hidden !== undefined,
    hosts: found.groups
      .slice(0, mostHosts)
      .map(({ host, breaks, keepsOut, url, reason }) => ({ host, breaks, keepsOut, url, reason })),
  };
}

/** Returns when a policy began to log, from the state or else from the first report that contains exactly this policy. */
function findLoggingSince(policy: Policy, { declared, before }: PolicyContext): string | undefined {
  if (!["log", "add_reporting_directives"].includes(policy.action) || !policy.enabled) return undefined;
  const recorded = openSecrets(declared?.resource.outputs["loggingSince"]);
  const [, key] = /^policies\.(.*)\.$/s.exec(declared?.path ?? "") ?? [];
  const own = asString(key === undefined ? recorded : asRecord(recorded)[key]);
  if (own !== undefined && !Number.isNaN(Date.parse(own))) return own;
  const earlier = before?.policies?.find(({ id }) => id === policy.policyId);
  const fields = ["action", "enabled", "expression", "value"] as const;
  if (!earlier || fields.some((field) => earlier[field] !== policy[field])) return undefined;
  return earlier.loggingSince ?? before?.readAt.policies;
}
