import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Simulator, ZoneSeed } from "../../../simulator/src";
import { each } from "../../support/each";
import type { Properties } from "../small-engine/checkpoint";

export type Snapshot = ReturnType<Simulator["zone"]>;
export type Snapshots = Readonly<Record<string, Snapshot>>;

/** Zones before and after the update of a stack. */
export interface KeptZones {
  readonly found: Snapshots;
  readonly zones: Snapshots;
}

/** Released versions and commits between them. */
export const keptVersions: readonly string[] = readdirSync(__dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

export function isReleased(version: string): boolean {
  return /^\d+\.\d+\.\d+$/.test(version);
}

export function keptFile(version: string, file: string): string {
  return join(__dirname, version, file);
}

export function readKept<T>(version: string, file: string): T {
  return JSON.parse(readFileSync(keptFile(version, file), "utf8"));
}

/** A resource in the checkpoint of a version. */
export interface Kept {
  readonly urn: string;
  readonly type: string;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
}

export function keptResources(version: string): readonly Kept[] {
  const { checkpoint } = readKept<{ checkpoint: { latest: { resources: readonly Kept[] } } }>(
    version,
    "checkpoint.json",
  );
  return checkpoint.latest.resources;
}

/** Returns seeds that recreate the zones with the ids that the state contains. */
export function seedsOf(zones: Snapshots): Record<string, ZoneSeed> {
  return Object.fromEntries(Object.entries(zones).map(([id, zone]) => [id, seedOf(zone)]));
}

function seedOf(zone: Snapshot): ZoneSeed {
  const {
    newStatus: _new,
    oldStatus: _old,
    migrationState: _state,
    compatible: _compatible,
    ...waf
  } = zone.waf;
  const { id: _id, policyQuota, entrypoint, ...rest } = zone;
  return {
    ...rest,
    ...(policyQuota !== null && { policyQuota }),
    waf,
    entrypoint: entrypoint && {
      name: entrypoint.name,
      rules: entrypoint.rules.map(({ version: _version, last_updated: _time, ...rule }) => rule),
    },
  };
}

/** Asserts that settings and policies, and the rules of the zones in `withRules`, are as before the stack. */
export function expectAsFound(sim: Simulator, found: Snapshots, withRules: readonly string[]): void {
  for (const [id, before] of Object.entries(found)) {
    const { updated_at: _then, ...settings } = before.settings;
    const { updated_at: _now, ...left } = sim.zone(id).settings;
    assert.deepEqual(left, settings);
    assert.deepEqual(each(sim.zone(id).policies, "description"), each(before.policies, "description"));
  }
  const rules = (zone: Snapshot | undefined) =>
    zone?.entrypoint?.rules.map(({ id, description }) => [id, description]);
  for (const id of withRules) {
    assert.deepEqual(rules(sim.zone(id)), rules(found[id]));
    assert.equal(sim.zone(id).entrypoint?.name, found[id]?.entrypoint?.name);
  }
}
