/** Applies the faults `extra-fields`, `missing-fields` and `normalise` to bodies, and the fault `shift` to lists. */
import type { ShapingFault } from "../control/faults";
import { sortItems } from "../state/lists";
import { makeHexadecimal, type Random } from "../state/random";
import { seedConnection, seedCookie, seedScript } from "../state/seed-items";
import type { Sighting, ZoneCookie } from "../state/zone";
import { isRecord } from "./checks";
import { type ApiRequest, timestamp } from "./operation";

const defaultExtraFields = { future_field: "future", future_object: { nested: [1, "two", null] } };

export function shapeAnswer(body: unknown, faults: readonly ShapingFault[]): unknown {
  if (!isRecord(body)) return body;
  let { result } = body;
  for (const fault of faults) {
    if (fault.kind === "normalise") result = normalise(result);
    if (fault.kind === "extra-fields")
      result = eachObject(result, (object) => ({ ...object, ...(fault.fields ?? defaultExtraFields) }));
    if (fault.kind === "missing-fields") {
      const isKept = ([name]: readonly [string, unknown]) => !fault.fields.includes(name);
      result = eachObject(result, (object) => Object.fromEntries(Object.entries(object).filter(isKept)));
    }
  }
  return { ...body, result };
}

/** Rewrites strings as a normalising server might: the characters change, but the meaning does not. */
export function normalise(value: unknown, name?: string): unknown {
  if (typeof value === "string") {
    if (name === "value") return normaliseDirectives(value);
    if (name === "expression") return value.trim().replace(/\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/g, " ");
    return name === "description" ? value.trim() : value;
  }
  if (Array.isArray(value)) return value.map((member: unknown) => normalise(member));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, normalise(member, key)]));
}

function normaliseDirectives(text: string): string {
  const directives = text.split(";").map((directive) => directive.trim().split(/\s+/));
  return directives
    .filter(([name]) => name)
    .map(([name = "", ...sources]) => [name.toLowerCase(), ...sources].join(" "))
    .join("; ");
}

/** Changes the object of a result, or each object of a list, and the rules inside them. */
function eachObject(
  result: unknown,
  change: (object: Record<string, unknown>) => Record<string, unknown>,
): unknown {
  if (Array.isArray(result)) return result.map((item: unknown) => eachObject(item, change));
  if (!isRecord(result)) return result;
  const rules = result["rules"];
  return change(Array.isArray(rules) ? { ...result, rules: eachObject(rules, change) } : result);
}

/** Carries out the fault `shift`: a list changes while a client reads it page by page. */
export function shiftItems(
  { zone, query, now }: Pick<ApiRequest, "zone" | "query" | "now">,
  path: string,
  { move = "insert" }: Extract<ShapingFault, { kind: "shift" }>,
  random: Random,
): void {
  const seenNow = { last_seen_at: timestamp(now) };
  const shift = <T extends Sighting | ZoneCookie>(items: readonly T[], seed: (random: Random) => T): T[] => {
    const id = makeHexadecimal(random, 32);
    if (move === "insert")
      return [...items, { ...seed(random), id, first_seen_at: timestamp(now), ...seenNow }];
    const isActive = ({ status }: T) => status === "active";
    const order = sortItems(items.filter(isActive), query);
    if (move === "remove") return items.filter((item) => item !== order[0]);
    return items.map((item) => (item === order.at(-1) ? { ...item, ...seenNow } : item));
  };
  if (path.endsWith("/scripts")) zone.scripts = shift(zone.scripts, (from) => seedScript(from, 0));
  if (path.endsWith("/connections"))
    zone.connections = shift(zone.connections, (from) => seedConnection(from, 0));
  if (path.endsWith("/cookies")) zone.cookies = shift(zone.cookies, (from) => seedCookie(from, 0));
}
