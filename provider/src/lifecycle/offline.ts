import { OfflineError } from "../errors/page-guard-error";
import { type Finding, makeWarning } from "../model/finding";
import type { Run } from "./run";

export const offlineFinding: Finding = makeWarning(
  "",
  "offline",
  "PAGE_GUARD_OFFLINE is set, so no request is sent to the service. Not checked: whether the token, the zones and their plans allow these resources; which objects the zones already have, including unmanaged rules and policies; which items in use a policy would block; whether a zone can be migrated.",
);

/** Returns the result of `ask`. If no request may be sent, returns `offline`; `offlineFinding` has already warned the user. */
export async function whereOnline<T>(ask: () => Promise<T>, offline: T): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof OfflineError) return offline;
    throw error;
  }
}

/** Throws if no request may be sent. `what`: a sentence without a full stop, such as "Nothing is read". */
export function refuseOffline(run: Run, what: string): void {
  if (run.isOffline) throw new OfflineError(what);
}
