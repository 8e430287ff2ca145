import type { Connection, DetectedItem, Script } from "../api/client-types";
import { isMalicious as isItemMalicious } from "../csp/impact/malice";

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
