import { isDeepStrictEqual } from "node:util";
import { zoneIdOf } from "../zone/zone-id";
import type { Properties } from "./kind";

/** Of ids, and of what is not known yet. */
export function isSameZone(left: unknown, right: unknown): boolean {
  return (zoneIdOf(left) ?? left) === (zoneIdOf(right) ?? right);
}

/** The zone, where it is another one, and those of the inputs that differ; `defaults`: of each, what its absence means. */
export function changedNames(before: Properties, now: Properties, defaults: Properties): string[] {
  const changed = Object.entries(defaults).flatMap(([name, initial]) =>
    isDeepStrictEqual(before[name] ?? initial, now[name] ?? initial) ? [] : [name],
  );
  return isSameZone(before["zoneId"], now["zoneId"]) ? changed : ["zoneId", ...changed];
}
