import { PolicyPack } from "@pulumi/policy";
import { allowAfterLog } from "./rules/allow-after-log";
import { managedRulesetsAtWork } from "./rules/managed-rulesets-at-work";
import { migrationsWhereNamed } from "./rules/migrations-where-named";
import { monitoringOn } from "./rules/monitoring-on";
import { noOverwrite } from "./rules/no-overwrite";
import { scriptsByName } from "./rules/scripts-by-name";
import { scriptsInInventory } from "./rules/scripts-in-inventory";

new PolicyPack("page-guard", {
  enforcementLevel: "mandatory",
  policies: [
    monitoringOn,
    allowAfterLog,
    scriptsByName,
    scriptsInInventory,
    managedRulesetsAtWork,
    noOverwrite,
    migrationsWhereNamed,
  ],
});
