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
  /** Hosts to whose pages the policy applies. */
  hosts: string[];
  action: CspAction;
  /** Stage that the migration to the new WAF reaches. If absent, the zone is not migrated, and its rules stay unmanaged. */
  stage?: MigrationStage | undefined;
}

/** The resources of one zone in the fleet. */
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
    // A migration cannot be undone, so the id of the zone has to be repeated in `confirm`.
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
