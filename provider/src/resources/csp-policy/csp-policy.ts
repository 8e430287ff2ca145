import type * as pulumi from "@pulumi/pulumi";
import type { KnownDirective, LintOptions } from "page-guard-csp";
import type { ConnectionArgs } from "../../api/client-types";
import {
  type GetOptions,
  instancesOf,
  PageGuardResource,
  typePrefix,
} from "../../declaration/page-guard-resource";
import type { PolicyImpact } from "../../model/policies/policy-impact";

export type { PolicyImpact } from "../../model/policies/policy-impact";

/**
 * `log` reports what the policy does not allow, `allow` blocks it. `add_reporting_directives` is known to the service
 * `page_shield` only and blocks nothing.
 */
export type CspAction = "log" | "allow" | "add_reporting_directives";

/** What becomes of a policy when its resource is destroyed. */
export type PolicyOnDestroy = "delete" | "keep";

/** How loud a kind of finding is: `warn` shows it, `error` fails the preview, `off` is silent. */
export type FindingLevel = "warn" | "error" | "off";

/**
 * Directive to its sources: `{ "script-src": ["'self'"] }`. A name that no browser knows is a mistake of spelling; for
 * one that is newer than this package declare the sources as a `Record<string, string[]>` first. What the service does
 * not know is warned of.
 */
export type CspDirectives = {
  readonly [Name in KnownDirective]?: pulumi.Input<readonly pulumi.Input<string>[]> | undefined;
};

/** A policy as text. */
export interface PolicyValue {
  /** The policy as text: `script-src 'self' https://js.example.com`. Give either this or `directives`. */
  value: pulumi.Input<string>;
  directives?: undefined;
}

/** A policy as directives. */
export interface PolicyDirectives {
  value?: undefined;
  /** The policy as directive name to sources; one canonical text is made of it. Give either this or `value`. */
  directives: pulumi.Input<CspDirectives>;
}

/** Where a policy is in force, and what it does to what it does not allow. */
export interface PolicyAction<Action extends string = CspAction> {
  /**
   * `log`: violations are reported and nothing is blocked. `allow`: what the policy does not allow is blocked. A compiler
   * refuses another word that the program says; one of a file or of the service fits, and the preview checks it.
   */
  // A compiler shows the words of a union that has no name.
  action: pulumi.Input<string extends Action ? Action : { [Word in CspAction]: Word }[CspAction]>;
  /** Filter expression: which pages the policy is for. At most 4,096 characters. */
  expression: pulumi.Input<string>;
  /** Default true. */
  enabled?: pulumi.Input<boolean | undefined> | undefined;
  /** Made by the service and ignored: so what `getPolicies` gives can be declared as it is. */
  policyId?: pulumi.Input<string | undefined> | undefined;
}

/** How loudly policies are judged, and where they are. */
export interface JudgementArgs {
  /**
   * What is said of faults in a policy's text: `warn` (default), `error` fails the preview on those of high severity,
   * `off`. Syntax that the service cannot mean is always shown. Single rules are switched off by name:
   * `{ level: "error", off: ["http-source", { rule: "security-unsafe-eval", reason: "the tag manager needs it" }] }`.
   */
  lint?: pulumi.Input<FindingLevel | LintOptions | undefined> | undefined;
  /**
   * What is said of scripts and connections in use that an `allow` policy would block, before it is created or
   * changed: `warn` (default), `error` fails the preview where something is blocked that is not malicious, `off` asks
   * nothing. Malicious ones that it keeps out or lets in are reported as well.
   */
  impact?: pulumi.Input<FindingLevel | undefined> | undefined;
  /** Days that a policy has to be in `log` before the preview lets it go to `allow`. The vendor advises 7. */
  minimumLogDays?: pulumi.Input<number | undefined> | undefined;
  /** Where and as whom to talk. No part of the desired state: a change changes no resource. */
  connection?: pulumi.Input<ConnectionArgs | undefined> | undefined;
}

/** What the two forms of a policy have in common. */
export interface CspPolicyFields<Action extends string = CspAction>
  extends JudgementArgs,
    PolicyAction<Action> {
  /** The zone: 32 hexadecimal characters. A change replaces the policy. */
  zoneId: pulumi.Input<string>;
  description: pulumi.Input<string>;
  /** On destroy: `delete` (default) the policy, or `keep` it in the zone. */
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

const kind = {
  name: "CspPolicy",
  load: () => (require("./lifecycle") as typeof import("./lifecycle")).cspPolicy,
};

/**
 * A CSP policy of a zone. The id is `zoneId/policyId`.
 *
 * A policy that is exactly equal and that no resource of this run owns is adopted instead of created a second time:
 * so a create whose answer was lost is harmless. On destroy the policy is deleted, unless `onDestroy` is `keep`.
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
 * Errors: `PG_QUOTA` when the plan has no room for another policy, `PG_NOT_ENTITLED` when it has no policies at all.
 */
export class CspPolicy<Action extends string = CspAction> extends PageGuardResource {
  /** @internal Policy packs tell resources of this class by it. */
  static readonly __pulumiType = `${typePrefix}CspPolicy`;

  /** Whether it is such a resource, of this or of another copy of the package. */
  static override readonly isInstance = instancesOf<CspPolicy>(CspPolicy.__pulumiType);

  /**
   * Reads a policy that this stack does not own: nothing of it is ever changed or deleted by the resource.
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
  /** Assigned by the service. */
  declare readonly policyId: pulumi.Output<string>;
  /** The policy's text as sent. */
  declare readonly value: pulumi.Output<string>;
  /** Since when the policy logs what it says now, ISO 8601. What only allows more does not restart it. Absent in what `get` reads. */
  declare readonly loggingSince: pulumi.Output<string | undefined>;
  /**
   * Like `checkedImpact`. Where nothing was checked, the engine repeats the argument `impact` here: use `checkedImpact`.
   */
  declare readonly impact: pulumi.Output<PolicyImpact | undefined>;
  /** What the enforced policy blocks, as its last change found it. Absent where nothing was checked. */
  declare readonly checkedImpact: pulumi.Output<PolicyImpact | undefined>;

  constructor(name: string, args: CspPolicyArgs<Action>, options?: pulumi.CustomResourceOptions) {
    const { policyId: _, ...declared } = { ...args };
    super(kind, name, declared, options);
  }
}
