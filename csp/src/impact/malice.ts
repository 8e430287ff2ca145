import type { SeenScript } from "../seen-on-pages";
import type { SeenItem } from "./seen-item";

/** Below it a script's integrity score counts as malicious (Page Guard API, Limits 1). */
export const maliciousBelow = 50;

type Judged = Pick<SeenScript, "domainReportedMalicious" | "urlReportedMalicious" | "jsIntegrityScore">;

/** Undefined is unknown, not "no": nothing was reported, and there is no score. A connection never has a score. */
export function isMalicious(item: Judged, threshold = maliciousBelow): boolean | undefined {
  if (item.domainReportedMalicious || item.urlReportedMalicious) return true;
  return item.jsIntegrityScore === undefined ? undefined : item.jsIntegrityScore < threshold;
}

/** Why an item counts as malicious; undefined when it does not, or when nothing is known. */
export function maliceOf({ kind, item }: SeenItem, threshold: number): string | undefined {
  if (!isMalicious(item, threshold)) return undefined;
  if (item.domainReportedMalicious === true)
    return `its domain is reported as malicious${list(item.maliciousDomainCategories)}`;
  if (item.urlReportedMalicious === true)
    return `its URL is reported as malicious${list(item.maliciousUrlCategories)}`;
  return kind === "script"
    ? `its integrity score is ${item.jsIntegrityScore}, below ${threshold}`
    : undefined;
}

function list(categories: readonly string[] | undefined): string {
  return categories === undefined || categories.length === 0 ? "" : ` (${categories.join(", ")})`;
}
