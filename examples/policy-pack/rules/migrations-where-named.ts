import type { ResourceValidationPolicy } from "@pulumi/policy";
import { isWafMigration, stackOf } from "pulumi-page-guard/policy";
import { exemptions, reporter } from "../exemptions";

/** A migration cannot be undone, so this pack, and not a stack's own program, decides which stacks may have one. */
export const migrationsWhereNamed: ResourceValidationPolicy = {
  name: "migrations-where-named",
  description:
    "A stack may have a WafMigration only if migrationStacks names it, because nothing can undo a migration.",
  severity: "critical",
  configSchema: {
    properties: { ...exemptions, migrationStacks: { type: "array", items: { type: "string" }, default: [] } },
  },
  validateResource: (args, reportViolation) => {
    if (!isWafMigration(args)) return;
    const stack = stackOf(args.urn);
    const { migrationStacks = [] } = args.getConfig<{ migrationStacks?: string[] }>();
    if ([...migrationStacks].includes(stack)) return;
    reporter(
      args,
      reportViolation,
    )({
      rule: "migration",
      resource: args.name,
      text: `a migration cannot be undone, and migrationStacks does not name the stack ${stack}. Add it there, in the configuration of this pack, in a separate change that someone reviews.`,
    });
  },
};
