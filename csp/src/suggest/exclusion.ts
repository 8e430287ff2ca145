import { type ItemStatus, maliceOf, maliciousBelow, type SeenItem } from "../impact/seen-item";
import { findKnownBad } from "../lint/known-bypasses";
import { isLocalHost } from "../match/source-match";
import { dayMs } from "./evidence";
import type { ReadItem } from "./read-item";

/**
 * Reason why no source is suggested for an item. `malicious`; `known-bad`: its domain has attacked visitors before; `status`: its
 * status is not included; `too-new`; `unsafe-scheme`: allowing its scheme would allow any injected code, or content of the scheme
 * does not come from the web; `local-address`: its host differs for each visitor; `not-expressible`: no source can allow it.
 */
export type ExclusionReason =
  | "malicious"
  | "known-bad"
  | "status"
  | "too-new"
  | "unsafe-scheme"
  | "local-address"
  | "not-expressible";

export type Excluded = SeenItem & {
  readonly reason: ExclusionReason;
  /** The reason in words: `its integrity score is 12, below 50`. */
  readonly message: string;
  /** Source of the suggested policy that still allows the item. Absent if the policy blocks it. */
  readonly allowedBy?: string;
};

export interface ExclusionOptions {
  /**
   * Minimum age of items in days. Default: 3, and 7 for items that few visitors met (`infrequent`). There is no default minimum
   * if no item is 3 days old, as in a zone whose monitoring has just begun.
   */
  readonly minAgeDays?: number;
  /** Time of the suggestion. Default: now. */
  readonly now?: Date;
  /** Statuses to include. Default: `active` and `infrequent`. Items without a status are included. */
  readonly statuses?: readonly ItemStatus[];
  /** Integrity score below which a script counts as malicious. Default: 50. */
  readonly threshold?: number;
}

const schemes = ["http", "https", "ws", "wss", "blob"];
/** Schemes of the web for which a source may be suggested. */
const allowedSchemes = { script: schemes, connection: [...schemes, "data"] } as const;

const usualDays = 3;
/** Minimum age of rare items in days: attackers try a new host on few visitors first. */
const daysOfRare = 7;

/**
 * Returns the minimum age of items. Undefined (no minimum) if no item is old enough. In the default rule (`isLenient`), items of
 * unknown age are assumed to be old, and items that few visitors met must be older.
 */
export function ageRule(items: readonly ReadItem[], { minAgeDays, now = new Date() }: ExclusionOptions) {
  if (minAgeDays !== undefined) return { days: minAgeDays, isLenient: false };
  const isOld = items.some(({ seen }) => daysKnown(seen, now) >= usualDays);
  return isOld ? { days: usualDays, isLenient: true } : undefined;
}

type AgeRule = ReturnType<typeof ageRule>;

/** Returns the item with the reason to exclude it; undefined if a source may allow it. */
export function exclude(item: ReadItem, options: ExclusionOptions, age: AgeRule): Excluded | undefined {
  const { seen, url } = item;
  const { threshold = maliciousBelow, statuses = ["active", "infrequent"] } = options;
  const { status } = seen.item;
  const malice = maliceOf(seen, threshold);
  if (malice !== undefined) return because(seen, "malicious", malice);
  // Exclude connections too, because they send data to that domain.
  const bad = url && findKnownBad(url.host);
  if (bad !== undefined) return because(seen, "known-bad", `its domain has served malicious code: ${bad}`);
  if (status !== undefined && !statuses.includes(status))
    return because(seen, "status", `its status is ${status}`);
  const newness = tooNew(seen, options, age);
  if (newness !== undefined) return because(seen, "too-new", newness);
  if (url === undefined) return undefined;
  if (!allowedSchemes[seen.kind].includes(url.scheme))
    return because(seen, "unsafe-scheme", schemeMessage(url.scheme));
  const message = "its host is on each visitor's own machine or network, so it differs for each visitor";
  return isLocalHost(url.host) ? because(seen, "local-address", message) : undefined;
}

export function because(seen: SeenItem, reason: ExclusionReason, message: string): Excluded {
  return { ...seen, reason, message };
}

function tooNew(seen: SeenItem, { now = new Date() }: ExclusionOptions, age: AgeRule): string | undefined {
  if (age === undefined) return undefined;
  const known = daysKnown(seen, now);
  if (Number.isNaN(known)) return age.isLenient ? undefined : "its age is not known";
  const isRare = age.isLenient && seen.item.status === "infrequent";
  if (known >= (isRare ? daysOfRare : age.days)) return undefined;
  const happened = seen.item.firstSeenAt === undefined ? "listed" : "seen";
  const since = `it was first ${happened} at ${readSince(seen)}`;
  return isRare ? `${since}, and few visitors have met it` : since;
}

function readSince({ item }: SeenItem): string | undefined {
  return item.firstSeenAt ?? item.addedAt;
}

/** Returns the age of an item in days; NaN if it is unknown. */
function daysKnown(seen: SeenItem, now: Date): number {
  return (now.getTime() - Date.parse(readSince(seen) ?? "")) / dayMs;
}

function schemeMessage(scheme: string): string {
  if (scheme === "data") return "allowing data: would allow any injected script";
  return scheme.endsWith("extension")
    ? `${scheme}: belongs to an extension of a visitor's browser, not to the page`
    : `allowing ${scheme}: would allow content that does not come from the web`;
}
