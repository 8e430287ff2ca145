import type { Properties } from "../../small-engine/checkpoint";
import { policy, zoneA } from "../../small-engine/zones";

/** Returns the inputs of a set whose policies have valid defaults. */
export function set(policies: Readonly<Record<string, Properties>>, args: Properties = {}): Properties {
  const entries = Object.entries(policies).map(([key, entry]) => {
    const { zoneId: _, description: __, ...usual } = policy(entry);
    return [key, { ...usual, ...entry }];
  });
  return { zoneId: zoneA, policies: Object.fromEntries(entries), ...args };
}

/** Returns `count` policies that differ only in their keys. */
export const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`shop-${index}`, {}]));
