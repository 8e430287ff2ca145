import type { ResourceValidationPolicy } from "@pulumi/policy";
import { isClosedSecret, isCspPolicySet, isManagedWafEntrypoint, stackOf } from "pulumi-page-guard/policy";
import { exemptions, reporter } from "../exemptions";

const usual = ["production", "prod"];

/** In production, a stack must not remove rules and policies only because it does not declare them. */
export const noOverwrite: ResourceValidationPolicy = {
  name: "no-overwrite",
  description: "In production stacks, no declaration removes unmanaged rules or policies.",
  severity: "high",
  configSchema: {
    properties: {
      ...exemptions,
      productionStacks: { type: "array", items: { type: "string" }, default: usual },
    },
  },
  validateResource: (args, reportViolation) => {
    const { productionStacks = usual } = args.getConfig<{ productionStacks?: string[] }>();
    if (![...productionStacks].includes(stackOf(args.urn))) return;
    const report = reporter(args, reportViolation);
    const closed = (argument: string) =>
      report({
        rule: "closed-secret",
        resource: args.name,
        text: `its ${argument} is a secret that cannot be decrypted here, so nobody can say whether it removes unmanaged objects.`,
      });
    if (isManagedWafEntrypoint(args) && isClosedSecret(args.props.foreignRules)) closed("foreignRules");
    if (isCspPolicySet(args) && isClosedSecret(args.props.others)) closed("others");
    if (isManagedWafEntrypoint(args) && args.props.foreignRules === "overwrite") {
      report({
        rule: "overwrite",
        resource: args.name,
        text: 'foreignRules: "overwrite" removes unmanaged rules. Declare them, or keep them: foreignRules: "keep".',
      });
    }
    if (isCspPolicySet(args) && args.props.others === "delete") {
      report({
        rule: "delete-others",
        resource: args.name,
        text: 'others: "delete" deletes policies that nobody declares. Declare them, or let the preview fail: others: "refuse".',
      });
    }
  },
};
