import type { Run } from "./run";

const key = Symbol("zones in work");

/** Runs `work` when no other work on the zone is under way in this process: whole-list writes must not overlap. */
export async function oneAtATime<T>(run: Run, zoneId: string, work: () => Promise<T>): Promise<T> {
  const tails = run.memory(key, () => new Map<string, Promise<unknown>>());
  const zone = zoneId.toLowerCase();
  const before = tails.get(zone) ?? Promise.resolve();
  const mine = before.then(work, work);
  tails.set(zone, mine);
  return mine;
}
