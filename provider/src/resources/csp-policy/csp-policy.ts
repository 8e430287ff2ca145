import type * as pulumi from "@pulumi/pulumi";
import type { ConnectionArgs } from "../../api/client-types";
import type { LintOptions } from "../../csp";
import { PageGuardResource } from "../../declaration/page-guard-resource";
import type { PolicyImpact } from "./policy-impact";

export type { PolicyImpact } from "./policy-impact";

/** `log` reports what the policy does not allow, `allow` blocks it. */
export type CspAction = "log" | "allow";

/** How loud a kind of finding is: `warn` shows it, `error` fails the preview, `off` is silent. */
export type FindingLevel = "warn" | "error" | "off";

export interface CspPolicyArgs {
  /** The zone: 32 hexadecimal characters. A change replaces the policy. */
  zoneId: pulumi.Input<string>;
  description: pulumi.Input<string>;
  /** `log`: violations are reported and nothing is blocked. `allow`: what the policy does not allow is blocked. */
  action: pulumi.Input<CspAction>;
  /** Filter expression: which pages the policy is for. At most 4,096 characters. */
  expression: pulumi.Input<string>;
  /** Default true. */
  enabled?: pulumi.Input<boolean | undefined> | undefined;
  /** The policy as text: `script-src 'self' https://js.example.com`. Give either this or `directives`. */
  value?: pulumi.Input<string | undefined> | undefined;
  /** The policy as directive name to sources; one canonical text is made of it. Give either this or `value`. */
  directives?:
    | pulumi.Input<Readonly<Record<string, pulumi.Input<readonly pulumi.Input<string>[]>>> | undefined>
    | undefined;
  /**
   * What is said of faults in the policy's text: `warn` (default), `error` fails the preview on those of high severity,
   * `off`. Syntax that the service cannot mean is always shown. Single rules are switched off by name:
   * `{ level: "error", off: ["http-source", { rule: "security-unsafe-eval", reason: "the tag manager needs it" }] }`.
   */
  lint?: pulumi.Input<FindingLevel | LintOptions | undefined> | undefined;
  /**
   * What is said of scripts and connections in use that an `allow` policy would block, before it is created or
   * changed: `warn` (default), `error` fails the preview, `off` asks nothing.
   */
  impact?: pulumi.Input<FindingLevel | undefined> | undefined;
  /** Days that a policy has to be in `log` before the preview lets it go to `allow`. The vendor advises 7. */
  minimumLogDays?: pulumi.Input<number | undefined> | undefined;
  /** Where and as whom to talk. No part of the desired state: a change changes no resource. */
  connection?: pulumi.Input<ConnectionArgs | undefined> | undefined;
}

const kind = {
  name: "CspPolicy",
  load: () => (require("./lifecycle") as typeof import("./lifecycle")).cspPolicy,
};

/**
 * A CSP policy of a zone. The id is `zoneId/policyId`.
 *
 * A policy that is exactly equal and that no resource of this run owns is taken over instead of made a second time:
 * so a create whose answer was lost is harmless. On destroy the policy is deleted.
 *
 * Errors: `PG_QUOTA` when the plan has no room for another policy, `PG_NOT_ENTITLED` when it has no policies at all.
 */
export class CspPolicy extends PageGuardResource {
  declare readonly zoneId: pulumi.Output<string>;
  declare readonly description: pulumi.Output<string>;
  declare readonly action: pulumi.Output<CspAction>;
  declare readonly expression: pulumi.Output<string>;
  declare readonly enabled: pulumi.Output<boolean | undefined>;
  declare readonly directives: pulumi.Output<Readonly<Record<string, readonly string[]>> | undefined>;
  /** Assigned by the service. */
  declare readonly policyId: pulumi.Output<string>;
  /** The policy's text as sent. */
  declare readonly value: pulumi.Output<string>;
  /** Since when the policy logs what it says now, ISO 8601. What only allows more does not start it anew. */
  declare readonly loggingSince: pulumi.Output<string | undefined>;
  /** Present on an `allow` policy whose impact was asked for. */
  declare readonly impact: pulumi.Output<PolicyImpact | undefined>;

  constructor(name: string, args: CspPolicyArgs, options?: pulumi.CustomResourceOptions) {
    super(kind, name, args, ["policyId", "value", "loggingSince", "impact"], options, {
      value: "directives",
    });
  }
}
