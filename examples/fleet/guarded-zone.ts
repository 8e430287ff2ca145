import * as pulumi from "@pulumi/pulumi";
import {
  type CspAction,
  CspPolicySet,
  ManagedWafEntrypoint,
  type MigrationStage,
  PageGuardSettings,
  WafMigration,
} from "pulumi-page-guard";

export interface GuardedZoneArgs {
  zoneId: string;
  /** Whose pages the policy is for. */
  hosts: string[];
  action: CspAction;
  /** How far the migration to the new WAF goes; absent: the zone is not migrated, and its rules are left alone. */
  stage?: MigrationStage | undefined;
}

/** All that one zone of the fleet has. */
export class GuardedZone extends pulumi.ComponentResource {
  constructor(name: string, { zoneId, hosts, action, stage }: GuardedZoneArgs) {
    super("page-guard-fleet:index:GuardedZone", name);
    const parent = { parent: this };
    new PageGuardSettings("settings", { zoneId, enabled: true }, parent);
    new CspPolicySet(
      "policies",
      {
        zoneId,
        policies: {
          shop: {
            action,
            expression: `http.host in {${hosts.map((host) => JSON.stringify(host)).join(" ")}}`,
            directives: { "script-src": ["'self'", "https://js.payments.example"], "object-src": ["'none'"] },
          },
        },
        minimumLogDays: 7,
      },
      parent,
    );
    if (stage === undefined) return;
    // Names what cannot be undone: the zone has to be confirmed by its id.
    const migration = new WafMigration("new-waf", { zoneId, stage, confirm: zoneId }, parent);
    if (stage === "finished") {
      new ManagedWafEntrypoint(
        "managed-waf",
        { zoneId, rules: migration.configuration.rules, onDestroy: "keep" },
        parent,
      );
    }
  }
}
