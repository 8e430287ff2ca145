import { isMalicious as isItemMalicious } from "page-guard-csp";
import type {
  Compatibility,
  Connection,
  DetectedItem,
  Entrypoint,
  Policy,
  Script,
  Settings,
  WafConfiguration,
  WafStatus,
} from "../api/client-types";
import { type CallOptions, call, outputOf, type Rules, type ZoneArgs, zoneRules } from "./call";

/**
 * Whether the monitor of a zone is on, and how it reports.
 *
 * @example
 * ```ts
 * const { enabled, updatedAt } = await getSettings({ zoneId });
 * ```
 */
export function getSettings(args: ZoneArgs, opts?: CallOptions): Promise<Settings> {
  return call(args, zoneRules, opts, (client) => client.getSettings(args.zoneId));
}

/** As `getSettings`, with arguments that may be outputs. */
export const getSettingsOutput = outputOf(getSettings);

export interface GetPolicyArgs extends ZoneArgs {
  /** As in the output `policyId` of a `CspPolicy`. */
  readonly policyId: string;
}

const policyRules: Rules = { ...zoneRules, policyId: "id" };

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
  return call(args, policyRules, opts, (client) => client.getPolicy(args.zoneId, args.policyId));
}

/** As `getPolicy`, with arguments that may be outputs. */
export const getPolicyOutput = outputOf(getPolicy);

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

export interface MaliciousOptions {
  /** A `jsIntegrityScore` below this counts as malicious. 50 as in the Page Guard API document (newer public documents: 10). */
  readonly threshold?: number | undefined;
}

/**
 * Whether a script or connection is malicious: its domain or URL was reported, or its integrity score is below the
 * threshold. `undefined` means unknown, not "no": nothing was reported, but there is no score either, because the
 * plan has none, or because it is a connection, which never has one.
 *
 * @example
 * ```ts
 * const scripts = await getScripts({ zoneId, status: "all" });
 * export const found = scripts.filter((script) => isMalicious(script)).map(({ url }) => url);
 * ```
 */
export function isMalicious(
  item: Script | Connection,
  { threshold }: MaliciousOptions = {},
): boolean | undefined {
  return isItemMalicious(item, threshold);
}

/** The categories of the domain and of the URL in one list, as a dashboard shows them: each once, sorted. */
export function maliciousCategories(item: DetectedItem): readonly string[] {
  const categories = [...(item.maliciousDomainCategories ?? []), ...(item.maliciousUrlCategories ?? [])];
  return [...new Set(categories)].sort();
}
