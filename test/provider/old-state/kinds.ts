import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { cspPolicySet } from "../../../provider/src/resources/csp-policy-set/lifecycle";
import { managedWafEntrypoint } from "../../../provider/src/resources/managed-waf-entrypoint/lifecycle";
import { pageGuardSettings } from "../../../provider/src/resources/page-guard-settings/lifecycle";
import { wafMigrationStep } from "../../../provider/src/resources/waf-migration/lifecycle";

/** All kinds that a state may hold. What each records is its own business: whoever goes through them all cannot know. */
export const kinds: readonly unknown[] = [
  cspPolicy,
  cspPolicySet,
  managedWafEntrypoint,
  pageGuardSettings,
  wafMigrationStep,
];
