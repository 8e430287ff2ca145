import type { Compatibility, Entrypoint, WafConfiguration, WafStatus } from "../api/client-types";
import { type CallOptions, call, outputOf, type ZoneArgs } from "./call";
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
export function getWafCompatibility(args: ZoneArgs, opts?: CallOptions): Promise<Compatibility> {
  return call(args, zoneRules, opts, (client) => client.getCompatibility(args.zoneId));
}

/** As `getWafCompatibility`, with arguments that may be outputs. */
export const getWafCompatibilityOutput = outputOf(getWafCompatibility);

/** The new configuration that is equivalent to the present one of the previous WAF. */
export function getWafConfiguration(args: ZoneArgs, opts?: CallOptions): Promise<WafConfiguration> {
  return call(args, zoneRules, opts, (client) => client.getWafConfiguration(args.zoneId));
}

/** As `getWafConfiguration`, with arguments that may be outputs. */
export const getWafConfigurationOutput = outputOf(getWafConfiguration);

/** Which WAF is on. The fields of the answer are not documented: `record` is as it came, the rest are hints. */
export function getWafStatus(args: ZoneArgs, opts?: CallOptions): Promise<WafStatus> {
  return call(args, zoneRules, opts, (client) => client.getWafStatus(args.zoneId));
}

/** As `getWafStatus`, with arguments that may be outputs. */
export const getWafStatusOutput = outputOf(getWafStatus);

/**
 * The rules of the managed WAF of a zone. One that was never configured has no rules and no `rulesetId`.
 *
 * @example
 * ```ts
 * const { rules } = await getEntrypoint({ zoneId });
 * export const managed = rules.filter(({ action }) => action === "execute").length;
 * ```
 */
export async function getEntrypoint(args: ZoneArgs, opts?: CallOptions): Promise<Entrypoint> {
  const found = await call(args, zoneRules, opts, (client) => client.getEntrypoint(args.zoneId));
  return found ?? { rules: [] };
}

/** As `getEntrypoint`, with arguments that may be outputs. */
export const getEntrypointOutput = outputOf(getEntrypoint);
