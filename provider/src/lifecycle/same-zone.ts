import { zoneIdOf } from "../zone/zone-id";

/** Of ids, and of what is not known yet. */
export function isSameZone(left: unknown, right: unknown): boolean {
  return (zoneIdOf(left) ?? left) === (zoneIdOf(right) ?? right);
}
