import { forTerminal } from "../../reports/escape";

/** Backends of files, buckets and databases. */
const locked = /the stack is currently locked by \d+ lock/;
/** `…: created by deploy@ci-7 (pid 123) at 2026-01-01T12:00:00Z`. */
const created = /created by (\S+) \(pid (\d+)\) at (\S+)/;
/** Pulumi Cloud. */
const conflict = /\[409\] (Conflict: )?Another update is currently in progress/;

/**
 * Who holds the lock that made an update fail, as far as `pulumi` says it: `deploy@ci-7, process 123, for 4 min`.
 * Undefined if it failed for another reason. Safe to show.
 */
export function lockOwner(output: string, now: number): string | undefined {
  if (conflict.test(output)) return "another update of the stack";
  if (!locked.test(output)) return undefined;
  const [, who = "someone", pid, at = ""] = created.exec(output) ?? [];
  return `${forTerminal(who, 120)}${pid === undefined ? "" : `, process ${pid}`}${lockAge(at, now)}`;
}

/** `, for 4 min`; empty if the lock has no readable time. */
function lockAge(at: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1000));
  if (Number.isNaN(seconds)) return "";
  if (seconds < 120) return `, for ${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `, for ${minutes} min`;
  return minutes < 2880 ? `, for ${Math.round(minutes / 60)} h` : `, for ${Math.round(minutes / 1440)} days`;
}
