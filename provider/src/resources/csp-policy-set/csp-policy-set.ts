import type * as pulumi from "@pulumi/pulumi";
import { instancesOf, PageGuardResource, typePrefix } from "../../declaration/page-guard-resource";
import type {
  CspAction,
  JudgementArgs,
  PolicyAction,
  PolicyDirectives,
  PolicyImpact,
  PolicyOnDestroy,
  PolicyValue,
} from "../csp-policy/csp-policy";

/** What becomes of policies of the zone that the set does not declare. */
export type OtherPolicies = "keep" | "refuse" | "delete";

/** What the two forms of a policy of a set have in common. */
export interface CspPolicySetEntryFields<Action extends string = CspAction> extends PolicyAction<Action> {
  /** Default: the key. */
  description?: pulumi.Input<string | undefined> | undefined;
}

/** A policy of a set as text. */
export interface CspPolicySetEntryWithValue<Action extends string = CspAction>
  extends CspPolicySetEntryFields<Action>,
    PolicyValue {}

/** A policy of a set as directives. */
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
  /** The policies by names of your own, which stay their identity: an edit under the same key changes the same policy. */
  policies: pulumi.Input<Readonly<Record<string, pulumi.Input<CspPolicySetEntry<Action>>>>>;
  /**
   * Policies of the zone that are not declared: `keep` (default) leaves them and does not mention them, `refuse` fails
   * the preview while there are any, `delete` names each in the preview and deletes it in the `up`. With `refuse` and
   * `delete` every preview asks the service once, and the set is the only one to declare policies of its zone.
   */
  others?: pulumi.Input<OtherPolicies | undefined> | undefined;
  /**
   * Keys that leave the set and whose policies stay in the zone, for another resource that declares the same, in this update
   * or later: it adopts them. Any other key that leaves the set is deleted. Goes with `others: "keep"`.
   */
  release?: pulumi.Input<readonly pulumi.Input<string>[] | undefined> | undefined;
  /** On destroy: `delete` (default) the declared policies, or `keep` them in the zone. */
  onDestroy?: pulumi.Input<PolicyOnDestroy | undefined> | undefined;
}

const kind = {
  name: "CspPolicySet",
  load: () => (require("./lifecycle") as typeof import("./lifecycle")).cspPolicySet,
};

/**
 * The CSP policies of a zone as one declaration. The id is the zone's.
 *
 * Each policy is treated as a `CspPolicy` would be: compared by meaning, adopted when it is already there, never created
 * twice after a lost answer. The set as a whole costs the engine what one resource costs, and can be exact: `others`
 * says what happens to policies that are not declared.
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
 * Errors: `PG_QUOTA` when the plan has no room for another policy, `PG_NOT_ENTITLED` when it has no policies at all.
 */
export class CspPolicySet<Action extends string = CspAction> extends PageGuardResource {
  /** @internal Policy packs tell resources of this class by it. */
  static readonly __pulumiType = `${typePrefix}CspPolicySet`;

  /** Whether it is such a resource, of this or of another copy of the package. */
  static override readonly isInstance = instancesOf<CspPolicySet>(CspPolicySet.__pulumiType);

  declare readonly zoneId: pulumi.Output<string>;
  declare readonly others: pulumi.Output<OtherPolicies | undefined>;
  declare readonly release: pulumi.Output<readonly string[] | undefined>;
  declare readonly onDestroy: pulumi.Output<PolicyOnDestroy | undefined>;
  /** Key to the id that the service has given. */
  declare readonly policyIds: pulumi.Output<Readonly<Record<string, string>>>;
  /** With `others` "refuse" and "delete": labels of policies that are not declared, sorted, as the last refresh or update found them. */
  declare readonly undeclared: pulumi.Output<readonly string[] | undefined>;
  /** Key to the time since when the policy logs what it says now, ISO 8601. */
  declare readonly loggingSince: pulumi.Output<Readonly<Record<string, string>>>;
  /** Key to what an `allow` policy blocks of what was in use when it was last changed. */
  declare readonly impact: pulumi.Output<Readonly<Record<string, PolicyImpact>>>;

  constructor(name: string, args: CspPolicySetArgs<Action>, options?: pulumi.CustomResourceOptions) {
    super(kind, name, args, options);
  }
}
