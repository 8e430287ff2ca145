import { forTerminal } from "../../reports/escape";

/** Who holds the lock of a backend, by what `pulumi` has said. */
export interface HeldLock {
  /** Fit to be shown: `deploy@ci-7, process 123, for 4 min`; as much of it as is told. */
  readonly owner: string;
}

/** Backends of files, buckets and databases. */
const locked = /the stack is currently locked by \d+ lock/;
/** `…: created by deploy@ci-7 (pid 123) at 2026-01-01T12:00:00Z`. */
const created = /created by (\S+) \(pid (\d+)\) at (\S+)/;
/** Pulumi Cloud. */
const conflict = /\[409\] Conflict: Another update is currently in progress/;

/** Undefined: the update did not fail for a lock. */
export function heldLock(output: string, now: number): HeldLock | undefined {
  if (conflict.test(output)) return { owner: "another update of the stack" };
  if (!locked.test(output)) return undefined;
  const [, who = "somebody", pid, at = ""] = created.exec(output) ?? [];
  const since = Date.parse(at);
  const age = Number.isNaN(since) ? "" : `, for ${ageText(now - since)}`;
  return { owner: `${forTerminal(who, 120)}${pid === undefined ? "" : `, process ${pid}`}${age}` };
}

function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
