const supplyChain = "the polyfill.io supply chain attack, reported by Sansec, June 2024";

/** Domains whose scripts attacked visitors after a change of their owner, from public reports. As of November 2026. */
const bad: ReadonlyMap<string, string> = new Map(
  (
    "polyfill.io polyfill.com polyfillcache.com bootcdn.net bootcss.com staticfile.net staticfile.org unionadjs.com " +
    "xhsbpza.com macoms.la newcrbpc.com"
  )
    .split(" ")
    .map((domain) => [domain, supplyChain]),
);

/** What a host must not serve scripts any more for, with its source and date; also of one below such a domain. */
export function knownBad(host: string): string | undefined {
  return bad.get(host.toLowerCase().split(".").slice(-2).join("."));
}
