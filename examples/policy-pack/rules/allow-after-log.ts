import type { ResourceValidationPolicy } from "@pulumi/policy";
import { isClosedSecret, policiesOf } from "pulumi-page-guard/policy";
import { exemptions, reporter } from "../exemptions";

/** A policy that blocks has logged first: the resource itself holds it to the days that it is told. */
export const allowAfterLog: ResourceValidationPolicy = {
  name: "allow-after-log",
  description: "A policy with action allow has been in log for some days before: minimumLogDays.",
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
        const text = `its ${what} is a secret that cannot be opened here, so nobody can say whether it blocks too early.`;
        report({ rule: "closed-secret", resource, text });
        continue;
      }
      const told =
        minimumLogDays === 0 ? "nothing says that it" : `only ${minimumLogDays} days are asked for; it`;
      report({
        rule: "days-in-log",
        resource,
        text: `it blocks, and ${told} was in log for ${days} days before. Write minimumLogDays: ${days} on the resource: its preview then refuses "allow" before that time.`,
      });
    }
  },
};
