import type { SeenItem } from "./seen-item";

/** Below it a script's integrity score counts as malicious (Page Guard API, Limits 1). */
export const MALICIOUS_BELOW = 50;

/** Why an item counts as malicious; undefined when it does not, or when nothing is known. */
export function maliceOf({ kind, item }: SeenItem, threshold: number): string | undefined {
  if (item.domainReportedMalicious === true)
    return `its domain is reported as malicious${list(item.maliciousDomainCategories)}`;
  if (item.urlReportedMalicious === true)
    return `its URL is reported as malicious${list(item.maliciousUrlCategories)}`;
  if (kind !== "script" || item.jsIntegrityScore === undefined || item.jsIntegrityScore >= threshold)
    return undefined;
  return `its integrity score is ${item.jsIntegrityScore}, below ${threshold}`;
}

function list(categories: readonly string[] | undefined): string {
  return categories === undefined || categories.length === 0 ? "" : ` (${categories.join(", ")})`;
}
