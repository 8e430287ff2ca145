import type { JsonObject } from "../wire/checks";
import type { SentEntrypoint, SentRule } from "../wire/entrypoint-body";
import { codes, RefusalError } from "../wire/operation";
import type { ZoneWaf } from "./zone";

/** The vendor's managed ruleset, as `config` names it. */
export const managedRulesetId = "efb7b8c949ac4650a09736fc376e9aee";
export const owaspRulesetId = "4814384a9e5d4991b9815dcfc25d2f1f";
/** The rule of the OWASP ruleset that acts when the score is reached. */
export const owaspScoringRuleId = "6179ae15870a4bb7b2d480d4843b323c";

const mostFirewallRules = 200;
const longestExpressionBytes = 4096;

/** Old sensitivity to paranoia level and score threshold: the table of the migration document. */
const owaspMapping = {
  high: { paranoia: 2, threshold: 40 },
  medium: { paranoia: 1, threshold: 25 },
  low: { paranoia: 1, threshold: 40 },
  default: { paranoia: 2, threshold: 40 },
} as const;

/** The new configuration that does what the old one did; `id`, `version`, `ref` are empty strings. */
export function deriveConfiguration(waf: ZoneWaf): { name: string; rules: SentRule[] } {
  const changed = waf.overrides.map((override) => ({ ...override }));
  const overrides: JsonObject = changed.length === 0 ? {} : { rules: changed };
  const rules = [
    ...waf.firewallRules.map(({ expression, description }) => skipRule(expression, description)),
    ...waf.pageRules.map(({ pattern, setting }) => {
      const expression = `http.request.full_uri wildcard "${pattern}"`;
      const title = `Page rule: ${setting.replace(/^waf_/, "WAF ")} for ${pattern}`;
      if (setting !== "waf_on") return skipRule(expression, title);
      return executeRule(managedRulesetId, expression, title, true, {});
    }),
    executeRule(managedRulesetId, "true", "Execute the managed ruleset", waf.oldEnabled, overrides),
    ...owaspRules(waf),
  ];
  return { name: "default", rules };
}

/** Refuses what only the vendor's support can migrate: in the zone, or in the list that is sent. */
export function refuseOverLimit({ firewallRules }: ZoneWaf, sent?: SentEntrypoint): void {
  const refused = (reason: string) =>
    new RefusalError(400, codes.migration, `${reason}; contact support to migrate this zone`);
  for (const count of [
    firewallRules.length,
    sent?.rules.filter(({ action }) => action !== "execute").length ?? 0,
  ])
    if (count > mostFirewallRules)
      throw refused(`${count} firewall rules are to be migrated, at most ${mostFirewallRules} can be`);
  firewallRules.forEach(({ expression, description }, index) => {
    const bytes = Buffer.byteLength(expression);
    if (bytes <= longestExpressionBytes) return;
    const rule = `firewall rule ${index + 1} (${description})`;
    throw refused(`the expression of ${rule} has ${bytes} bytes, over 4 KB`);
  });
}

function owaspRules({ owasp, oldEnabled }: ZoneWaf): SentRule[] {
  if (owasp === null) return [];
  const { paranoia, threshold } = owaspMapping[owasp.sensitivity];
  const categories = [2, 3, 4]
    .filter((level) => level > paranoia)
    .map((level) => ({ category: `paranoia-level-${level}`, enabled: false }));
  const action = owasp.action === "simulate" ? "log" : owasp.action;
  const overrides = { categories, rules: [{ id: owaspScoringRuleId, action, score_threshold: threshold }] };
  return [executeRule(owaspRulesetId, "true", "Execute the OWASP ruleset", oldEnabled, overrides)];
}

const noIdentity = { id: "", version: "", ref: "" };

function skipRule(expression: string, description: string): SentRule {
  const parameters = { ruleset: "current" };
  return {
    ...noIdentity,
    action: "skip",
    action_parameters: parameters,
    expression,
    description,
    enabled: true,
  };
}

function executeRule(
  id: string,
  expression: string,
  description: string,
  enabled: boolean,
  overrides: JsonObject,
): SentRule {
  const parameters = Object.keys(overrides).length === 0 ? { id } : { id, overrides };
  return {
    ...noIdentity,
    action: "execute",
    action_parameters: parameters,
    expression,
    description,
    enabled,
  };
}
