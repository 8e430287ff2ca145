import type { ItemStatus } from "../../api/client-types";
import { parseUrl } from "../../text/parse-url";
import { maliceOf, maliciousBelow } from "../impact/malice";
import { pageUrlOf, type SeenItem } from "../impact/seen-item";
import { isLocalHost } from "../match/local-host";

/**
 * Why no source is suggested for an item: `malicious`; `status`; `too-new`; `unsafe-scheme`: of a scheme whose
 * permission would allow anything that is injected, or that is not of the web; `local-address`: on a host that is
 * another one for each visitor; `not-expressible`: no source can allow it.
 */
export type ExclusionReason =
  | "malicious"
  | "status"
  | "too-new"
  | "unsafe-scheme"
  | "local-address"
  | "not-expressible";

export type Excluded = SeenItem & {
  readonly reason: ExclusionReason;
  /** The reason in words: `its integrity score is 12, below 50`. */
  readonly message: string;
  /** The source of the suggested policy that allows it nevertheless. Absent: it is blocked. */
  readonly allowedBy?: string;
};

export interface ExclusionOptions {
  /** Only items first seen at least so many days before `now`. */
  readonly minAgeDays?: number;
  /** Now, when absent. */
  readonly now?: Date;
  /** Statuses that count: `active` and `infrequent` when absent; an item without one counts. */
  readonly statuses?: readonly ItemStatus[];
  /** Integrity score below which a script counts as malicious; 50. */
  readonly threshold?: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Schemes of the web for which a source may be suggested. */
const allowedSchemes = {
  script: new Set(["http:", "https:", "ws:", "wss:", "blob:"]),
  connection: new Set(["http:", "https:", "ws:", "wss:", "blob:", "data:"]),
} as const;

/** Undefined: it is to be allowed. */
export function exclude(seen: SeenItem, options: ExclusionOptions): Excluded | undefined {
  const { threshold = maliciousBelow, statuses = ["active", "infrequent"] } = options;
  const { status } = seen.item;
  const malice = maliceOf(seen, threshold);
  if (malice !== undefined) return because(seen, "malicious", malice);
  if (status !== undefined && !statuses.includes(status)) {
    return because(seen, "status", `its status is ${status}`);
  }
  return tooNew(seen, options) ?? unsafePlace(seen);
}

export function because(seen: SeenItem, reason: ExclusionReason, message: string): Excluded {
  return { ...seen, reason, message };
}

function tooNew(seen: SeenItem, { minAgeDays, now = new Date() }: ExclusionOptions): Excluded | undefined {
  if (minAgeDays === undefined) return undefined;
  const since = seen.item.firstSeenAt ?? seen.item.addedAt;
  // Not a number: its age is unknown.
  if ((now.getTime() - Date.parse(since ?? "")) / dayMs >= minAgeDays) return undefined;
  const message = since === undefined ? "its age is not known" : `it was first seen at ${since}`;
  return because(seen, "too-new", message);
}

function unsafePlace(seen: SeenItem): Excluded | undefined {
  const url = parseUrl(seen.item.url) ?? parseUrl(seen.item.url, pageUrlOf(seen));
  if (url === undefined) return undefined;
  if (!allowedSchemes[seen.kind].has(url.protocol))
    return because(seen, "unsafe-scheme", schemeMessage(url.protocol));
  const message = "its host is another one for each visitor: their own machine or network";
  return isLocalHost(url.hostname) ? because(seen, "local-address", message) : undefined;
}

function schemeMessage(protocol: string): string {
  if (protocol === "data:") return "allowing data: would allow any injected script";
  if (protocol.endsWith("extension:")) {
    return `${protocol} belongs to an extension of a visitor's browser, not to the page`;
  }
  return `allowing ${protocol} would allow what does not come from the web`;
}
