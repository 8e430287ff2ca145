import type { Policy } from "../api/client-types";
import { type CallOptions, call, outputOf, type ZoneArgs } from "./call";
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
export function getPolicies(args: ZoneArgs, opts?: CallOptions): Promise<readonly Policy[]> {
  return call(args, zoneRules, opts, (client) => client.listPolicies(args.zoneId));
}

/** As `getPolicies`, with arguments that may be outputs. */
export const getPoliciesOutput = outputOf(getPolicies);

/** One CSP policy. Rejects with NotFoundError (`PG_NOT_FOUND`) when there is none with that id. */
export function getPolicy(args: GetPolicyArgs, opts?: CallOptions): Promise<Policy> {
  return call(args, single, opts, (client) => client.getPolicy(args.zoneId, args.policyId));
}

/** As `getPolicy`, with arguments that may be outputs. */
export const getPolicyOutput = outputOf(getPolicy);
