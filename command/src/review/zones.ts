import type { ZonePart, ZoneValues } from "pulumi-page-guard/tools";
import { isChanging, type PreviewRead, zonesOf } from "../preview/preview-read";
import { namesOf, reasonOf } from "../shared/zones";
import { effectsIn, type Step, type ZoneEffect } from "./objects";
import { plannedZones, type Reading, readZones } from "./read-zones";

/** Values of the zones of a plan, read once before anything is written. */
export interface ZonesRead {
  readonly values: ReadonlyMap<string, ZoneValues>;
  /** Zones and parts of zones that could not be read. The reason names the zone. */
  readonly unread: readonly { readonly zone: string; readonly reason: string }[];
}

export const usualParts = ["settings", "policies", "entrypoint"] as const satisfies readonly ZonePart[];

/** Reads the parts of each zone that the plan changes. */
export async function readChangedZones(reading: Reading, { steps }: PreviewRead): Promise<ZonesRead> {
  const zones = plannedZones(steps.filter((step) => step.isOurs && isChanging(step)));
  const nameOf = namesOf(reading.session);
  const all = await readZones(reading, zones, ({ needed }) =>
    usualParts.filter((part) => needed.includes(part)),
  );
  return {
    values: new Map(all.flatMap(({ zone, read }) => (read ? [[zone.zoneId, read.values]] : []))),
    unread: all.flatMap((one) => {
      const { zoneId: zone } = one.zone;
      const because = (why: string) => ({ zone, reason: `${nameOf(zone)}: ${why}` });
      if (!one.read) return [because(reasonOf(one.error))];
      return one.read.unread.map(({ part, error }) => because(`${part}: ${reasonOf(error)}`));
    }),
  };
}

/** Computes the effects of a plan in its zones. `values`: the zones that were read. */
export function zoneEffects(
  steps: readonly Step[],
  values: ReadonlyMap<string, ZoneValues> = new Map(),
): ZoneEffect[] {
  const changing = steps.filter((step) => step.isOurs && isChanging(step));
  const zones = new Set(changing.flatMap((step) => [...zonesOf(step), step.zone]));
  return [...zones].sort().flatMap((zone) => effectsIn(zone, steps, values.get(zone ?? "") ?? {}));
}
