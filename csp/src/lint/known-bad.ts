/** Why a host must not serve scripts of a page any more. */
export interface KnownBad {
  /** What it did, and who has said so. */
  readonly why: string;
  readonly since: string;
}

const supplyChain = { why: "the polyfill.io supply chain attack, reported by Sansec", since: "June 2024" };

/** Domains whose scripts attacked visitors after a change of their owner, from public reports. As of November 2026. */
const bad: ReadonlyMap<string, KnownBad> = new Map(
  (
    "polyfill.io polyfill.com polyfillcache.com bootcdn.net bootcss.com staticfile.net staticfile.org unionadjs.com " +
    "xhsbpza.com macoms.la newcrbpc.com"
  )
    .split(" ")
    .map((domain) => [domain, supplyChain]),
);

const mostLabels = 4;

/** Of a host, or of one above it. */
export function knownBad(host: string): KnownBad | undefined {
  const labels = host.toLowerCase().split(".").slice(-mostLabels);
  return labels
    .map((_, index) => bad.get(labels.slice(index).join(".")))
    .find((found) => found !== undefined);
}
