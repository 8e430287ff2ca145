import type { ResourceValidationPolicy } from "@pulumi/policy";
import { isWafMigration, stackOf } from "pulumi-page-guard/policy";
import { exemptions, reporter } from "../exemptions";

/** A migration cannot be undone: which stacks may have one is said here, outside of their programs. */
export const migrationsWhereNamed: ResourceValidationPolicy = {
  name: "migrations-where-named",
  description: "A WafMigration, which nothing can undo, stands only in stacks that migrationStacks names.",
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
      text: `a migration cannot be undone, and the stack ${stack} is not one that may have it. Add it to migrationStacks in the configuration of this pack, in a change of its own that someone reviews.`,
    });
  },
};
