import type * as pulumi from "@pulumi/pulumi";
import type { Compatibility, WafConfiguration, WafStatus } from "../api/client-types";
import { type CallOptions, call, type Inputs, toOutput, type ZoneArgs } from "./call";
import { zoneRules } from "./check-args";

/**
 * Whether a zone can be migrated to the new WAF Managed Rules.
 *
 * @example
 * ```ts
 * const { compatible } = await getWafCompatibility({ zoneId });
 * const { rules } = await getWafConfiguration({ zoneId });
 * export const plan = compatible ? rules.map(({ description }) => description) : [];
 * ```
 */
export async function getWafCompatibility(args: ZoneArgs, opts?: CallOptions): Promise<Compatibility> {
  return call(args, zoneRules, opts, (client) => client.getCompatibility(args.zoneId));
}

/** As `getWafCompatibility`, with arguments that may be outputs. */
export function getWafCompatibilityOutput(args: Inputs<ZoneArgs>): pulumi.Output<Compatibility> {
  return toOutput<ZoneArgs, Compatibility>(args, getWafCompatibility);
}

/** The new configuration that is equivalent to the present one of the previous WAF. */
export async function getWafConfiguration(args: ZoneArgs, opts?: CallOptions): Promise<WafConfiguration> {
  return call(args, zoneRules, opts, (client) => client.getWafConfiguration(args.zoneId));
}

/** As `getWafConfiguration`, with arguments that may be outputs. */
export function getWafConfigurationOutput(args: Inputs<ZoneArgs>): pulumi.Output<WafConfiguration> {
  return toOutput<ZoneArgs, WafConfiguration>(args, getWafConfiguration);
}

/** Which WAF is on. The fields of the answer are not documented: `record` is as it came, the rest are hints. */
export async function getWafStatus(args: ZoneArgs, opts?: CallOptions): Promise<WafStatus> {
  return call(args, zoneRules, opts, (client) => client.getWafStatus(args.zoneId));
}

/** As `getWafStatus`, with arguments that may be outputs. */
export function getWafStatusOutput(args: Inputs<ZoneArgs>): pulumi.Output<WafStatus> {
  return toOutput<ZoneArgs, WafStatus>(args, getWafStatus);
}
