import { OfflineError } from "../errors/page-guard-error";
import { type Finding, warningOn } from "../model/finding";
import type { Run } from "./run";

export const offlineFinding: Finding = warningOn(
  "",
  "offline",
  "PAGE_GUARD_OFFLINE is set, so the service is not asked. Not checked: whether token, zone and plan allow what is declared; what the zones have already, others' rules and policies among it; what is in use that a policy would block; whether a zone can be migrated.",
);

/** What asking the service finds: nothing where it may not be asked, which the program says once a run. */
export async function whereOnline<T>(
  ask: () => Promise<readonly T[] | undefined> | readonly T[] | undefined,
): Promise<readonly T[]> {
  try {
    return (await ask()) ?? [];
  } catch (error) {
    if (error instanceof OfflineError) return [];
    throw error;
  }
}

/** Refuses what cannot be done without a request. `what`: as a sentence without its end. */
export function refuseOffline(run: Run, what: string): void {
  if (run.isOffline) throw new OfflineError(what);
}
