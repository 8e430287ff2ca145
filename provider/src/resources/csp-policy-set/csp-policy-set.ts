import type * as pulumi from "@pulumi/pulumi";
import { makeInstanceTest, PageGuardResource, typePrefix } from "../../declaration/page-guard-resource";
import type {
  CspAction,
  JudgementArgs,
  PolicyAction,
  PolicyDirectives,
  PolicyImpact,
  PolicyOnDestroy,
  PolicyValue,
} from "../csp-policy/csp-policy";
import { kinds } from "../kinds";

/** Treatment of the zone's policies that the set does not declare. */
export type OtherPolicies = "keep" | "refuse" | "delete";

/** Arguments that both forms of a policy in a set share. */
export interface CspPolicySetEntryFields<Action extends string = CspAction> extends PolicyAction<Action> {
  /** Description of the policy. Default: its key. */
  description?: pulumi.Input<string | undefined> | undefined;
}

/** A policy in a set, given as text. */
export interface CspPolicySetEntryWithValue<Action extends string = CspAction>
  extends CspPolicySetEntryFields<Action>,
    PolicyValue {}

/** A policy in a set, given as directives. */
export interface CspPolicySetEntryWithDirectives<Action extends string = CspAction>
  extends CspPolicySetEntryFields<Action>,
    PolicyDirectives {}

/** One policy of a set. */
export type CspPolicySetEntry<Action extends string = CspAction> =
  | CspPolicySetEntryWithValue<Action>
  | CspPolicySetEntryWithDirectives<Action>;

export interface CspPolicySetArgs<Action extends string = CspAction> extends JudgementArgs {
  /** The zone: 32 hexadecimal characters. A change replaces the set. */
  zoneId: pulumi.Input<string>;
  /** Policies under keys of your choice. The key identifies the policy: an edit under the same key changes the same policy. */
  policies: pulumi.Input<Readonly<Record<string, pulumi.Input<CspPolicySetEntry<Action>>>>>;
  /**
   * Treatment of the zone's policies that the set does not declare: `keep` (default) leaves them, `refuse` fails the preview if
   * there are any, `delete` lists them in the preview and deletes them in the update. With `refuse` or `delete`, every preview
   * sends at least one request, and no other resource may declare policies in the zone.
   */
  others?: pulumi.Input<OtherPolicies | undefined> | undefined;
  /**
   * Keys that you have removed from `policies` and whose policies stay in the zone. A resource that declares an equal policy
   * adopts it, in this update or later. The policies of all other removed keys are deleted, unless another resource adopts them
   * first in the same update. Requires `others: "keep"`.
   */
  release?: pulumi.Input<readonly pulumi.Input<string>[] | undefined> | undefined;
  /** On destroy: `delete` (default) deletes the declared policies, `keep` leaves them in the zone. */
  onDestroy?: pulumi.Input<PolicyOnDestroy | undefined> | undefined;
}

/**
 * The CSP policies of a zone as one declaration. The id is the zone id.
 *
 * Each policy is treated like a `CspPolicy`: compared by meaning, adopted if it already exists, and never created twice after a
 * lost response. For the engine, the whole set is one resource. With `others`, a set also refuses or deletes policies in the zone
 * that it does not declare.
 *
 * @example
 * ```ts
 * const policies = new CspPolicySet("policies", {
 *   zoneId,
 *   policies: {
 *     checkout: {
 *       action: "allow",
 *       expression: 'http.host eq "shop.example.com" and starts_with(http.request.uri.path, "/checkout")',
 *       directives: { "script-src": ["'self'", "https://js.payments.example"] },
 *     },
 *     blog: { action: "log", expression: 'http.host eq "blog.example.com"', value: "script-src 'self'" },
 *   },
 *   others: "refuse",
 * });
 * export const checkoutId = policies.policyIds.apply((ids) => ids["checkout"]);
 * ```
 *
 * Errors: `PG_QUOTA` when the plan allows no further policy, `PG_NOT_ENTITLED` when the plan does not include policies at all.
 */
export class CspPolicySet<Action extends string = CspAction> extends PageGuardResource {
  /** @internal Policy packs recognise resources of this class by this type. */
  static readonly __pulumiType = `${typePrefix}CspPolicySet`;

  /** Whether a value is a `CspPolicySet`, created by this or by another copy of the package. */
  static override readonly isInstance = makeInstanceTest<CspPolicySet>(CspPolicySet.__pulumiType);

  declare readonly zoneId: pulumi.Output<string>;
  declare readonly others: pulumi.Output<OtherPolicies | undefined>;
  declare readonly release: pulumi.Output<readonly string[] | undefined>;
  declare readonly onDestroy: pulumi.Output<PolicyOnDestroy | undefined>;
  /** Ids that the service assigned to the policies, by key. */
  declare readonly policyIds: pulumi.Output<Readonly<Record<string, string>>>;
  /**
   * Descriptions, or ids, of undeclared policies that the last refresh found or that the last update failed to delete, sorted.
   * Present only with `others` "refuse" or "delete".
   */
  declare readonly undeclared: pulumi.Output<readonly string[] | undefined>;
  /** Time at which each policy began to log with its current content, ISO 8601, by key. See `CspPolicy`. */
  declare readonly loggingSince: pulumi.Output<Readonly<Record<string, string>>>;
  /** Items in use that each `allow` policy blocks, as found at its last change, by key. */
  declare readonly impact: pulumi.Output<Readonly<Record<string, PolicyImpact>>>;

  constructor(name: string, args: CspPolicySetArgs<Action>, options?: pulumi.CustomResourceOptions) {
    super({ name: "CspPolicySet", load: kinds.CspPolicySet }, name, args, options);
  }
}
