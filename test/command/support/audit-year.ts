import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Simulator } from "../../../simulator/src";

export const example = resolve(__dirname, "../../../examples/audit");
export const zoneId = "8f14e45fceea167a5a36dedd4bea2543";
export const dayMs = 24 * 60 * 60 * 1000;
export const firstWeek = Date.UTC(2025, 10, 24, 6);
export const weeks = 53;

const zone = json<Omit<typeof import("../../../examples/audit/zone.json"), "plan">>("zone.json");
/** History of the zone and of its approvals, and notes of people about alerts. */
export const history = json<typeof import("../../../examples/audit/history.json")>("history.json");

/** Gives the simulator the zone as it was on that day. */
export function seedWeek(sim: Simulator, day: string): void {
  const present = [
    ...zone.scripts,
    ...history.gone.filter(({ until }) => day < until).map(({ script }) => script),
  ].filter(({ first_seen_at }) => first_seen_at.slice(0, 10) <= day);
  const earlier = history.policies.filter(({ until }) => day < until);
  sim.zones.seed(zoneId, {
    ...zone,
    scripts: present.map((script) => {
      const before = history.changed.find(({ url, until }) => url === script.url && day < until);
      const yesterday = new Date(Date.parse(day) - 18 * 60 * 60 * 1000).toISOString();
      return { ...script, last_seen_at: yesterday, ...(before && { hash: before.hash }) };
    }),
    policies: zone.policies.flatMap((policy) => {
      const { absent, value } = earlier.find(({ id }) => id === policy.id) ?? {};
      return absent ? [] : [{ ...policy, ...(value !== undefined && { value }) }];
    }),
  });
}

/** Returns the inventory with the approvals of that day. */
export function inventoryOf(day: string): string {
  const text = history.inventory
    .filter(({ until }) => day < until)
    .reduce(
      (edited, { now, before }) => {
        if (!edited.includes(now)) throw new Error(`history.json: the inventory does not say ${now}`);
        return edited.replace(now, before);
      },
      readFileSync(join(example, "inventory/shop.yaml"), "utf8"),
    );
  const entries = text.split("\n\n");
  return entries.filter((entry) => (/\bon: (\d\S*)/.exec(entry)?.[1] ?? "") <= day).join("\n\n");
}

function json<T>(file: string): T {
  return JSON.parse(readFileSync(join(example, file), "utf8"));
}

/** Returns the text of a file without the number of a release. */
export function unversioned(file: string): string {
  return readFileSync(file, "utf8").replace(/(pulumi-page-guard |"version": ")\d+\.\d+\.\d+/g, "$1X");
}

/** Days on which somebody approved something, or changed the inventory. */
export const approvalDays: readonly string[] = [
  ...new Set([
    ...[...inventoryOf("9999").matchAll(/\bon: ([\d-]+)/g)].map(([, day = ""]) => day),
    ...history.inventory.map(({ until }) => until),
  ]),
].sort();
