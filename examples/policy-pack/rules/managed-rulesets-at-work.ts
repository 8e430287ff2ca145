import type { ResourceValidationPolicy } from "@pulumi/policy";
import {
  isClosedSecret,
  isManagedWafEntrypoint,
  managedRulesets,
  rulesetsOf,
} from "pulumi-page-guard/policy";
import { exemptions, reporter } from "../exemptions";

const wanted = Object.values(managedRulesets);

/** The entry point runs the vendor's managed ruleset and the OWASP one, for all requests. */
export const managedRulesetsAtWork: ResourceValidationPolicy = {
  name: "managed-rulesets-at-work",
  description: "The managed WAF runs the vendor's managed ruleset and the OWASP ruleset for every request.",
  severity: "high",
  configSchema: {
    properties: { ...exemptions, rulesets: { type: "array", items: { type: "string" }, default: wanted } },
  },
  validateResource: (args, reportViolation) => {
    if (!isManagedWafEntrypoint(args)) return;
    const report = reporter(args, reportViolation);
    if (isClosedSecret(args.props.rules)) {
      const text = "its rules are a secret that cannot be opened here, so nobody can say what it runs.";
      report({ rule: "closed-secret", resource: args.name, text });
      return;
    }
    const run = rulesetsOf(args.props);
    for (const id of [...(args.getConfig<{ rulesets?: string[] }>().rulesets ?? wanted)]) {
      const name = Object.entries(managedRulesets).find(([, known]) => known === id)?.[0] ?? id;
      const found = run.filter((ruleset) => ruleset.id === id);
      if (found.some(({ isAtWork, expression }) => isAtWork && expression.trim() === "true")) continue;
      const text =
        found.length === 0
          ? `no rule runs the ${name} ruleset (${id}).`
          : found.some(({ isAtWork }) => isAtWork)
            ? `the ${name} ruleset runs for some requests only. Run it with the expression true, and make exceptions with skip rules.`
            : `the ${name} ruleset is switched off.`;
      report({ rule: `ruleset-${name}`, resource: args.name, text });
    }
  },
};
