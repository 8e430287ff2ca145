import { type Query, readBoolean, readOneOf } from "./list-filters";
import type { Sighting, ZoneCookie } from "./zone";

/**
 * What was filtered and sorted for one page is kept for the next ones: 10,000 items take a tenth of a second, and
 * a reader requests a hundred pages. Keyed by the array, which `Zones.get` replaces before each change.
 */
export class Orders<T extends Sighting | ZoneCookie> {
  private readonly known = new WeakMap<readonly T[], Map<string, readonly T[]>>();

  of(items: readonly T[], query: Query, filter: (items: readonly T[]) => readonly T[]): readonly T[] {
    const wishes = [...query].filter(([name]) => name !== "page" && name !== "per_page");
    const key = JSON.stringify(wishes.sort(([a], [b]) => compare(a, b)));
    const known = this.known.get(items) ?? new Map<string, readonly T[]>();
    this.known.set(items, known);
    const ordered = known.get(key) ?? sorted(filter(items), query);
    known.set(key, ordered);
    return ordered;
  }
}

/** The order is not documented without `order_by`; here it is the restless one: most recently seen first. */
export function sorted<T extends Sighting | ZoneCookie>(items: readonly T[], query: Query): T[] {
  const read = <T>(name: string, otherwise: string, by: (value: string, name: string) => T): T =>
    by(query.get(name) ?? otherwise, name);
  const field = read("order_by", "last_seen_at", readOneOf("last_seen_at", "first_seen_at"));
  const sign = read("direction", "desc", readOneOf("desc", "asc")) === "asc" ? 1 : -1;
  const malicious = read("prioritize_malicious", "false", readBoolean);
  return [...items].sort((a, b) => {
    if (malicious && isMalicious(a) !== isMalicious(b)) return isMalicious(a) ? -1 : 1;
    return sign * compare(a[field], b[field]) || compare(a.id, b.id);
  });
}

function isMalicious(item: Sighting | ZoneCookie): boolean {
  if (!("url" in item)) return false;
  if (item.domain_reported_malicious || item.url_reported_malicious) return true;
  const score = "js_integrity_score" in item ? item.js_integrity_score : null;
  return typeof score === "number" && score < 50;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
