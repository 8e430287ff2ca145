import type { Settings } from "../api/client-types";
import { type CallOptions, call, outputOf, type ZoneArgs } from "./call";
import { zoneRules } from "./check-args";

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
