import type { Session } from "../session";

/** The day, in UTC: `2026-11-23`. */
export function today(session: Session): string {
  return new Date(session.now()).toISOString().slice(0, 10);
}
