import type * as pulumi from "@pulumi/pulumi";
import type { Policy } from "../api/client-types";
import { type CallOptions, call, type Inputs, toOutput, type ZoneArgs } from "./call";
import { type Rules, zoneRules } from "./check-args";

export interface GetPolicyArgs extends ZoneArgs {
  /** As in the output `policyId` of a `CspPolicy`. */
  readonly policyId: string;
}

const single: Rules = { ...zoneRules, policyId: "id" };

/**
 * All CSP policies of a zone, whoever made them.
 *
 * @example
 * ```ts
 * const policies = await getPolicies({ zoneId });
 * export const blocking = policies.filter(({ action, enabled }) => enabled && action === "allow").length;
 * ```
 */
export async function getPolicies(args: ZoneArgs, opts?: CallOptions): Promise<readonly Policy[]> {
  return call(args, zoneRules, opts, (client) => client.listPolicies(args.zoneId));
}

/** As `getPolicies`, with arguments that may be outputs. */
export function getPoliciesOutput(args: Inputs<ZoneArgs>): pulumi.Output<readonly Policy[]> {
  return toOutput<ZoneArgs, readonly Policy[]>(args, getPolicies);
}

/** One CSP policy. Rejects with NotFoundError (`PG_NOT_FOUND`) when there is none with that id. */
export async function getPolicy(args: GetPolicyArgs, opts?: CallOptions): Promise<Policy> {
  return call(args, single, opts, (client) => client.getPolicy(args.zoneId, args.policyId));
}

/** As `getPolicy`, with arguments that may be outputs. */
export function getPolicyOutput(args: Inputs<GetPolicyArgs>): pulumi.Output<Policy> {
  return toOutput<GetPolicyArgs, Policy>(args, getPolicy);
}
