import * as pulumi from "@pulumi/pulumi";
import { ManagedWafEntrypoint, type MigrationStage, WafMigration } from "pulumi-page-guard";

const config = new pulumi.Config();
const zoneId = config.require("zoneId");

/**
 * Stage to reach. On Enterprise, use `validation` in the first pull request and `finished` in the last one; on Pro and Business,
 * use `finished` at once. There is no way back from either stage.
 */
const stage = config.require<MigrationStage>("stage");

/** Managed rules that would block legitimate requests, as found in the security events during validation. */
const quiet = config.getObject<{ rulesetId: string; ruleId: string }[]>("quiet") ?? [];

const migration = new WafMigration("new-waf", {
  zoneId,
  stage,
  // Written out in the stack's config, not computed, so that whoever sets it knows what it means.
  confirm: config.require("confirm"),
  ruleOverrides: quiet.map((rule) => ({ ...rule, action: "log" })),
  // How long an update waits for the migration to finish. If it is interrupted, the next update continues.
  timeoutMinutes: config.getNumber("timeoutMinutes") ?? 60,
  // Set this only to stop managing the migration with this stack. It changes nothing in the zone.
  allowForget: config.getBoolean("allowForget") ?? false,
});

/** `before` records the previous configuration of the zone, which cannot be read any more after the finish. */
export const { before, configuration, status } = migration;

// After the finish, the rules are ordinary rules: this resource owns them, and edits are ordinary updates.
if (stage === "finished") {
  new ManagedWafEntrypoint("managed-waf", {
    zoneId,
    rules: migration.configuration.rules,
    // If this resource is removed from the program, the zone's rules stay as they are.
    onDestroy: "keep",
  });
}
