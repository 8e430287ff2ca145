import type * as pulumi from "@pulumi/pulumi";
import type { KnownDirective, LintOptions } from "page-guard-csp";
import {
  type ConnectedArgs,
  type GetOptions,
  makeInstanceTest,
  PageGuardResource,
  typePrefix,
} from "../../declaration/page-guard-resource";
import type { PolicyImpact } from "../../model/policies/policy-impact";
import { kinds } from "../kinds";

export type { PolicyImpact } from "../../model/policies/policy-impact";

/**
 * Effect of a policy. `log` reports violations and blocks nothing, `allow` blocks everything that the policy does not allow.
 * `add_reporting_directives` exists only in the service `page_shield` and blocks nothing.
 */
export type CspAction = "log" | "allow" | "add_reporting_directives";

/** Whether a destroy deletes the policy or keeps it in the zone. */
export type PolicyOnDestroy = "delete" | "keep";

/** Treatment of a kind of finding: `warn` shows it, `error` fails the preview, `off` hides it. */
export type FindingLevel = "warn" | "error" | "off";

/**
 * Sources of each directive: `{ "script-src": ["'self'"] }`. The compiler refuses names that no browser knows. To use a
 * directive that is newer than this package, declare the object as a `Record<string, string[]>` first. The preview warns of
 * directives that the service does not know.
 */
export type CspDirectives = {
  readonly [Name in KnownDirective]?: pulumi.Input<readonly pulumi.Input<string>[]> | undefined;
};

/** A policy as text. */
export interface PolicyValue {
  /** The policy as text: `script-src 'self' https://js.example.com`. Set either `value` or `directives`. */
  value: pulumi.Input<string>;
  directives?: undefined;
}

/** A policy as directives. */
export interface PolicyDirectives {
  value?: undefined;
  /** Sources of each directive. The package builds one canonical text from them. Set either `directives` or `value`. */
  directives: pulumi.Input<CspDirectives>;
}

/** Pages to which a policy applies, and its effect on them. */
export interface PolicyAction<Action extends string = CspAction> {
  /**
   * `log`: violations are reported and nothing is blocked. `allow`: everything that the policy does not allow is blocked. The
   * compiler refuses literals that are not a `CspAction`. A `string`, for example from a file, compiles, and the preview checks it.
   */
  // In errors, the compiler lists the accepted words only for a union without a name.
  action: pulumi.Input<string extends Action ? Action : { [Word in CspAction]: Word }[CspAction]>;
  /** Filter expression that selects the pages to which the policy applies. At most 4,096 characters. */
  expression: pulumi.Input<string>;
  /** Whether the policy is switched on. Default: true. */
  enabled?: pulumi.Input<boolean | undefined> | undefined;
  /** Id from the service. It is ignored, so that policies returned by `getPolicies` can be declared unchanged. */
  policyId?: pulumi.Input<string | undefined> | undefined;
}

/** Settings of the checks of policies, and the connection to the service. */
export interface JudgementArgs extends ConnectedArgs {
  /**
   * Treatment of lint findings of high and medium severity: `warn` (default) shows them, `error` fails the preview on those of
   * high severity, `off` hides them. Syntax faults are always shown, and a misspelt directive name always fails the preview.
   * Switch single rules off by name:
   * `{ level: "error", off: ["http-source", { rule: "security-unsafe-eval", reason: "the tag manager needs it" }] }`.
   */
  lint?: pulumi.Input<FindingLevel | LintOptions | undefined> | undefined;
  /**
   * Treatment of findings about scripts and connections in use that a new or changed `allow` policy would block: `warn` (default)
   * shows them, `error` fails the preview if the policy would block something that is not malicious or if the items cannot be
   * read, `off` makes no check. Malicious items are reported whether the policy blocks or allows them.
   */
  impact?: pulumi.Input<FindingLevel | undefined> | undefined;
  /** Number of days for which a policy must log (`action: "log"`) before the preview accepts `allow`. The vendor advises 7. */
  minimumLogDays?: pulumi.Input<number | undefined> | undefined;
}

