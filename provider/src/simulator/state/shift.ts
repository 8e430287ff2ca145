/** The fault `shift`: a list changes while it is read page by page. */
import type { FaultSpec } from "../control/faults";
import { timestamp } from "../wire/request";
import type { Query } from "./list-filters";
import { sorted } from "./list-order";
import { hexadecimal, type Random } from "./random";
import { seedConnection, seedCookie, seedScript } from "./seed-items";
import type { Sighting, Zone, ZoneCookie } from "./zone";

type Move = "insert" | "remove" | "touch";
type Make<T> = (random: Random, index: number) => T;

export function shiftItems(
  zone: Zone,
  path: string,
  query: Query,
  fault: FaultSpec,
  random: Random,
  now: number,
): void {
  if (fault.kind !== "shift") return;
  const move = fault.move ?? "insert";
  const seen = { first_seen_at: timestamp(now), last_seen_at: timestamp(now) };
  const shift = <T extends Sighting | ZoneCookie>(items: readonly T[], make: Make<T>): T[] =>
    shifted(items, query, move, now, () => ({ ...make(random, 0), id: hexadecimal(random, 32), ...seen }));
  if (path.endsWith("/scripts")) zone.scripts = shift(zone.scripts, seedScript);
  if (path.endsWith("/connections")) zone.connections = shift(zone.connections, seedConnection);
  if (path.endsWith("/cookies")) zone.cookies = shift(zone.cookies, seedCookie);
}

function shifted<T extends Sighting | ZoneCookie>(
  items: readonly T[],
  query: Query,
  move: Move,
  now: number,
  make: () => T,
): T[] {
  if (move === "insert") return [...items, make()];
  const order = sorted(
    items.filter((item) => item.status === "active"),
    query,
  );
  if (move === "remove") return items.filter((item) => item !== order[0]);
  const last = order.at(-1);
  return items.map((item) => (item === last ? { ...item, last_seen_at: timestamp(now) } : item));
}
