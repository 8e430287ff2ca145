import type * as pulumi from "@pulumi/pulumi";

/** A value in the API's own spelling, for what this package has no name for. Sent and kept as it is. */
export type ApiValue =
  | string
  | number
  | boolean
  | readonly ApiValue[]
  | { readonly [name: string]: ApiValue };

/**
 * Overrides for one rule of a managed ruleset. What is absent is left as the ruleset has it: an absent `enabled` is
 * not `false`.
 */
export interface WafRuleOverrideArgs {
  /** Id of the rule inside the managed ruleset. */
  id: pulumi.Input<string>;
  action?: pulumi.Input<string | undefined> | undefined;
  enabled?: pulumi.Input<boolean | undefined> | undefined;
  scoreThreshold?: pulumi.Input<number | undefined> | undefined;
  sensitivityLevel?: pulumi.Input<string | undefined> | undefined;
  /** Further fields, in the API's spelling. */
  extra?: pulumi.Input<Record<string, ApiValue> | undefined> | undefined;
}

/** Overrides for all rules of a managed ruleset that carry a tag. */
export interface WafCategoryOverrideArgs {
  category: pulumi.Input<string>;
  action?: pulumi.Input<string | undefined> | undefined;
  enabled?: pulumi.Input<boolean | undefined> | undefined;
  sensitivityLevel?: pulumi.Input<string | undefined> | undefined;
  /** Further fields, in the API's spelling. */
  extra?: pulumi.Input<Record<string, ApiValue> | undefined> | undefined;
}

export interface WafOverridesArgs {
  /** For every rule of the ruleset. */
  action?: pulumi.Input<string | undefined> | undefined;
  enabled?: pulumi.Input<boolean | undefined> | undefined;
  sensitivityLevel?: pulumi.Input<string | undefined> | undefined;
  categories?: pulumi.Input<readonly pulumi.Input<WafCategoryOverrideArgs>[] | undefined> | undefined;
  rules?: pulumi.Input<readonly pulumi.Input<WafRuleOverrideArgs>[] | undefined> | undefined;
  /** Further fields, in the API's spelling. */
  extra?: pulumi.Input<Record<string, ApiValue> | undefined> | undefined;
}

export interface WafActionParametersArgs {
  /** Id of the managed ruleset that an `execute` rule runs. */
  id?: pulumi.Input<string | undefined> | undefined;
  overrides?: pulumi.Input<WafOverridesArgs | undefined> | undefined;
  /** Further fields, in the API's spelling: `{ ruleset: "current" }` for a `skip` rule. */
  extra?: pulumi.Input<Record<string, ApiValue> | undefined> | undefined;
}

/** A rule of the zone's managed WAF entry point. */
export interface WafRuleArgs {
  /** `execute` runs a managed ruleset, `skip` makes an exception. */
  action: pulumi.Input<string>;
  /** Which requests; `true` for all. At most 4,096 characters. */
  expression: pulumi.Input<string>;
  description?: pulumi.Input<string | undefined> | undefined;
  /** Default true. */
  enabled?: pulumi.Input<boolean | undefined> | undefined;
  /** A name of your own that keeps the rule's identity when all else in it changes. Unique in the list. */
  ref?: pulumi.Input<string | undefined> | undefined;
  actionParameters?: pulumi.Input<WafActionParametersArgs | undefined> | undefined;
  /** Further fields, in the API's spelling: `{ logging: { enabled: true } }`. */
  extra?: pulumi.Input<Record<string, ApiValue> | undefined> | undefined;
}

/** A declared rule together with what the service made of it. */
export interface WafRule {
  readonly action: string;
  readonly expression: string;
  readonly description?: string;
  readonly enabled?: boolean;
  readonly ref?: string;
  readonly actionParameters?: Readonly<Record<string, ApiValue>>;
  readonly extra?: Readonly<Record<string, ApiValue>>;
  readonly id: string;
  readonly version?: string;
  readonly lastUpdated?: string;
}