/** Arguments that both forms of a policy share. */
export interface CspPolicyFields<Action extends string = CspAction>
  extends JudgementArgs,
    PolicyAction<Action> {
  /** The zone: 32 hexadecimal characters. A change replaces the policy. */
  zoneId: pulumi.Input<string>;
  description: pulumi.Input<string>;
  /** On destroy: `delete` (default) deletes the policy, `keep` leaves it in the zone. */
  onDestroy?: pulumi.Input<PolicyOnDestroy | undefined> | undefined;
}

/** A policy as text. */
export interface CspPolicyWithValue<Action extends string = CspAction>
  extends CspPolicyFields<Action>,
    PolicyValue {}

/** A policy as directives. */
export interface CspPolicyWithDirectives<Action extends string = CspAction>
  extends CspPolicyFields<Action>,
    PolicyDirectives {}

export type CspPolicyArgs<Action extends string = CspAction> =
  | CspPolicyWithValue<Action>
  | CspPolicyWithDirectives<Action>;

/**
 * A CSP policy of a zone. The id is `zoneId/policyId`.
 *
 * If the zone already has an equal policy that no resource of this run owns, this resource adopts it instead of creating a second
 * one, so a create whose response was lost does no harm. A destroy deletes the policy unless `onDestroy` is `keep`.
 *
 * @example
 * ```ts
 * const checkout = new CspPolicy("checkout", {
 *   zoneId,
 *   description: "Scripts of the checkout",
 *   action: "log",
 *   expression: 'http.host eq "shop.example.com"',
 *   directives: { "script-src": ["'self'", "https://js.payments.example"], "object-src": ["'none'"] },
 *   minimumLogDays: 7,
 * });
 * export const loggingSince = checkout.loggingSince;
 * ```
 *
 * Errors: `PG_QUOTA` when the plan allows no further policy, `PG_NOT_ENTITLED` when the plan does not include policies at all.
 */
export class CspPolicy<Action extends string = CspAction> extends PageGuardResource {
  /** @internal Policy packs recognise resources of this class by this type. */
  static readonly __pulumiType = `${typePrefix}CspPolicy`;

  /** Whether a value is a `CspPolicy`, created by this or by another copy of the package. */
  static override readonly isInstance = makeInstanceTest<CspPolicy>(CspPolicy.__pulumiType);

  /**
   * Reads a policy that this stack does not own. The resource never changes or deletes it.
   *
   * @param id `zoneId/policyId`.
   * @example
   * ```ts
   * const found = CspPolicy.get("found", `${zoneId}/${policyId}`);
   * ```
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options: GetOptions = {}): CspPolicy {
    const { connection, ...others } = options;
    return new CspPolicy(name, { connection } as CspPolicyArgs, { ...others, id });
  }

  declare readonly zoneId: pulumi.Output<string>;
  declare readonly description: pulumi.Output<string>;
  declare readonly action: pulumi.Output<CspAction>;
  declare readonly expression: pulumi.Output<string>;
  declare readonly enabled: pulumi.Output<boolean | undefined>;
  declare readonly directives: pulumi.Output<Readonly<Record<string, readonly string[]>> | undefined>;
  declare readonly onDestroy: pulumi.Output<PolicyOnDestroy | undefined>;
  /** Id that the service assigned to the policy. */
  declare readonly policyId: pulumi.Output<string>;
  /** The policy as text, as it was sent to the service. */
  declare readonly value: pulumi.Output<string>;
  /**
   * Time at which the policy began to log with its current content, ISO 8601. A change that only allows more does not reset it.
   * For a policy with `allow`: time at which it last began to log. Absent if the policy never logged, is disabled while its
   * action is `log`, or was read with `get`.
   */
  declare readonly loggingSince: pulumi.Output<string | undefined>;
  /** Same value as `checkedImpact`, except that the engine repeats the argument `impact` here if nothing was checked. */
  declare readonly impact: pulumi.Output<PolicyImpact | undefined>;
  /** Items in use that the enforced policy blocks, as found at its last change. Absent if nothing was checked. */
  declare readonly checkedImpact: pulumi.Output<PolicyImpact | undefined>;

  constructor(name: string, args: CspPolicyArgs<Action>, options?: pulumi.CustomResourceOptions) {
    const { policyId: _, ...declared } = { ...args };
    super({ name: "CspPolicy", load: kinds.CspPolicy }, name, declared, options);
  }
}
