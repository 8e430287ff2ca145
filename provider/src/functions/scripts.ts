import type * as pulumi from "@pulumi/pulumi";
import type { Script } from "../api/client-types";
import { type CallOptions, call, clientFor, type Inputs, toOutput, type ZoneArgs } from "./call";
import { checkArgs, type Rules, zoneRules } from "./check-args";
import { splitListArgs, type UrlListArgs, urlListRules } from "./list-args";

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
export async function getScripts(args: GetScriptsArgs, opts?: CallOptions): Promise<readonly Script[]> {
  const { zoneId, query, options } = splitListArgs(args, opts);
  return call(args, listed, opts, (client) => client.listAll("scripts", zoneId, query, options));
}

/** As `getScripts`, with arguments that may be outputs. */
export function getScriptsOutput(args: Inputs<GetScriptsArgs>): pulumi.Output<readonly Script[]> {
  return toOutput<GetScriptsArgs, readonly Script[]>(args, getScripts);
}

/** As `getScripts`, one item after the other: for zones too large for one list. Nothing is asked before the first item is. */
export async function* iterateScripts(
  args: GetScriptsArgs,
  opts?: CallOptions,
): AsyncGenerator<Script, void, undefined> {
  checkArgs(args, listed);
  const { zoneId, query, options } = splitListArgs(args, opts);
  yield* clientFor(args, opts).iterate("scripts", zoneId, query, options);
}

/**
 * One script with the pages that it was seen on and its versions.
 *
 * @throws ItemGoneError (`PG_ITEM_GONE`) when it is unknown or was not seen for too long.
 */
export async function getScript(args: GetScriptArgs, opts?: CallOptions): Promise<Script> {
  return call(args, single, opts, (client) => client.getItem("scripts", args.zoneId, args.scriptId));
}

/** As `getScript`, with arguments that may be outputs. */
export function getScriptOutput(args: Inputs<GetScriptArgs>): pulumi.Output<Script> {
  return toOutput<GetScriptArgs, Script>(args, getScript);
}
