import { apiSettings } from "pulumi-page-guard/tools";
import type { Session } from "./session";

/** Before many requests: how long the rate limit makes them take, if that is over a minute. */
export function sayHowLong(session: Session, what: string, requests: number): void {
  const { limit, windowMs } = apiSettings(session.env).window;
  if (requests <= limit) return;
  const windowMinutes = windowMs / 60_000;
  const minutes = Math.ceil(requests / limit - 1) * windowMinutes;
  session.err(
    `${what} takes at least ${requests} requests: by the rate limit of ${limit} in ${windowMinutes} minutes, about ${minutes} minutes.\n`,
  );
}
