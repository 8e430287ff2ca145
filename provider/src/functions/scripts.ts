import type { Script } from "../api/client-types";
import { type CallOptions, call, outputOf, type ZoneArgs } from "./call";
import { type Rules, zoneRules } from "./check-args";
import { iterateItems, listItems, type UrlListArgs, urlListRules } from "./list-args";

/** Filters of the list; `zoneId` is all that is needed. */
export interface GetScriptsArgs extends UrlListArgs {
  /**
   * One entry for scripts of the same content, whatever their URLs. The service's default: true. Give false for what a
   * policy is made of or judged by: browsers load each of the URLs.
   */
  readonly excludeDuplicates?: boolean | undefined;
}

export interface GetScriptArgs extends ZoneArgs {
  /** The `id` of an item of the list. */
  readonly scriptId: string;
}

const listed: Rules = { ...urlListRules, excludeDuplicates: "boolean" };
const single: Rules = { ...zoneRules, scriptId: "id" };

/**
 * The scripts of a zone: all pages, the first one first and then the rest in parallel within the rate limit. An item that
 * moves while they are read is neither lost nor doubled. Fields that the plan does not have are absent. As the service
 * does, it leaves out inactive and infrequent ones, copies, and URLs with `/cdn-cgi/` unless they are asked for.
 *
 * @example
 * ```ts
 * const scripts = await getScripts({ zoneId, status: "all", hosts: ["shop.example.com"] });
 * const malicious = scripts.filter((script) => isMalicious(script));
 * ```
 *
 * @throws InputError (`PG_INPUT`) for an argument that cannot be used; ApiError otherwise.
 */
export function getScripts(args: GetScriptsArgs, opts?: CallOptions): Promise<readonly Script[]> {
  return listItems("scripts", listed, args, opts);
}

/** As `getScripts`, with arguments that may be outputs. */
export const getScriptsOutput = outputOf(getScripts);

/** As `getScripts`, one item after the other: for zones too large for one list. Nothing is asked before the first item is. */
export function iterateScripts(
  args: GetScriptsArgs,
  opts?: CallOptions,
): AsyncGenerator<Script, void, undefined> {
  return iterateItems("scripts", listed, args, opts);
}

/**
 * One script with the pages that it was seen on and its versions.
 *
 * @throws ItemGoneError (`PG_ITEM_GONE`) when it is unknown or was not seen for too long.
 */
export function getScript(args: GetScriptArgs, opts?: CallOptions): Promise<Script> {
  return call(args, single, opts, (client) => client.getItem("scripts", args.zoneId, args.scriptId));
}

/** As `getScript`, with arguments that may be outputs. */
export const getScriptOutput = outputOf(getScript);
