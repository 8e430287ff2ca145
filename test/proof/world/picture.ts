import assert from "node:assert/strict";
import type {
  Zone as LivingZone,
  Simulator,
  ZonePolicy,
  ZoneRule,
  ZoneSettings,
} from "../../../simulator/src";
import { ourZones, type Zone, zones } from "./declarations";

/** Content of the zones at one moment. */
export interface Picture {
  readonly policies: Readonly<Record<Zone, readonly ZonePolicy[]>>;
  readonly rules: Readonly<Record<Zone, readonly ZoneRule[]>>;
  readonly settings: Readonly<Record<Zone, ZoneSettings>>;
}

export function pictureOf(sim: Simulator): Picture {
  // Do not use snapshots of whole zones: copying them would take half of the time of a story.
  const of = <T>(pick: (zone: LivingZone) => T) => {
    const [a, b, m] = ourZones.map((zone) => pick(sim.zones.get(zones[zone])));
    assert.ok(a !== undefined && b !== undefined && m !== undefined);
    return { a, b, m };
  };
  return {
    policies: of(({ policies }) => policies.map((policy) => ({ ...policy }))),
    rules: of(({ entrypoint }): readonly ZoneRule[] => entrypoint?.rules ?? []),
    settings: of(({ settings }) => ({ ...settings })),
  };
}
