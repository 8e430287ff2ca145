import * as pulumi from "@pulumi/pulumi";
import { ManagedWafEntrypoint, type MigrationStage, WafMigration } from "pulumi-page-guard";

const config = new pulumi.Config();
const zoneId = config.require("zoneId");

/**
 * Enterprise: `validation` in the first pull request, `finished` in the last. Pro and Business: `finished` at once.
 * There is no way back from either.
 */
const stage = config.require<MigrationStage>("stage");

/** Rules of the managed rulesets that block what they should not, found in the security events of the validation. */
const quiet = config.getObject<{ rulesetId: string; ruleId: string }[]>("quiet") ?? [];

const migration = new WafMigration("new-waf", {
  zoneId,
  stage,
  // Written out in the stack's config, not computed: whoever sets it knows what it means.
  confirm: config.require("confirm"),
  ruleOverrides: quiet.map((rule) => ({ ...rule, action: "log" })),
  // How long an update waits for the end. If it is interrupted, the next update continues.
  timeoutMinutes: config.getNumber("timeoutMinutes") ?? 60,
  // Only for the day on which this stack shall forget the migration. Nothing in the zone changes by it.
  allowForget: config.getBoolean("allowForget") ?? false,
});

/** `before` is the evidence of what the zone was like: after the finish nothing can show it again. */
export const { before, configuration, status } = migration;

// From the finish on the rules are ordinary rules: this resource owns them, and edits are ordinary updates.
if (stage === "finished") {
  new ManagedWafEntrypoint("managed-waf", {
    zoneId,
    rules: migration.configuration.rules,
    // If this resource is removed from the program, the zone's rules stay as they are.
    onDestroy: "keep",
  });
}
