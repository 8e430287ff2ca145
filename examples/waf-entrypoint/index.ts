import * as pulumi from "@pulumi/pulumi";
import { ManagedWafEntrypoint, type WafRuleOverrideArgs } from "pulumi-page-guard";

const zoneId = new pulumi.Config().require("zoneId");

/** The vendor's managed ruleset. The dashboard shows this id and those of its rules. */
const managedRuleset = "efb7b8c949ac4650a09736fc376e9aee";

/** An override changes only the settings that it names: an absent `enabled` does not mean `false`. */
const overrides: WafRuleOverrideArgs[] = [
  // This rule matches the search form. It only logs until the form is fixed.
  { id: "5de7edfa648c4d6891dc3e7f84534ffa", action: "log" },
  // This rule protects a product that we do not use.
  { id: "75a0060762034a6cb663fd51a02344cb", enabled: false },
];

const entrypoint = new ManagedWafEntrypoint("managed-waf", {
  zoneId,
  // Unmanaged rules stay in their places.
  foreignRules: "keep",
  rules: [
    {
      // We choose this name. It identifies the rule even if everything else in the rule changes.
      ref: "managed-ruleset",
      action: "execute",
      expression: "true",
      description: "The vendor's managed ruleset",
      actionParameters: { id: managedRuleset, overrides: { rules: overrides } },
    },
  ],
});

export const version = entrypoint.version;
/** Descriptions of the unmanaged rules in the same list. */
export const foreign = entrypoint.foreign;
