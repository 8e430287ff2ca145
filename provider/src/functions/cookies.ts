import type { Cookie } from "../api/client-types";
import { type CallOptions, call, outputOf, type ZoneArgs } from "./call";
import { type Rules, zoneRules } from "./check-args";
import { iterateItems, type ListArgs, listItems, listRules } from "./list-args";

/** Filters of the list; `zoneId` is all that is needed. */
export interface GetCookiesArgs extends ListArgs {
  readonly name?: string | readonly string[] | undefined;
  readonly path?: string | undefined;
  readonly domain?: string | undefined;
  readonly secure?: boolean | undefined;
  readonly httpOnly?: boolean | undefined;
  readonly sameSite?: "lax" | "strict" | "none" | undefined;
  readonly type?: "first_party" | "unknown" | undefined;
}

export interface GetCookieArgs extends ZoneArgs {
  /** The `id` of an item of the list. */
  readonly cookieId: string;
}

const listed: Rules = {
  ...listRules,
  name: "texts",
  path: "text",
  domain: "text",
  secure: "boolean",
  httpOnly: "boolean",
  sameSite: ["lax", "strict", "none"],
  type: ["first_party", "unknown"],
};
const single: Rules = { ...zoneRules, cookieId: "id" };

/**
 * The cookies of a zone: all pages, the first one first and then the rest in parallel within the rate limit. An item that
 * moves while they are read is neither lost nor doubled. Fields that the plan does not have are absent.
 *
 * @example
 * ```ts
 * const unprotected = await getCookies({ zoneId, type: "first_party", httpOnly: false });
 * ```
 *
 * @throws InputError (`PG_INPUT`) for an argument that cannot be used; ApiError otherwise.
 */
export function getCookies(args: GetCookiesArgs, opts?: CallOptions): Promise<readonly Cookie[]> {
  return listItems("cookies", listed, args, opts);
}

/** As `getCookies`, with arguments that may be outputs. */
export const getCookiesOutput = outputOf(getCookies);

/** As `getCookies`, one item after the other: for zones too large for one list. Nothing is asked before the first item is. */
export function iterateCookies(
  args: GetCookiesArgs,
  opts?: CallOptions,
): AsyncGenerator<Cookie, void, undefined> {
  return iterateItems("cookies", listed, args, opts);
}

/**
 * One cookie.
 *
 * @throws ItemGoneError (`PG_ITEM_GONE`) when it is unknown or was not seen for too long.
 */
export function getCookie(args: GetCookieArgs, opts?: CallOptions): Promise<Cookie> {
  return call(args, single, opts, (client) => client.getItem("cookies", args.zoneId, args.cookieId));
}

/** As `getCookie`, with arguments that may be outputs. */
export const getCookieOutput = outputOf(getCookie);
