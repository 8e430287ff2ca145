import { OfflineError } from "../errors/offline-error";
import type { Run } from "./run";

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

/** For what cannot be done without a request. `what`: as a sentence without its end. */
export function refuseOffline(run: Run, what: string): void {
  if (run.isOffline) throw new OfflineError(what);
}
