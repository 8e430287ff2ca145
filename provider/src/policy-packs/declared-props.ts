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

// Arguments as a policy pack sees them: plain values. What a preview does not know yet throws on access, which
// the framework of policy packs shows by itself.

/** Arguments of a `PageGuardSettings`. */
export interface SettingsProps {
  readonly zoneId: string;
  readonly enabled: boolean;
  readonly useVendorReportingEndpoint?: boolean;
  readonly useConnectionUrlPath?: boolean;
  readonly onDestroy?: SettingsOnDestroy;
}

/** Arguments that set the checks of policies. */
export interface JudgementProps {
  /** A level, or a level and rules that are switched off. */
  readonly lint?: unknown;
  readonly impact?: FindingLevel;
  readonly minimumLogDays?: number;
}

/** Text and action of one policy, in one of the two forms of text. */
export interface PolicyTextProps {
  readonly action: CspAction;
  readonly expression: string;
  readonly enabled?: boolean;
  readonly value?: string;
  readonly directives?: Readonly<Record<string, readonly string[]>>;
}

/** Arguments of a `CspPolicy`. */
export interface CspPolicyProps extends JudgementProps, PolicyTextProps {
  readonly zoneId: string;
  readonly description: string;
  readonly onDestroy?: PolicyOnDestroy;
}

/** Arguments of a `CspPolicySet`. */
export interface CspPolicySetProps extends JudgementProps {
  readonly zoneId: string;
  readonly policies: Readonly<Record<string, PolicyTextProps & { readonly description?: string }>>;
  readonly others?: OtherPolicies;
  readonly onDestroy?: PolicyOnDestroy;
}

/** A rule of an entry point, without what the service adds. */
export type WafRuleProps = Omit<WafRule, "id" | "version" | "lastUpdated">;

/** Arguments of a `ManagedWafEntrypoint`. */
export interface EntrypointProps {
  readonly zoneId: string;
  readonly name?: string;
  readonly rules: readonly WafRuleProps[];
  readonly foreignRules?: ForeignRules;
  readonly order?: RuleOrder;
  readonly onDestroy?: EntrypointOnDestroy;
}

/** Arguments of a `WafMigration`, as its child has them. */
export interface WafMigrationProps {
  readonly zoneId: string;
  readonly stage: MigrationStage;
  readonly confirm: string;
  readonly allowForget?: boolean;
  /** Replaces what the service proposes. */
  readonly configuration?: Pick<EntrypointProps, "rules">;
}
