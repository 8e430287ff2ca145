import type * as pulumi from "@pulumi/pulumi";
import type { Settings } from "../api/client-types";
import { type CallOptions, clientFor, type Inputs, toOutput, type ZoneArgs } from "./call";
import { checkArgs, zoneRules } from "./check-args";

/**
 * Whether the monitor of a zone is on, and how it reports.
 *
 * @example
 * ```ts
 * const { enabled, updatedAt } = await getSettings({ zoneId });
 * ```
 */
export async function getSettings(args: ZoneArgs, opts?: CallOptions): Promise<Settings> {
  checkArgs(args, zoneRules);
  return clientFor(args, opts).getSettings(args.zoneId);
}

/** As `getSettings`, with arguments that may be outputs. */
export function getSettingsOutput(args: Inputs<ZoneArgs>): pulumi.Output<Settings> {
  return toOutput<ZoneArgs, Settings>(args, getSettings);
}
