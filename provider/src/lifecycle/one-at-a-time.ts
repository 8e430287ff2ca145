import { inZone } from "./memory";
import type { Run } from "./run";

const queueOf = inZone(() => ({ last: Promise.resolve<unknown>(undefined) }));

/** Runs `work` when no other work on the zone is under way in this process: whole-list writes must not overlap. */
export async function oneAtATime<T>(run: Run, zoneId: string, work: () => Promise<T>): Promise<T> {
  const queue = queueOf(run, zoneId);
  const mine = queue.last.then(work, work);
  queue.last = mine;
  return mine;
}
