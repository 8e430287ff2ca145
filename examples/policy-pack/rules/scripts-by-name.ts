import type { ResourceValidationPolicy } from "@pulumi/policy";
import { lint } from "pulumi-page-guard/csp";
import { type PackPolicy, policiesOf } from "pulumi-page-guard/policy";
import { getPublicSuffix } from "tldts";
import { exemptions, reporter } from "../exemptions";

/** Rules of the linter (docs/csp-lint-rules.md) after which a policy no longer says whose scripts may run. */
const rules = [
  "security-wildcard",
  "security-plain-scheme",
  "security-unsafe-inline",
  "security-missing-script-src",
  // blob: and the like.
  "script-scheme",
  // One that does not change with each answer is known to everybody; and the service has no other.
  "nonce",
];

/** Scripts run because somebody has named where they come from. The setting `lint` of the resource changes nothing here. */
export const scriptsByName: ResourceValidationPolicy = {
  name: "scripts-by-name",
  description:
    "Policies name whose scripts may run: no wildcard, not all of .com or .co.uk, no whole scheme, no 'unsafe-inline'.",
  severity: "high",
  configSchema: {
    properties: { ...exemptions, rules: { type: "array", items: { type: "string" }, default: rules } },
  },
  validateResource: (args, reportViolation) => {
    const report = reporter(args, reportViolation);
    const wanted = [...(args.getConfig<{ rules?: string[] }>().rules ?? rules)];
    for (const { key, isEnabled, value, directives, hasTwoTexts } of policiesOf(args)) {
      const resource = key === undefined ? args.name : `${args.name}/${key}`;
      if (!isEnabled) continue;
      if (hasTwoTexts) {
        const text = "it has value and directives, and nobody can say which of them counts. Write one.";
        report({ rule: "two-texts", resource, text });
      }
      if (value === undefined) {
        const text = "its text is a secret that cannot be opened here, so nobody can say what it allows.";
        report({ rule: "closed-secret", resource, text });
        continue;
      }
      for (const { ruleId, message } of lint(value).filter((finding) => wanted.includes(finding.ruleId))) {
        report({ rule: ruleId, resource, text: message });
      }
      for (const source of scriptSources(directives).filter(isOfManyOwners)) {
        const text = `${source} is whoever has registered a name there. Name the hosts.`;
        report({ rule: "public-suffix", resource, text });
      }
    }
  },
};

function scriptSources(directives: PackPolicy["directives"] = {}): readonly string[] {
  const {
    "default-src": usual = [],
    "script-src": scripts = usual,
    "script-src-elem": elements = scripts,
  } = directives;
  return [...new Set([...scripts, ...elements])];
}

/** A wildcard right below a public suffix, as `https://*.com` or `*.github.io`. */
function isOfManyOwners(source: string): boolean {
  const [, host] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?\*\.([^/:]+)/i.exec(source) ?? [];
  return host !== undefined && getPublicSuffix(host, { allowPrivateDomains: true }) === host.toLowerCase();
}
