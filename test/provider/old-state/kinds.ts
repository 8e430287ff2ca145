import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../provider/src/resources/csp-policy-set/lifecycle";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { pageGuardSettings } from "../../../provider/src/resources/page-guard-settings/lifecycle";
import { wafMigrationStep } from "../../../provider/src/resources/waf-migration/lifecycle";

/** All kinds that a state may contain. Code that handles all of them does not know the fields of their states. */
export const kinds: readonly unknown[] = [
  cspPolicy,
  cspPolicySet,
  managedWafEntrypoint,
  pageGuardSettings,
  wafMigrationStep,
];
