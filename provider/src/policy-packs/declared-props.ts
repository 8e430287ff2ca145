import type { WafRule } from "../model/waf-rules/waf-rule";
import type { CspAction, FindingLevel, PolicyOnDestroy } from "../resources/csp-policy/csp-policy";
import type { OtherPolicies } from "../resources/csp-policy-set/csp-policy-set";
import type {
  EntrypointOnDestroy,
  ForeignRules,
  RuleOrder,
} from "../resources/managed-waf-entrypoint/managed-waf-entrypoint";
import type { SettingsOnDestroy } from "../resources/page-guard-settings/page-guard-settings";
import type { MigrationStage } from "../resources/waf-migration/waf-migration";

// Arguments as a policy pack sees them: plain values. If a rule reads a value that a preview does not know yet, the policy
// framework throws an error and reports it.

/** Arguments of a `PageGuardSettings` that rules usually need. */
export interface SettingsProps {
  readonly zoneId: string;
  readonly enabled: boolean;
  readonly useVendorReportingEndpoint?: boolean;
  readonly useConnectionUrlPath?: boolean;
  readonly onDestroy?: SettingsOnDestroy;
}

/** Arguments that configure the checks of policies. */
export interface JudgementProps {
  /** A level, or an object with a level and the rules that are switched off. */
  readonly lint?: unknown;
  readonly impact?: FindingLevel;
  readonly minimumLogDays?: number;
}

/** Content of a policy. Either `value` or `directives` contains its text. */
export interface PolicyTextProps {
  readonly action: CspAction;
  readonly expression: string;
  readonly enabled?: boolean;
  readonly value?: string;
  readonly directives?: Readonly<Record<string, readonly string[]>>;
}

/** Arguments of a `CspPolicy` that rules usually need. */
export interface CspPolicyProps extends JudgementProps, PolicyTextProps {
  readonly zoneId: string;
  readonly description: string;
  readonly onDestroy?: PolicyOnDestroy;
}

/** Arguments of a `CspPolicySet` that rules usually need. */
export interface CspPolicySetProps extends JudgementProps {
  readonly zoneId: string;
  readonly policies: Readonly<Record<string, PolicyTextProps & { readonly description?: string }>>;
  readonly others?: OtherPolicies;
  readonly onDestroy?: PolicyOnDestroy;
}

/** A rule of an entry point, without the fields that the service adds. */
export type WafRuleProps = Omit<WafRule, "id" | "version" | "lastUpdated">;

/** Arguments of a `ManagedWafEntrypoint` that rules usually need. */
export interface EntrypointProps {
  readonly zoneId: string;
  readonly name?: string;
  readonly rules: readonly WafRuleProps[];
  readonly foreignRules?: ForeignRules;
  readonly order?: RuleOrder;
  readonly onDestroy?: EntrypointOnDestroy;
}

/** Arguments of a `WafMigrationStep`, the child of a `WafMigration`, that rules usually need. */
export interface WafMigrationProps {
  readonly zoneId: string;
  readonly stage: MigrationStage;
  readonly confirm: string;
  readonly allowForget?: boolean;
  /** Configuration to send instead of the one that the service proposes. */
  readonly configuration?: Pick<EntrypointProps, "rules">;
}
