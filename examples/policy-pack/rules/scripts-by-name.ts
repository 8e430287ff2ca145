import type { ResourceValidationPolicy } from "@pulumi/policy";
import { lint } from "pulumi-page-guard/csp";
import { policiesOf } from "pulumi-page-guard/policy";
import { exemptions, reporter } from "../exemptions";

/** Lint rules (docs/csp-lint-rules.md). A policy that breaks one of these rules does not say whose scripts may run. */
const rules = [
  "security-wildcard",
  "security-plain-scheme",
  // unpkg.com, *.workers.dev, *.com: the host says nothing about the owner.
  "security-anyone-publishes",
  "security-unsafe-inline",
  "security-missing-script-src",
  // blob: and similar schemes.
  "script-scheme",
  // The service sends the same nonce with each response, so everybody knows it.
  "nonce",
];

/** Allows scripts only from hosts that somebody has named. The setting `lint` of the resource has no effect here. */
export const scriptsByName: ResourceValidationPolicy = {
  name: "scripts-by-name",
  description:
    "Policies name whose scripts may run: no wildcard, no host where anyone can publish, no whole scheme, no 'unsafe-inline'.",
  severity: "high",
  configSchema: {
    properties: { ...exemptions, rules: { type: "array", items: { type: "string" }, default: rules } },
  },
  validateResource: (args, reportViolation) => {
    const report = reporter(args, reportViolation);
    const wanted = [...(args.getConfig<{ rules?: string[] }>().rules ?? rules)];
    for (const { key, isEnabled, value, hasTwoTexts } of policiesOf(args)) {
      const resource = key === undefined ? args.name : `${args.name}/${key}`;
      if (!isEnabled) continue;
      if (hasTwoTexts) {
        const text = "it has both value and directives, and nobody can say which of them counts. Remove one.";
        report({ rule: "two-texts", resource, text });
      }
      if (value === undefined) {
        const text = "its text is a secret that cannot be decrypted here, so nobody can say what it allows.";
        report({ rule: "closed-secret", resource, text });
        continue;
      }
      for (const { ruleId, message } of lint(value).filter((finding) => wanted.includes(finding.ruleId))) {
        report({ rule: ruleId, resource, text: message });
      }
    }
  },
};
