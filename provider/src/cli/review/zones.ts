import { allInFlight } from "../../lifecycle/in-flight";
import { readZone, type ZoneValues } from "../../zone/read-zone";
import { plannedZones } from "../approval/plan";
import { type Approving, clientsOf } from "../approval/read-zones";
import { Progress } from "../progress";
import { reasonOf, zonesAtOnce } from "../zones";
import type { PreviewRead } from "./preview-read";
import { isChanging } from "./zone-objects";

/** What the zones of a plan hold, read once before anything is written. */
export interface ZonesRead {
  readonly values: ReadonlyMap<string, ZoneValues>;
  /** Why a zone, or a part of it, could not be read. */
  readonly unread: readonly { readonly zone: string; readonly reason: string }[];
}

/** Reads each zone that the plan changes, where the plan changes it: one list for each kind of its resources. */
export async function readChangedZones(approving: Approving, { steps }: PreviewRead): Promise<ZonesRead> {
  const zones = plannedZones(steps.filter((step) => step.isOurs && isChanging(step)));
  const clientFor = await clientsOf(approving, zones);
  const values = new Map<string, ZoneValues>();
  const unread: { zone: string; reason: string }[] = [];
  await new Progress(approving.session).during("Reading zones", () =>
    allInFlight(zonesAtOnce, zones, async (planned) => {
      const { zoneId: zone, needed } = planned;
      try {
        const parts = (["settings", "policies", "entrypoint"] as const).filter((part) => needed.has(part));
        const read = await readZone(clientFor(planned), zone, parts);
        values.set(zone, read.values);
        for (const { part, error } of read.unread)
          unread.push({ zone, reason: `${part}: ${reasonOf(error)}` });
      } catch (error) {
        unread.push({ zone, reason: reasonOf(error) });
      }
    }),
  );
  return { values, unread: unread.sort((left, right) => (left.zone < right.zone ? -1 : 1)) };
}
