import type * as pulumi from "@pulumi/pulumi";
import type { knownActions } from "./known-actions";

/** An action that the rulesets API knows. */
export type WafRuleAction = (typeof knownActions)[number];

/** A value in the API's own spelling, for fields that this package does not know. It is sent and recorded unchanged. */
export type ApiValue =
  | string
  | number
  | boolean
  | null
  | readonly ApiValue[]
  | { readonly [name: string]: ApiValue };

/** Fields by their names in the API, each an `ApiValue`. */
export type ApiFields = Readonly<Record<string, unknown>>;

/** Arguments that all overrides share. */
interface OverrideFields {
  action?: pulumi.Input<string | undefined> | undefined;
  enabled?: pulumi.Input<boolean | undefined> | undefined;
  sensitivityLevel?: pulumi.Input<string | undefined> | undefined;
  /** Further fields, in the API's spelling. */
  extra?: pulumi.Input<ApiFields | undefined> | undefined;
}

/** Overrides for one rule of a managed ruleset. Absent fields stay as the ruleset has them: an absent `enabled` is not `false`. */
export interface WafRuleOverrideArgs extends OverrideFields {
  /** Id of the rule inside the managed ruleset. */
  id: pulumi.Input<string>;
  scoreThreshold?: pulumi.Input<number | undefined> | undefined;
}

/** Overrides for all rules of a managed ruleset that have a certain category. */
export interface WafCategoryOverrideArgs extends OverrideFields {
  category: pulumi.Input<string>;
}

export interface WafOverridesArgs extends OverrideFields {
  categories?: pulumi.Input<readonly pulumi.Input<WafCategoryOverrideArgs>[] | undefined> | undefined;
  rules?: pulumi.Input<readonly pulumi.Input<WafRuleOverrideArgs>[] | undefined> | undefined;
}

export interface WafActionParametersArgs {
  /** Id of the managed ruleset that an `execute` rule runs. */
  id?: pulumi.Input<string | undefined> | undefined;
  /** Overrides for all rules of the ruleset, for its categories, and for single rules. */
  overrides?: pulumi.Input<WafOverridesArgs | undefined> | undefined;
  /** Further fields, in the API's spelling: `{ ruleset: "current" }` for a `skip` rule. */
  extra?: pulumi.Input<ApiFields | undefined> | undefined;
}

/** Action parameters of an `execute` rule. They name the managed ruleset that the rule runs. */
export interface WafExecuteParametersArgs extends WafActionParametersArgs {
  id: pulumi.Input<string>;
}

/** Arguments that all rules share. */
export interface WafRuleFields {
  /** Filter expression that selects the requests; `true` selects all. At most 4,096 characters. */
  expression: pulumi.Input<string>;
  description?: pulumi.Input<string | undefined> | undefined;
  /** Whether the rule is enabled. Default: true. */
  enabled?: pulumi.Input<boolean | undefined> | undefined;
  /**
   * A name of your choice, unique in the list. It identifies the rule even if everything else in the rule changes. A `ref`
   * that equals the rule's `id` comes from the service and is ignored.
   */
  ref?: pulumi.Input<string | undefined> | undefined;
  /** Further fields, in the API's spelling: `{ logging: { enabled: true } }`. */
  extra?: pulumi.Input<ApiFields | undefined> | undefined;
  /** Created by the service; ignored in a declaration. */
  id?: pulumi.Input<string | undefined> | undefined;
  /** Created by the service; ignored in a declaration. */
  version?: pulumi.Input<string | undefined> | undefined;
  /** Created by the service; ignored in a declaration. */
  lastUpdated?: pulumi.Input<string | undefined> | undefined;
}

/**
 * A rule of the zone's managed WAF entry point. Rules from `getEntrypoint` and from the outputs of a resource can be declared
 * unchanged: fields that the service created are ignored.
 */
export interface WafRuleArgs<Action extends string = string> extends WafRuleFields {
  /** `execute` runs a managed ruleset and needs its id; `skip` exempts requests from rules that follow. */
  action: pulumi.Input<Action>;
  actionParameters?: pulumi.Input<WafActionParametersArgs | undefined> | undefined;
}

/** A rule that runs no managed ruleset, or whose action is not known at compile time. */
export interface WafOtherRuleArgs extends WafRuleFields {
  action: Exclude<WafRuleAction, "execute"> | Promise<string> | pulumi.Output<string>;
  actionParameters?: pulumi.Input<WafActionParametersArgs | undefined> | undefined;
}

/** A rule that runs a managed ruleset. */
export interface WafExecuteRuleArgs extends WafRuleFields {
  action: "execute";
  actionParameters: pulumi.Input<WafExecuteParametersArgs>;
}

/**
 * Rules in their order. The compiler refuses an action that does not exist, and an `execute` rule without the id of a ruleset.
 * Actions from a file or from the service compile, and the preview checks them.
 */
export type WafRulesArgs<Action extends string = string> = pulumi.Input<
  string extends Action
    ? readonly pulumi.Input<WafRuleArgs<Action>>[]
    : [Exclude<Action, WafRuleAction>] extends [never]
      ? readonly pulumi.Input<WafOtherRuleArgs | WafExecuteRuleArgs>[]
      : readonly pulumi.Input<WafRuleArgs<WafRuleAction>>[]
>;

interface Override {
  readonly action?: string;
  readonly enabled?: boolean;
  readonly sensitivityLevel?: string;
  readonly extra?: ApiFields;
}

export interface WafRuleOverride extends Override {
  readonly id: string;
  readonly scoreThreshold?: number;
}

export interface WafCategoryOverride extends Override {
  readonly category: string;
}

export interface WafOverrides extends Override {
  readonly categories?: readonly WafCategoryOverride[];
  readonly rules?: readonly WafRuleOverride[];
}

export interface WafActionParameters {
  readonly id?: string;
  readonly overrides?: WafOverrides;
  readonly extra?: ApiFields;
}

/** A declared rule with the fields that the service created. */
export interface WafRule {
  readonly action: string;
  readonly expression: string;
  readonly description?: string;
  readonly enabled?: boolean;
  readonly ref?: string;
  readonly actionParameters?: WafActionParameters;
  readonly extra?: ApiFields;
  readonly id: string;
  readonly version?: string;
  readonly lastUpdated?: string;
}
