import type { Entrypoint } from "../api/client-types";
import { type CallOptions, call, outputOf, type ZoneArgs } from "./call";
import { zoneRules } from "./check-args";

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
