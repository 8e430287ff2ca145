import type { ResourceValidationPolicy } from "@pulumi/policy";
import {
  type EntrypointProps,
  holdsClosedSecret,
  isClosedSecret,
  isManagedWafEntrypoint,
  isWafMigration,
  managedRulesets,
  rulesetsOf,
} from "pulumi-page-guard/policy";
import { exemptions, reporter } from "../exemptions";

const wanted = Object.values(managedRulesets);

const idle = {
  enabled: "is switched off.",
  overrides: "is switched off, or set to log, by overrides for the whole ruleset.",
  skip: "does not see most requests, because a skip rule before it selects them. Limit the expression of that rule to the exception: a host, a path, an address.",
};

/** Requires each entry point or migration to run the vendor's managed ruleset and the OWASP ruleset for all requests. */
export const managedRulesetsAtWork: ResourceValidationPolicy = {
  name: "managed-rulesets-at-work",
  description: "The managed WAF runs the vendor's managed ruleset and the OWASP ruleset for every request.",
  severity: "high",
  configSchema: {
    properties: { ...exemptions, rulesets: { type: "array", items: { type: "string" }, default: wanted } },
  },
  validateResource: (args, reportViolation) => {
    const declared = isManagedWafEntrypoint(args)
      ? args.props
      : isWafMigration(args) && args.props.configuration;
    if (!declared) return;
    const report = reporter(args, reportViolation);
    if (hasClosedRules(declared)) {
      const text =
        "its rules are or contain a secret that cannot be decrypted here, so nobody can say what it runs.";
      report({ rule: "closed-secret", resource: args.name, text });
      return;
    }
    const run = rulesetsOf(declared);
    for (const id of [...(args.getConfig<{ rulesets?: string[] }>().rulesets ?? wanted)]) {
      const name = Object.entries(managedRulesets).find(([, known]) => known === id)?.[0] ?? id;
      const found = run.filter((ruleset) => ruleset.id === id);
      if (found.some(({ isAtWork, expression }) => isAtWork && expression.trim() === "true")) continue;
      const text =
        found.length === 0
          ? `no rule runs the ${name} ruleset (${id}).`
          : found.some(({ isAtWork }) => isAtWork)
            ? `the ${name} ruleset runs for some requests only. Run it with the expression true, and make exceptions with skip rules.`
            : `the ${name} ruleset ${idle[found[0]?.idleBy ?? "enabled"]}`;
      report({ rule: `ruleset-${name}`, resource: args.name, text });
    }
  },
};

/** Whether the rules are or contain a secret that was not decrypted. Ignores their descriptions. */
function hasClosedRules(declared: Pick<EntrypointProps, "rules">): boolean {
  if (isClosedSecret(declared) || isClosedSecret(declared.rules)) return true;
  return [...declared.rules].some((rule) => {
    const { action, expression, enabled, actionParameters } = rule;
    return isClosedSecret(rule) || holdsClosedSecret([action, expression, enabled, actionParameters]);
  });
}
