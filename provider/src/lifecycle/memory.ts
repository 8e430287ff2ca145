import { zoneIdOf } from "../model/zone-id";
import type { Run } from "./run";

/** One of these in each run, made on first use. */
export function inRun<T>(make: (run: Run) => T): (run: Run) => T {
  const key = Symbol("memory");
  return (run) => run.memory(key, () => make(run));
}

/** One of these for each zone of a run. The case of a zone id does not matter. */
export function inZone<T>(make: (run: Run) => T): (run: Run, zoneId: unknown) => T {
  const zonesIn = inRun(() => new Map<string, T>());
  return (run, zoneId) => {
    const zones = zonesIn(run);
    const zone = zoneIdOf(zoneId) ?? String(zoneId);
    const known = zones.get(zone) ?? make(run);
    zones.set(zone, known);
    return known;
  };
}

const queueOf = inZone(() => ({ last: Promise.resolve<unknown>(undefined) }));

/** Runs `work` when no other work on the zone is under way in this process: whole-list writes must not overlap. */
export async function oneAtATime<T>(run: Run, zoneId: string, work: () => Promise<T>): Promise<T> {
  const queue = queueOf(run, zoneId);
  const mine = queue.last.then(work, work);
  queue.last = mine;
  return mine;
}
