import { hostMatches, pathMatches } from "../match/source-match";
import { toRequestUrl } from "../syntax/request-url";
import type { HostSource } from "../syntax/source";
import { callingUrls, gadgetUrls, jsonpUrls } from "./bypass-urls";

/**
 * Returns the host of the first known bypass URL that a source allows, and in `serves` descriptions of all allowed bypass URLs.
 * Undefined if the source allows no such URL. `isWeak`: an attacker can only call one function of the page, without arguments.
 * `withEval`: whether the list has `'unsafe-eval'`, which some bypasses need.
 */
export function findBypass(source: HostSource, withEval: boolean) {
  if (source.host === "") return undefined;
  known ??= readKnownUrls();
  const allowed = known.filter(
    ({ url, needsEval }) =>
      (withEval || !needsEval) && hostMatches(source, url.host) && pathMatches(source.path, url.path),
  );
  // Report weak bypasses only if there is no strong one.
  const strong = allowed.filter(({ isWeak }) => !isWeak);
  const reported = strong.length > 0 ? strong : allowed;
  const [first] = reported;
  const serves = new Set(reported.map((one) => one.serves));
  return first && { host: first.url.host, serves, isWeak: first.isWeak };
}

/** Known bypass URLs, read on first use. */
let known: ReturnType<typeof readKnownUrls> | undefined;

function readKnownUrls() {
  const jsonp =
    require("csp_evaluator/dist/allowlist_bypasses/jsonp") as typeof import("csp_evaluator/dist/allowlist_bypasses/jsonp");
  const angular =
    require("csp_evaluator/dist/allowlist_bypasses/angular") as typeof import("csp_evaluator/dist/allowlist_bypasses/angular");
  const needEval: ReadonlySet<string> = new Set(jsonp.NEEDS_EVAL);
  const read = (texts: readonly string[], serves: string, { ofEvaluator = false, isWeak = false } = {}) =>
    texts.flatMap((text) => {
      const url = toRequestUrl(`https://${text.replace(/^\/\//, "")}`);
      return url ? [{ url, serves, needsEval: ofEvaluator && needEval.has(url.host), isWeak }] : [];
    });
  return [
    ...read(jsonp.URLS, "JSONP endpoints", { ofEvaluator: true }),
    ...read(angular.URLS, "Angular libraries"),
    ...read(jsonpUrls, "JSONP endpoints"),
    ...read(gadgetUrls, "libraries that run code from attributes"),
    ...read(callingUrls, "scripts that call a function named in the URL", { isWeak: true }),
  ];
}

/** Domains whose scripts attacked visitors after the domain got a new owner, from public reports. As of November 2026. */
const bad: ReadonlySet<string> = new Set(
  (
    "polyfill.io polyfill.com polyfillcache.com bootcdn.net bootcss.com staticfile.net staticfile.org unionadjs.com " +
    "xhsbpza.com macoms.la newcrbpc.com"
  ).split(" "),
);

/** Returns why pages must no longer load scripts from a host, with source and date. Also covers hosts below a listed domain. */
export function findKnownBad(host: string): string | undefined {
  const domain = host.toLowerCase().replace(/\.$/, "").split(".").slice(-2).join(".");
  return bad.has(domain) ? "the polyfill.io supply chain attack, reported by Sansec, June 2024" : undefined;
}
