import type { ResourceValidationPolicy } from "@pulumi/policy";
import { isClosedSecret, policiesOf } from "pulumi-page-guard/policy";
import { exemptions, reporter } from "../exemptions";

/** Requires a policy to log for some days before it blocks. A resource with `minimumLogDays` checks this itself. */
export const allowAfterLog: ResourceValidationPolicy = {
  name: "allow-after-log",
  description: "Before a policy gets the action allow, it logs for some days, which minimumLogDays sets.",
  severity: "high",
  configSchema: { properties: { ...exemptions, days: { type: "integer", minimum: 1, default: 7 } } },
  validateResource: (args, reportViolation) => {
    const report = reporter(args, reportViolation);
    const { days = 7 } = args.getConfig<{ days?: number }>();
    for (const policy of policiesOf(args)) {
      const { key, minimumLogDays = 0 } = policy;
      if (!policy.isEnforced || minimumLogDays >= days) continue;
      const resource = key === undefined ? args.name : `${args.name}/${key}`;
      if (isClosedSecret(policy.action) || isClosedSecret(minimumLogDays)) {
        const what = isClosedSecret(policy.action) ? "action" : "minimumLogDays";
        const text = `its ${what} is a secret that cannot be decrypted here, so nobody can say whether it blocks too early.`;
        report({ rule: "closed-secret", resource, text });
        continue;
      }
      const problem = minimumLogDays === 0 ? "is not set" : `is only ${minimumLogDays}`;
      report({
        rule: "days-in-log",
        resource,
        text: `it blocks, but minimumLogDays ${problem}. Set minimumLogDays: ${days} on the resource: its preview then refuses "allow" until the policy has logged for that time.`,
      });
    }
  },
};
